"""Searching functions."""

import numpy as np

from ._describe import export


@export(brief=np.ndarray.argmax, most=3)
def argmax(x, /, axis=None, out=None, *, keepdims=False):
    """Find the index of the greatest element, or of the greatest along an axis.

    Returns
    -------
    out : Array
        The indices, of the first one where several are greatest; into the flattened array where
        `axis` is None.

    Raises
    ------
    ValueError
        If there are no elements to choose from.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.argmax(xp.asarray([1, 7, 3])))
    1
    """
    return x.argmax(axis, out, keepdims=keepdims)


@export(brief=np.ndarray.argmin, most=3)
def argmin(x, /, axis=None, out=None, *, keepdims=False):
    """Find the index of the least element, or of the least along an axis.

    Returns
    -------
    out : Array
        The indices, of the first one where several are least; into the flattened array where
        `axis` is None.

    Raises
    ------
    ValueError
        If there are no elements to choose from.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.argmin(xp.asarray([4, 7, 3])))
    2
    """
    return x.argmin(axis, out, keepdims=keepdims)


@export
def count_nonzero(x, /, axis=None, *, keepdims=False):
    """Count the elements that are not zero, altogether or along axes.

    Returns
    -------
    out : Array
        The numbers, in the default integer type.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.count_nonzero(xp.asarray([[0, 1], [2, 3]]), axis=0))
    [1 2]
    """
    return np.asarray(np.count_nonzero(x, axis, keepdims=keepdims), dtype=np.intp)


@export(brief=np.ndarray.nonzero, most=1)
def nonzero(x, /):
    """Find the indices of the elements that are not zero.

    Returns
    -------
    out : tuple of Array
        One array of indices for each dimension.

    Raises
    ------
    ValueError
        If `x` has no dimensions.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.nonzero(xp.asarray([0, 3, 5]))[0])
    [1 2]
    """
    return x.nonzero()


@export(brief=np.ndarray.searchsorted, most=4)
def searchsorted(x1, x2, /, side="left", sorter=None):
    """Find where elements would go in a sorted array to keep it sorted.

    Parameters
    ----------
    x1 : Array
        Sorted one-dimensional array, or any if `sorter` sorts it.
    x2 : Array or scalar
        The elements to place.
    side : str, optional
        ``'left'``: before equal elements; ``'right'``: behind them.
    sorter : Array of int, optional
        Indices that sort `x1`, as `argsort` gives.

    Returns
    -------
    out : Array
        Indices, in the shape of `x2`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.searchsorted(xp.asarray([1, 3, 5]), xp.asarray([2, 3])))
    [1 1]
    """
    return x1.searchsorted(x2, side, sorter)


@export(direct=np.where)
def where(condition, x1=None, x2=None, /):
    """Choose elements of one of two arrays, by a condition.

    Parameters
    ----------
    condition : Array of bool
        Where True, elements of `x1` are taken; else of `x2`.
    x1 : Array or scalar, optional
        First source. Without both sources this is `nonzero`, as in NumPy.
    x2 : Array or scalar, optional
        Second source.

    Returns
    -------
    out : Array
        The chosen elements, in the common data type of the sources.

    Raises
    ------
    ValueError
        If just one source is given, or the shapes cannot be broadcast.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0))
    [1 0]
    """
