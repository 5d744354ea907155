"""Creation functions: arrays of given shapes and values, made on a device."""

import numpy as np

from ._describe import export
from ._devices import resolve
from ._fill import filled


def _like(x, dtype, order, shape):
    """What NumPy's functions that make arrays like another take."""
    return {"dtype": dtype, "order": order, "subok": False, "shape": shape}


@export(arrays=0)
def arange(start, /, stop=None, step=1, dtype=None, *, device=None, like=None):
    """Make evenly spaced numbers in a half-open range.

    Parameters
    ----------
    start : int or float
        First number; where `stop` is left out it is the end, and the range begins at 0.
    stop : int or float, optional
        End of the range, not included.
    step : int or float, optional
        Distance of neighbours; may be negative.

    Returns
    -------
    out : Array
        One-dimensional.

    Raises
    ------
    ZeroDivisionError
        If `step` is zero.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.arange(2, 8, 2))
    [2 4 6]
    """
    if device is not None:
        resolve(device)
    if stop is None:
        start, stop = 0, start
    return np.arange(start, stop, step, dtype)


@export(arrays=0, written=False, brief=np.empty, most=3)
def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """Make an array without setting its elements.

    Returns
    -------
    out : Array
        Its elements are whatever the memory holds, zeros at first use.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.empty((2, 3)).shape
    (2, 3)
    """
    if device is not None:
        resolve(device)
    return np.empty(shape, dtype, order)


@export(written=False, brief=np.empty_like, most=3)
def empty_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array of another's shape and type without setting its elements.

    Parameters
    ----------
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    out : Array
        Its elements are whatever the memory holds.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.empty_like(xp.zeros((2, 3))).shape
    (2, 3)
    """
    if device is not None:
        resolve(device)
    return np.empty_like(x, **_like(x, dtype, order, shape))


@export(arrays=0, written=False, alias={"N": "n_rows", "M": "n_cols"})
def eye(n_rows, n_cols=None, /, k=0, dtype=None, order="C", *, device=None, like=None):
    """Make a matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    n_cols : int, optional
        Number of columns; by default that of rows.

    Returns
    -------
    out : Array
        The matrix.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.eye(2, dtype=xp.int8))
    [[1 0]
     [0 1]]
    """
    if device is not None:
        resolve(device)
    return np.eye(n_rows, n_cols, k, float if dtype is None else dtype, order)


@export(arrays=0, written=False)
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """Make an array of equal elements.

    Parameters
    ----------
    fill_value : scalar or Array
        The value; an array is broadcast.

    Returns
    -------
    out : Array
        Filled with the value, in its data type if none is given.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.full(3, 7))
    [7 7 7]
    """
    if device is not None:
        resolve(device)
    if dtype is None:
        dtype = np.asarray(fill_value).dtype
    return filled(np.empty(shape, dtype, order), fill_value)


@export(written=False)
def full_like(x, /, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array of another's shape and type, of equal elements.

    Parameters
    ----------
    fill_value : scalar or Array
        The value; an array is broadcast.
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    out : Array
        Filled with the value.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.full_like(xp.zeros(2), 1.5))
    [1.5 1.5]
    """
    if device is not None:
        resolve(device)
    return filled(np.empty_like(x, **_like(x, dtype, order, shape)), fill_value)


@export(arrays=0)
def linspace(
    start, stop, /, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None
):
    """Make a number of evenly spaced numbers over an interval.

    Parameters
    ----------
    start : scalar or Array
        First number.
    stop : scalar or Array
        Last number, or the end of a half-open interval.
    num : int, optional
        How many.
    endpoint : bool, optional
        Whether `stop` is the last number.
    retstep : bool, optional
        Return the distance of neighbours as well.
    axis : int, optional
        Where the new axis stands if `start` or `stop` is an array.

    Returns
    -------
    out : Array
        The numbers.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.linspace(0.0, 1.0, 3))
    [0.  0.5 1. ]
    """
    if device is not None:
        resolve(device)
    return np.linspace(start, stop, num, endpoint, retstep, dtype, axis)


@export(arrays=0)
def meshgrid(*arrays, indexing="xy", copy=True, sparse=False):
    """Make coordinate arrays of one-dimensional coordinates.

    Parameters
    ----------
    indexing : {'xy', 'ij'}, optional
        Whether the first two axes are exchanged, as in pictures, or not.
    copy : bool, optional
        False: return views.
    sparse : bool, optional
        Return arrays that are broadcast together.

    Returns
    -------
    out : tuple of Array
        One for each argument.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x, y = xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3, 4]))
    >>> print(y)
    [[3 3]
     [4 4]]
    """
    return tuple(np.meshgrid(*arrays, indexing=indexing, copy=copy, sparse=sparse))


@export(arrays=0, written=False)
def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """Make an array of ones.

    Returns
    -------
    out : Array
        Filled with ones.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.ones(2))
    [1. 1.]
    """
    if device is not None:
        resolve(device)
    return filled(np.empty(shape, dtype, order), 1)


@export(written=False)
def ones_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array of another's shape and type, of ones.

    Parameters
    ----------
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    out : Array
        Filled with ones.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.ones_like(xp.asarray([5, 6])))
    [1 1]
    """
    if device is not None:
        resolve(device)
    return filled(np.empty_like(x, **_like(x, dtype, order, shape)), 1)


@export
def tril(x, /, k=0):
    """Copy the lower triangle of each matrix, with zeros above.

    Returns
    -------
    out : Array
        Zero above the diagonal `k`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.tril(xp.ones((2, 2))))
    [[1. 0.]
     [1. 1.]]
    """
    return np.tril(x, k)


@export
def triu(x, /, k=0):
    """Copy the upper triangle of each matrix, with zeros below.

    Returns
    -------
    out : Array
        Zero below the diagonal `k`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.triu(xp.ones((2, 2))))
    [[1. 1.]
     [0. 1.]]
    """
    return np.triu(x, k)


@export(arrays=0, written=False, brief=np.zeros, most=3)
def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """Make an array of zeros.

    Returns
    -------
    out : Array
        Filled with zeros; its memory is committed when first written.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.zeros(2))
    [0. 0.]
    """
    if device is not None:
        resolve(device)
    return np.zeros(shape, dtype, order)


@export(written=False, brief=np.zeros_like, most=3)
def zeros_like(x, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array of another's shape and type, of zeros.

    Parameters
    ----------
    shape : int or tuple of int, optional
        Another shape.

    Returns
    -------
    out : Array
        Filled with zeros.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.zeros_like(xp.asarray([5, 6])))
    [0 0]
    """
    if device is not None:
        resolve(device)
    return np.zeros_like(x, **_like(x, dtype, order, shape))
