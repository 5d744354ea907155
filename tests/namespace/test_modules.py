"""Modules are imported by the names that NumPy's have, first thing in a program too."""

import ctypes
import doctest
import importlib

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import run_script

_OWN = """
    char ctypeslib emath fft lib lib.array_utils lib.format lib.recfunctions lib.scimath
    lib.stride_tricks linalg polynomial polynomial.chebyshev polynomial.hermite
    polynomial.hermite_e polynomial.laguerre polynomial.legendre polynomial.polynomial random
    strings testing typing
"""
OWN = _OWN.split()
NUMPYS = ["dtypes", "exceptions", "ma", "rec"]


# Names that NumPy will remove say so when they are asked for.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", OWN)
def test_imported_by_name(name):
    module = importlib.import_module(f"sharedarray.{name}")
    assert module.__name__ == f"sharedarray.{name}"
    theirs = np.emath if name == "emath" else importlib.import_module(f"numpy.{name}")
    public = getattr(theirs, "__all__", None) or [n for n in dir(theirs) if not n.startswith("_")]
    wanting = [n for n in public if not hasattr(module, n) and n != "NBitBase"]
    assert wanting == []


@pytest.mark.parametrize("name", NUMPYS)
def test_what_is_numpys_own(name):
    module = importlib.import_module(f"sharedarray.{name}")
    assert module is importlib.import_module(f"numpy.{name}")
    assert getattr(xp, name) is module


def test_imported_first_in_a_fresh_program():
    lines = [f"import sharedarray.{name}" for name in reversed([*OWN, *NUMPYS])]
    lines += [
        "from sharedarray.polynomial.chebyshev import chebval",
        "from sharedarray.linalg import norm",
        "from sharedarray.exceptions import AxisError",
        "import sharedarray as xp, pickle",
        "assert pickle.loads(pickle.dumps(chebval)) is xp.polynomial.chebyshev.chebval",
        "print(norm(xp.asarray([3.0, 4.0])), chebval(0.5, [1, 2, 3]).is_shared())",
    ]
    assert run_script("\n".join(lines)).ok() == "5.0 True"


@pytest.mark.parametrize("name", ["ctypeslib", "lib.recfunctions", "polynomial"])
def test_examples(name):
    module = importlib.import_module(f"sharedarray.{name}")
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(module):
        test.globs = {}
        runner.run(test)
    assert runner.summarize(verbose=False).attempted > 1
    assert runner.summarize(verbose=False).failed == 0


def test_series_are_numpys_with_arrays_as_values():
    series = xp.polynomial.Polynomial([1.0, 2.0])
    assert isinstance(series, np.polynomial.Polynomial)
    assert type(series + 1) is type(series * series) is type(series)
    assert series(2).is_shared()
    x = xp.asarray([0.0, 1.0])
    assert series(x).tolist() == [1.0, 3.0]
    assert series.convert(kind=xp.polynomial.Chebyshev)(x).tolist() == [1.0, 3.0]
    assert type(series(series)) is type(series)
    assert np.polynomial.Polynomial([1.0]) + series == series + 1


def test_arrays_are_arguments_of_c_functions():
    libc = ctypes.CDLL(None)
    fill = libc["memset"]
    fill.argtypes = [
        xp.ctypeslib.ndpointer(xp.uint8, ndim=1, flags="C"),
        ctypes.c_int,
        ctypes.c_size_t,
    ]
    x = xp.zeros(4, dtype=xp.uint8)
    fill(x, 7, 3)
    assert x.tolist() == [7, 7, 7, 0]
    fill(plain := np.zeros(2, dtype=np.uint8), 1, 1)
    assert plain.tolist() == [1, 0]
    with pytest.raises(ctypes.ArgumentError, match="uint8"):
        fill(xp.zeros(4), 7, 3)
    assert xp.is_shared(memoryview(xp.ctypeslib.as_ctypes(x)))


def test_large_broadcasts_and_windows_of_what_is_copied_stay_small():
    for huge in (
        xp.broadcast_to(1.5, (10**7, 10**7)),
        xp.broadcast_to(np.asarray([1.5]), (10**7, 10**7)),
        xp.lib.stride_tricks.as_strided(np.full(1, 1.5), (10**7, 10**7), (0, 0)),
    ):
        assert huge.shape == (10**7, 10**7)
        assert huge.is_shared()
        assert huge.storage().nbytes < 4096
        assert huge[-1, -1].item() == 1.5
    plain = np.arange(2000.0)[::-1]
    windows = xp.lib.stride_tricks.sliding_window_view(plain, 1000)
    assert windows.is_shared()
    assert not np.shares_memory(windows, plain)
    assert windows.storage().nbytes < 4 * plain.nbytes
    assert windows[7, 3:5].tolist() == plain[10:12].tolist()


def test_records_that_numpys_buffers_cannot_tell():
    x = xp.zeros(2, dtype=[("a", "i8"), ("b", "U1")])
    x["a"] = [1, 2]
    assert np.asarray(x)["a"].tolist() == [1, 2]
    np.asarray(x)["a"][0] = 5
    assert x["a"].tolist() == [5, 2]
    with pytest.raises(BufferError, match="no format"):
        memoryview(x)
    turned = x[["b", "a"]]
    assert np.asarray(turned).dtype == turned.dtype == np.asarray(x)[["b", "a"]].dtype
    assert np.shares_memory(np.asarray(turned), np.asarray(x))
    with pytest.raises(AttributeError, match="layout"):
        turned.__array_interface__
    y = xp.zeros(2, dtype=[("a", "i4"), ("b", "f8")])
    assert memoryview(y).itemsize == 12


def test_numpys_functions_call_back_with_arrays_that_can_be_written():
    x = xp.asarray([1.0, 2.0])
    seen = []

    def edges(vector, width, axis, options):
        seen.append(vector)
        vector[: width[0]] = options["value"]

    assert np.pad(x, 1, edges, value=9.0).tolist() == [9.0, 1.0, 2.0, 0.0]
    assert all(isinstance(vector, xp.Array) for vector in seen)
