"""What results are compared with: NumPy's, by the same call."""

import numpy as np

import sharedarray as xp


def rng():
    """Return a generator, always the same."""
    return np.random.default_rng(20251201)


def shared(value):
    """Return `value` with its ndarrays, also those in tuples, lists and dicts, as Arrays."""
    if isinstance(value, np.ndarray):
        return xp.asarray(value)
    if isinstance(value, (tuple, list)):
        return type(value)(map(shared, value))
    if isinstance(value, dict):
        return {key: shared(item) for key, item in value.items()}
    return value


def parts(result):
    """Return what a result consists of: of a tuple its items, of an object its attributes."""
    if isinstance(result, dict):  # scipy.optimize.OptimizeResult is one
        return result
    if isinstance(result, tuple):
        return dict(enumerate(result))
    return {
        name: value
        for name, value in getattr(result, "__dict__", {}).items()
        if not name.startswith("_") and not callable(value)
    }


def check(got, want, rtol=1e-12, atol=1e-12, where=""):
    """Raise `AssertionError` unless `got` is of Arrays where `want` is of NumPy's, and equal."""
    if isinstance(want, (np.ndarray, np.generic)):
        assert type(got) is xp.Array, f"{where}: {type(got)}"
        assert got.is_shared(), where
        assert got.dtype == want.dtype, f"{where}: {got.dtype}, NumPy's {want.dtype}"
        assert got.shape == want.shape, f"{where}: {got.shape}, NumPy's {want.shape}"
        np.testing.assert_allclose(got.numpy(), want, rtol=rtol, atol=atol, err_msg=where)
    elif want is None or isinstance(want, (bool, int, float, complex, str)):
        assert np.array_equal(got, want, equal_nan=isinstance(want, (float, complex))), (
            f"{where}: {got!r}, NumPy's {want!r}"
        )
    else:
        assert type(got) is type(want), f"{where}: {type(got)}, NumPy's {type(want)}"
        found, wanted = parts(got), parts(want)
        assert wanted, f"{where}: nothing to compare in {type(want)}"
        assert found.keys() == wanted.keys(), where
        for name in wanted:
            check(found[name], wanted[name], rtol, atol, f"{where}.{name}")
