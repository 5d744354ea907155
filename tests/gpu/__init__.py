"""
The check on a real card: ``make gpu``, or ``python -m tests.gpu`` in an environment that has CuPy.

It builds in place, measures, runs the tests marked ``gpu``, prints one table and writes
``docs/gpu-results.md``. Each check is a process of its own with a time-out. ``--double`` tries the
checks that need no arithmetic on the driver double, and writes no page.
"""
