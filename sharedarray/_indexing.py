"""Indexing functions."""

import numpy as np

from ._describe import export


@export(brief=np.ndarray.take, most=5)
def take(x, indices, /, axis=None, out=None, mode="raise"):
    """Take elements along an axis by their indices.

    Parameters
    ----------
    indices : Array of int
        The indices.
    axis : int or None, optional
        Axis to take along; None takes from the flattened array, which the standard allows for one
        dimension only.
    mode : str, optional
        What an index out of bounds does, as in NumPy: ``'raise'``, ``'wrap'`` or ``'clip'``.

    Returns
    -------
    out : Array
        The elements.

    Raises
    ------
    IndexError
        If an index is out of bounds.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.take(xp.asarray([5, 6, 7]), xp.asarray([2, 0])))
    [7 5]
    """
    return x.take(indices, axis, out, mode)


@export(arrays=2)
def take_along_axis(x, indices, /, axis=-1):
    """Take elements by indices that differ from line to line along an axis.

    Parameters
    ----------
    indices : Array of int
        The indices, with as many dimensions as `x`, as `argsort` gives them.
    axis : int or None, optional
        Axis the indices are for; None takes from the flattened array.

    Returns
    -------
    out : Array
        The elements, in the shape of `indices` broadcast against `x`.

    Raises
    ------
    IndexError
        If an index is out of bounds.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.asarray([[3, 1], [2, 4]])
    >>> print(xp.take_along_axis(x, xp.argsort(x)))
    [[1 3]
     [2 4]]
    """
    return np.take_along_axis(x, indices, axis)
