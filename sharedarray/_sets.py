"""Set functions; all of them give sorted values."""

from typing import NamedTuple

import numpy as np

from ._array import Array
from ._describe import export


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: Array
    inverse_indices: Array


@export
def unique_all(x, /):
    """Find the distinct elements, where each comes first, where it occurs, and how often.

    Returns
    -------
    values : Array
        The distinct elements, sorted; every NaN counts as one of its own.
    indices : Array
        Index of the first occurrence of each value in the flattened input.
    inverse_indices : Array
        For each element of the input the index of its value, in the input's shape.
    counts : Array
        How often each value occurs.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.unique_all(xp.asarray([3, 1, 3])).counts)
    [1 2]
    """
    values, indices, inverse, counts = np.unique(x, True, True, True, equal_nan=False)
    return UniqueAllResult(values, indices, inverse.reshape(x.shape), counts)


@export
def unique_counts(x, /):
    """Find the distinct elements, and how often each occurs.

    Returns
    -------
    values : Array
        The distinct elements, sorted; every NaN counts as one of its own.
    counts : Array
        How often each value occurs.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.unique_counts(xp.asarray([3, 1, 3])).values)
    [1 3]
    """
    return UniqueCountsResult(*np.unique(x, return_counts=True, equal_nan=False))


@export
def unique_inverse(x, /):
    """Find the distinct elements, and where each occurs.

    Returns
    -------
    values : Array
        The distinct elements, sorted; every NaN counts as one of its own.
    inverse_indices : Array
        For each element of the input the index of its value, in the input's shape.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.unique_inverse(xp.asarray([3, 1, 3])).inverse_indices)
    [1 0 1]
    """
    values, inverse = np.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverseResult(values, inverse.reshape(x.shape))


@export
def unique_values(x, /):
    """Find the distinct elements.

    Returns
    -------
    out : Array
        The distinct elements, sorted; every NaN counts as one of its own.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.unique_values(xp.asarray([3, 1, 3])))
    [1 3]
    """
    return np.unique(x, equal_nan=False)


@export(arrays=0)
def isin(x1, x2, /, assume_unique=False, invert=False, *, kind=None):
    """Tell which elements of the first input occur in the second.

    Parameters
    ----------
    x1 : Array or scalar
        The elements to look for.
    x2 : Array or scalar
        The elements to look among.
    assume_unique : bool, optional
        Whether neither input holds an element twice, which is faster.
    invert : bool, optional
        Tell which elements do not occur.

    Returns
    -------
    out : Array
        Booleans, in the shape of `x1`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.isin(xp.asarray([1, 2, 3]), xp.asarray([2, 4])))
    [False  True False]
    """
    return np.isin(x1, x2, assume_unique, invert, kind=kind)
