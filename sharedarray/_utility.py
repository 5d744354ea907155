"""Utility functions: truth of arrays, and differences."""

import numpy as np

from ._describe import NEW, export


@export
def all_(x, /, axis=None, out=None, keepdims=False, *, where=True):
    """Tell whether all elements are true, altogether or along axes.

    Returns
    -------
    out : Array
        Booleans; True where there are no elements.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.all(xp.asarray([[True, False], [True, True]]), axis=1))
    [False  True]
    """
    return np.logical_and.reduce(
        x, axis, None, out=NEW if out is None else out, keepdims=keepdims, where=where
    )


@export
def any_(x, /, axis=None, out=None, keepdims=False, *, where=True):
    """Tell whether any element is true, altogether or along axes.

    Returns
    -------
    out : Array
        Booleans; False where there are no elements.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.any(xp.asarray([[True, False], [False, False]]), axis=1))
    [ True False]
    """
    return np.logical_or.reduce(
        x, axis, None, out=NEW if out is None else out, keepdims=keepdims, where=where
    )


@export(brief=np.diff, most=3)
def diff(x, /, n=1, axis=-1, prepend=None, append=None):
    """Compute the differences of neighbours along an axis.

    Parameters
    ----------
    n : int, optional
        How many times to take differences.
    prepend : Array or scalar, optional
        Elements put before the first along the axis.
    append : Array or scalar, optional
        Elements put behind the last along the axis.

    Returns
    -------
    out : Array
        The differences; shorter by `n` along the axis.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.diff(xp.asarray([1, 4, 9, 16])))
    [3 5 7]
    """
    missing = np._NoValue
    return np.diff(
        x, n, axis, missing if prepend is None else prepend, missing if append is None else append
    )
