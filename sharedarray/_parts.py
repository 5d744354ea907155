"""Elementwise functions that are no ufuncs of NumPy: bounds, parts of complex numbers, rounding."""

import numpy as np

from ._checks import guarded
from ._describe import export


@export(alias={"a_min": "min", "a_max": "max"})
def clip(x, /, min=None, max=None, out=None, *, where=True, casting="same_kind"):
    """Limit each element to a range.

    Parameters
    ----------
    min : scalar or Array or None, optional
        Lower bound; None for none.
    max : scalar or Array or None, optional
        Upper bound; None for none.

    Returns
    -------
    out : Array
        The limited elements. Bounds of another type of the same kind do not change the data type;
        bounds of another kind do (integers limited by floats are floats), as in NumPy. A bound
        that is NaN gives NaN.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.clip(xp.asarray([-2, 0, 7]), 0, 5))
    [0 0 5]
    """
    low, high = _bound(x, min), _bound(x, max)
    result = x
    if low is not None:
        result = np.maximum(result, low, out=out, where=where, casting=casting)
    if high is not None:
        result = np.minimum(result, high, out=out, where=where, casting=casting)
    if result is x:
        result = np.array(x) if out is None else out
        if out is not None:
            np.copyto(out, x, where=where, casting=casting)
    if out is None and result.dtype != x.dtype and result.dtype.kind in _SAME[x.dtype.kind]:
        return _narrow(result, x.dtype)
    return result


_SAME = {"b": "b", "i": "iu", "u": "iu", "f": "f", "c": "c", "m": "m", "M": "M"}


def _bound(x, bound):
    """A bound that NumPy can compare with `x` in its own data type, if it is a Python integer."""
    if type(bound) is int and x.dtype.kind in "iu":
        info = np.iinfo(x.dtype)
        low, high = int(info.min), int(info.max)
        return low if bound < low else high if bound > high else bound
    if type(bound) is list or type(bound) is tuple:
        return np.asarray(bound)
    return bound


def _narrow(result, dtype):
    """Convert to the data type of the input; integers out of its range become its limits."""
    if dtype.kind in "iu" and result.dtype.kind in "iu":
        info = np.iinfo(dtype)
        if result.dtype.kind == "i" or info.min == 0:
            result = np.maximum(result, np.array(info.min).astype(result.dtype))
        if np.iinfo(result.dtype).max > info.max:
            result = np.minimum(result, np.array(info.max).astype(result.dtype))
    return result.astype(dtype)


@export
def imag(x, /):
    """Take the imaginary part of each element.

    Returns
    -------
    out : Array
        A view of the imaginary parts; zeros for real input.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.imag(xp.asarray([1 + 2j, 3j])))
    [2. 3.]
    """
    return x.imag if x.dtype.kind == "c" else np.zeros_like(x)


@export
def real(x, /):
    """Take the real part of each element.

    Returns
    -------
    out : Array
        A view of the real parts; the input itself if it is real.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.real(xp.asarray([1 + 2j, 3j])))
    [1. 0.]
    """
    return x.real


@export(name="round", brief=np.ndarray.round, most=3, guard=guarded(np.round))
def round_(x, /, decimals=0, out=None):
    """Round each element to the nearest integer, or to a number of decimals; halves to even.

    Parameters
    ----------
    decimals : int, optional
        Decimals to keep; negative ones round to the left of the point.

    Returns
    -------
    out : Array
        The rounded elements, in the input's data type.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.round(xp.asarray([0.5, 1.5, 2.4])))
    [0. 2. 2.]
    """
    return x.round(decimals, out)
