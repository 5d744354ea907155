"""What ``import sharedarray`` leaves for later, and that nobody sees it."""

import pytest

from tests.harness import run_script

#: Of the standard library, what the import must not load unless NumPy does.
UNNEEDED = (
    "argparse",
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "email",
    "hashlib",
    "html",
    "http",
    "ipaddress",
    "json",
    "logging",
    "multiprocessing.connection",
    "multiprocessing.managers",
    "multiprocessing.pool",
    "multiprocessing.queues",
    "multiprocessing.shared_memory",
    "multiprocessing.spawn",
    "pathlib",
    "pydoc",
    "queue",
    "random",
    "runpy",
    "secrets",
    "shutil",
    "statistics",
    "tempfile",
    "timeit",
    "unittest",
    "urllib.parse",
    "uuid",
    "zipfile",
)
#: Of this library.
LATE = ("_bench", "_cli", "_notes", "_processes", "_segments", "fft", "linalg", "random")

PROGRAM = """
import sys
import numpy
before = set(sys.modules)
import sharedarray{more}
print(*set(sys.modules) - before)
"""


def unneeded(names):
    """Those of the modules that could be imported later."""
    late = {f"sharedarray.{name}" for name in LATE}
    return sorted(set(names) & {*UNNEEDED, *late, "numpy.random", "numpy.fft"})


def test_the_import_loads_no_more_than_it_needs():
    names = run_script(PROGRAM.format(more="")).ok().split()
    assert "sharedarray._core" in names
    assert unneeded(names) == []


@pytest.mark.parametrize("name", ["json", "sharedarray.random"])
def test_the_check_notices_a_module_too_many(name):
    assert name in unneeded(run_script(PROGRAM.format(more=f", {name}")).ok().split())


@pytest.mark.parametrize("name", ["fft", "linalg", "random"])
@pytest.mark.parametrize(
    "way",
    [
        "import sharedarray as xp; module = xp.{name}",
        "from sharedarray import {name} as module",
        "import sharedarray.{name} as module",
        "from sharedarray import *; module = {name}",
        "import sharedarray as xp; assert hasattr(xp, '{name}'); module = vars(xp)['{name}']",
    ],
)
def test_late_modules_are_found_in_every_way(name, way):
    code = f"""
{way.format(name=name)}
import sharedarray
assert "{name}" in dir(sharedarray)
assert sharedarray.{name} is module
print(module.__name__)
"""
    assert run_script(code).ok() == f"sharedarray.{name}"


@pytest.mark.parametrize("asked", ["xp.late", "getattr(xp, 'late')"])
def test_arrays_that_late_modules_make_are_private(asked, tmp_path):
    (tmp_path / "late.py").write_text("import numpy; table = numpy.ones(100)")
    code = f"""
        import numpy
        import sharedarray as xp
        from sharedarray._late import later
        xp.__path__.append({str(tmp_path)!r})
        xp.__getattr__ = later("sharedarray", ["late"], xp.__getattr__)
        with xp.capture_numpy():
            table = {asked}.table
            other = numpy.ones(100)
        print(xp.is_shared(table), xp.is_shared(other))
    """
    assert run_script(code).ok() == "False True"


def test_docstrings_and_signatures_are_made_when_asked_for():
    code = """
        import inspect
        import numpy
        import sharedarray as xp
        f = xp.matmul
        assert "__signature__" not in vars(f)
        assert inspect.signature(f) is inspect.signature(f)
        assert f.__doc__ is f.__doc__ and f.__doc__.startswith("Multiply matrices.")
        assert xp.zeros.__doc__.startswith("Make an array of zeros")
        assert xp.einsum.__doc__ == numpy.einsum.__doc__
        f.__doc__ = "Another."
        assert f.__doc__ == "Another." and xp.add.__doc__.startswith("Add two arrays")
        print(inspect.signature(xp.linalg.qr))
    """
    assert run_script(code).ok() == "(x, /, mode='reduced')"


def test_positional_only_arguments_are_counted_when_a_keyword_is_given_first():
    code = """
        import sharedarray as xp
        print(xp.sum(a=xp.ones(3)), xp.mean(xp.ones(3), axis=0), xp.add(x1=xp.ones(1), x2=1))
    """
    assert run_script(code).ok() == "3.0 1.0 [2.]"
