"""Every function of the standard, against array-api-strict: values, data types and shapes."""

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import sharedarray as xp

from .cases import CASES
from .cases_extensions import EXTENSIONS

strict.set_array_api_strict_flags(api_version="2025.12")

ALL_CASES = CASES | EXTENSIONS
UNSPECIFIED = {"asarray", "empty", "empty_like", "from_dlpack", "finfo", "iinfo"}  # own tests
HELPERS = {
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
}


def lookup(namespace, name):
    """The function of a dotted name."""
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def given_to(value, library):
    """An argument in the terms of a library."""
    if isinstance(value, np.ndarray | np.generic):
        return library.asarray(np.asarray(value))
    if isinstance(value, np.dtype):
        return getattr(library, value.name)
    if isinstance(value, tuple | list):
        return type(value)(given_to(v, library) for v in value)
    return value


def plain(value):
    """A result as NumPy arrays."""
    if isinstance(value, strict._array_object.Array):
        return value._array
    if isinstance(value, xp.Array):
        return np.asarray(value)
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if isinstance(value, strict._dtypes.DType):
        return value._np_dtype
    return value


def call(library, name, args, kwargs):
    """The result of a call, as NumPy arrays, and the result itself."""
    function = lookup(library, name)
    with np.errstate(all="ignore"):
        result = function(
            *(given_to(a, library) for a in args),
            **{k: given_to(v, library) for k, v in kwargs.items()},
        )
    return plain(result), result


def assert_same(ours, theirs):
    """Compare two results, arrays within rounding."""
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    elif isinstance(theirs, np.ndarray | np.generic):
        assert isinstance(ours, np.ndarray)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if not np.array_equal(ours, theirs, equal_nan=theirs.dtype.kind in "fc"):
            single = theirs.dtype in ("float32", "complex64")
            tolerance = 1e-4 if single else 1e-9
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    else:
        assert ours == theirs


def all_shared(result):
    """Whether every Array in a result is shared."""
    if isinstance(result, tuple | list):
        return all(all_shared(r) for r in result)
    return result.is_shared() if isinstance(result, xp.Array) else True


@pytest.mark.parametrize("name", sorted(ALL_CASES))
def test_as_strict(name):
    accepted = 0

    @settings(
        max_examples=40,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(ALL_CASES[name])
    def check(arguments):
        nonlocal accepted
        args, kwargs = arguments
        try:
            expected, _ = call(strict, name, args, kwargs)
        except Exception:
            return
        accepted += 1
        ours, result = call(xp, name, args, kwargs)
        if name == "unique_values":
            ours, expected = np.sort(ours), np.sort(expected)
        assert_same(ours, expected)
        assert all_shared(result)

    check()
    assert accepted >= 10, f"array-api-strict took only {accepted} of the calls"


def test_every_function_has_a_case():
    names = {
        n
        for n in dir(strict)
        if not n.startswith("_")
        and callable(getattr(strict, n))
        and not isinstance(getattr(strict, n), type)
    }
    names -= {n for n in names if isinstance(getattr(strict, n), strict._dtypes.DType)}
    for extension in ("linalg", "fft"):
        module = getattr(strict, extension)
        names |= {f"{extension}.{n}" for n in module.__all__ if n[0].islower()}
    missing = names - set(ALL_CASES) - UNSPECIFIED - HELPERS
    assert not missing


def test_comparison_notices_a_difference():
    good = np.array([1.0, 2.0])
    for bad in (np.array([1.0, 2.1]), good.astype("float32"), good.reshape(1, 2)):
        with pytest.raises(AssertionError):
            assert_same(bad, good)
