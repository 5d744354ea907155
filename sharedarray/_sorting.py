"""Sorting functions."""

import numpy as np

from ._describe import export


def _kind(kind, stable):
    """NumPy's name of the algorithm asked for."""
    return kind if kind is not None else "stable" if stable else "quicksort"


@export
def sort(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """Sort a copy of an array along an axis.

    Parameters
    ----------
    axis : int or None, optional
        Axis to sort along; None sorts the flattened array.
    order : str or list of str, optional
        Fields of a structured array to compare by.
    descending : bool, optional
        Greatest first; NaN, which ascending order puts last, then stands first.
    stable : bool, optional
        Keep the order of equal elements.

    Returns
    -------
    out : Array
        The sorted elements.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.sort(xp.asarray([3, 1, 2]), descending=True))
    [3 2 1]
    """
    if axis is None:
        x, axis = x.ravel(), 0
    if not descending:
        result = x.copy(order="K")
        result.sort(axis, _kind(kind, stable), order)
        return result
    return np.flip(np.sort(np.flip(x, axis), axis, _kind(kind, stable), order), axis).copy()


@export
def argsort(x, /, axis=-1, kind=None, order=None, *, descending=False, stable=True):
    """Find the indices that sort an array along an axis.

    Parameters
    ----------
    axis : int or None, optional
        Axis to sort along; None sorts the flattened array.
    order : str or list of str, optional
        Fields of a structured array to compare by.
    descending : bool, optional
        Greatest first; NaN, which ascending order puts last, then stands first.
    stable : bool, optional
        Keep the order of equal elements.

    Returns
    -------
    out : Array
        The indices.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.argsort(xp.asarray([3, 1, 2]), descending=True))
    [0 2 1]
    """
    if axis is None:
        x, axis = x.ravel(), 0
    if not descending:
        return x.argsort(axis, _kind(kind, stable), order)
    result = np.flip(np.argsort(np.flip(x, axis), axis, _kind(kind, stable), order), axis)
    return x.shape[axis] - 1 - result
