"""
SciPy without ``SCIPY_ARRAY_API``: Arrays are read as NumPy's, and results are NumPy's.

What consists of ufuncs or of NumPy's functions alone gives Arrays, as these do.
"""

import importlib
import os

import numpy as np
import pytest

import sharedarray as xp
from tests.harness.worker import Worker

from . import scipy_calls


@pytest.fixture(scope="module")
def plain():
    """Start a process in which SciPy's switch is off."""
    before = os.environ.pop("SCIPY_ARRAY_API")
    try:
        running = Worker("spawn")
    finally:
        os.environ["SCIPY_ARRAY_API"] = before
    with running:
        yield running


def call(name):
    """Make the call with Arrays and with NumPy's; return the type of each result compared."""
    from scipy._lib._array_api import SCIPY_ARRAY_API

    assert not SCIPY_ARRAY_API
    return compare(scipy_calls.CALLS[name](xp.asarray), scipy_calls.CALLS[name](np.asarray))


def compare(got, want):
    """Compare, item by item, and list the types."""
    if isinstance(want, tuple):
        return [kind for pair in zip(got, want, strict=True) for kind in compare(*pair)]
    np.testing.assert_allclose(got, want, rtol=1e-12)
    return [f"{type(got).__module__}.{type(got).__name__}"] if isinstance(want, np.ndarray) else []


def is_ufunc(name):
    """Return whether a function of SciPy is a ufunc."""
    package, function = name.split(".")[:2]
    found = getattr(importlib.import_module(f"scipy.{package}"), function, None)
    return isinstance(found, np.ufunc)


@pytest.mark.parametrize("name", scipy_calls.CALLS)
def test_call(plain, name):
    kinds = plain.call(call, name)
    arrays = name == "fft.fftshift" or plain.call(is_ufunc, name)
    assert set(kinds) <= {"sharedarray.Array" if arrays else "numpy.ndarray"}


def test_the_memory_is_read_in_place(plain):
    """What SciPy gets by ``__array__`` and the buffer protocol is the shared memory itself."""
    x = xp.arange(6.0)
    plain.run(
        """
        import scipy.linalg.blas, scipy.linalg.lapack
        scipy.linalg.blas.dscal(2.0, x.numpy())
        """,
        x=x,
    )
    assert x.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
