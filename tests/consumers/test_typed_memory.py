"""Compiled code that takes typed memory: Cython's memoryviews, numba, ctypes."""

import ctypes
import importlib.util
import pathlib
import subprocess
import sys
import sysconfig

import numba
import numpy as np
import pytest

import sharedarray as xp

from .common import check, rng

SOURCE = pathlib.Path(__file__).with_name("typed.pyx")
V = rng().standard_normal(10)


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """Compile the Cython module."""
    folder = tmp_path_factory.mktemp("typed")
    written = folder / "typed.c"
    subprocess.run([sys.executable, "-m", "cython", SOURCE, "-o", written], check=True)
    built = folder / f"typed{sysconfig.get_config_var('EXT_SUFFIX')}"
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run(["cc", "-shared", "-fPIC", "-O0", include, written, "-o", built], check=True)
    spec = importlib.util.spec_from_file_location("typed", built)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cython_writes_in_place(typed):
    x = xp.asarray(V)
    typed.scale(x, 2.0)
    check(x, V * 2)
    typed.scale(x[::-2], 0.5)
    want = V * 2
    want[::-2] *= 0.5
    check(x, want)
    m = xp.asarray(V[:9].reshape(3, 3))
    typed.transpose_in_place(m)
    check(m, V[:9].reshape(3, 3).T)


def test_cython_sees_strides(typed):
    z = xp.zeros((2, 3, 4), dtype=xp.complex64)[:, ::-1, ::2]
    assert typed.strides(z) == (2, 3, 2, 96, -32, 16)


def test_cython_reads_what_is_read_only(typed):
    fixed = xp.asarray(np.arange(5, dtype=np.uint8)).readonly()
    assert typed.count(fixed) == 10
    with pytest.raises((BufferError, ValueError), match=r"read-only|not writable"):
        typed.scale(xp.asarray(V).readonly(), 2.0)


def test_cython_refuses_another_dtype(typed):
    with pytest.raises(ValueError, match="Buffer dtype mismatch"):
        typed.scale(xp.asarray(V, dtype=xp.float32), 2.0)
    with pytest.raises(ValueError, match=r"not C.contiguous"):
        typed.transpose_in_place(xp.asarray(V[:9].reshape(3, 3)).T)


def test_a_memoryview_that_is_kept_keeps_the_memory(typed):
    view = typed.keep(xp.full(1000, 7))
    xp.full(1000, 1)
    assert np.asarray(view).sum() == 7000
    assert xp.is_shared(np.asarray(view))
    private = xp.frombuffer(bytearray(24), dtype=np.int64)
    view = typed.keep(private)
    with pytest.raises(BufferError):
        private.share_memory_()
    del view
    assert private.share_memory_().is_shared()


@pytest.mark.parametrize(
    ("dtype", "name"),
    [("int32", "int"), ("int64", "long"), ("float32", "float"), ("float64", "double")],
)
def test_cython_chooses_by_dtype(typed, dtype, name):
    assert typed.total(xp.arange(5, dtype=dtype)) == (name, 10)


def test_what_cython_writes_is_seen_in_a_child(typed, worker):
    x = xp.asarray(V)
    typed.scale(x, 3.0)
    check(worker.get("x * 1", x=x), V * 3)


@numba.njit
def running(x):
    """Running sum, in place."""
    for i in range(1, len(x)):
        x[i] += x[i - 1]


@numba.njit
def by_rows(m):
    """Norm of each row."""
    r = np.empty(m.shape[0])
    for i in range(m.shape[0]):
        r[i] = np.sqrt((m[i] ** 2).sum())
    return r


@numba.vectorize(["float64(float64, float64)"])
def hypotenuse(a, b):
    """Length of the hypotenuse, as a ufunc."""
    return (a * a + b * b) ** 0.5


@numba.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def spread(x, r):
    """Maximum less minimum, as a generalised ufunc."""
    r[0] = x.max() - x.min()


def test_numba_writes_in_place():
    """An Array is a buffer to numba: its elements can be read and written."""
    x = xp.asarray(V)
    running(x)
    check(x, V.cumsum())
    y = xp.asarray(V)
    running(y.numpy())
    check(y, V.cumsum())


def test_numba_with_what_ndarrays_have():
    """``shape``, ``sum`` and the like are those of ndarrays: it gets the view."""
    m = xp.asarray(V.reshape(2, 5))
    check(xp.asarray(by_rows(m.numpy())), np.linalg.norm(V.reshape(2, 5), axis=1))


@pytest.mark.xfail(
    strict=True, reason="numba gives shape and methods to ndarrays alone", raises=numba.TypingError
)
def test_numba_with_what_ndarrays_have_without_the_view():
    by_rows(xp.asarray(V.reshape(2, 5)))


def test_numba_refuses_to_write_what_is_read_only():
    with pytest.raises(numba.TypingError):
        running(xp.asarray(V).readonly())


def test_ufuncs_of_numba_give_arrays():
    x, y = xp.asarray(V), xp.asarray(V[::-1].copy())
    check(hypotenuse(x, y), np.hypot(V, V[::-1]))
    check(spread(xp.asarray(V.reshape(2, 5))), np.ptp(V.reshape(2, 5), axis=1))
    out = xp.empty(10)
    assert hypotenuse(x, y, out=out) is out


def test_ctypes():
    x = xp.asarray([3, 1, 2], dtype=xp.int32)
    compare = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)
    )
    libc = ctypes.CDLL(None)
    order = compare(lambda a, b: a[0] - b[0])
    libc.qsort((ctypes.c_int * 3).from_buffer(x), 3, 4, order)
    assert x.tolist() == [1, 2, 3]
    assert x.ctypes.data == x.storage().data_ptr()
