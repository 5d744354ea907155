"""Threads of this process that start at the same moment, and take turns after a few bytecodes."""

import contextlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

COUNT = 8
PATIENCE = 60  # seconds


@contextlib.contextmanager
def hasty():
    """Let threads take turns after every few bytecodes."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def at_once(*functions):
    """Run each function in a thread of its own; all start at the same moment.

    Returns
    -------
    list
        Their results.
    """
    barrier = threading.Barrier(len(functions))

    def run(function):
        barrier.wait(PATIENCE)
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(run, functions))


def together(function, count=COUNT):
    """Run ``function(i)`` in `count` threads that start at the same moment; the results."""
    return at_once(*[lambda i=i: function(i) for i in range(count)])
