"""The methods of ndarray that select and sort."""

from ._array cimport Array, below, extend, operand, scoped_method
from ._checks cimport guard_of

import numpy as np


cdef object given(object x):
    """Return an argument of a method as NumPy takes it: converted outside the scope."""
    cdef object converted = operand(x)
    return np.asarray(x) if converted is NotImplemented else converted


cdef object places(object x):
    """Return integers as NumPy takes them: an empty sequence is one of integers."""
    cdef object a = given(x)
    if isinstance(x, (list, tuple)) and a.size == 0:
        return a.astype(np.intp)
    return a


# Selection


def take(Array self, indices, axis=None, out=None, mode="raise"):
    """Return the elements at indices along an axis.

    Parameters
    ----------
    indices : array of ints
        Which.
    axis : int, optional
        Axis; default the flattened array.
    out : array, optional
        Where to put the result.
    mode : {'raise', 'wrap', 'clip'}, optional
        What to do with an index out of range.

    Returns
    -------
    Array
        The elements, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([10, 20, 30]).take([2, 0])
    Array([30, 10], dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "take", (places(indices),), {"axis": axis, "mode": mode}, out)


def put(Array self, indices, values, mode="raise"):
    """Set elements of the flattened array, in place.

    Parameters
    ----------
    indices : array of ints
        Which.
    values : array
        Their values, repeated if there are too few.
    mode : {'raise', 'wrap', 'clip'}, optional
        What to do with an index out of range.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(3, dtype=int)
    >>> x.put([0, 2], 5)
    >>> x
    Array([5, 0, 5], dtype=int64, device='cpu', shared)
    """
    cdef tuple args = (places(indices), given(values), mode)
    if mode == "raise":
        guard_of(np.put)(np.put, (below(self), *args), {})
    (<object>below(self)).put(*args)


def choose(Array self, choices, out=None, mode="raise"):
    """Return elements taken from several arrays, of which these are the numbers.

    Parameters
    ----------
    choices : sequence of arrays
        What to choose from.
    out : array, optional
        Where to put the result.
    mode : {'raise', 'wrap', 'clip'}, optional
        What to do with a number out of range.

    Returns
    -------
    Array
        The elements, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([0, 1, 0]).choose([[1, 2, 3], [10, 20, 30]])
    Array([ 1, 20,  3], dtype=int64, device='cpu', shared)
    """
    if isinstance(choices, (list, tuple)):
        choices = [given(c) for c in choices]
    else:
        choices = given(choices)
    return scoped_method(self, "choose", (choices,), {"mode": mode}, out)


def compress(Array self, condition, axis=None, out=None):
    """Return the slices along an axis for which a condition holds.

    Parameters
    ----------
    condition : array of bools
        One for each slice; missing ones count as false.
    axis : int, optional
        Axis; default the flattened array.
    out : array, optional
        Where to put the result.

    Returns
    -------
    Array
        The slices, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 2, 3]).compress([True, False, True])
    Array([1, 3], dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "compress", (given(condition),), {"axis": axis}, out)


def repeat(Array self, repeats, axis=None):
    """Return each element several times.

    Parameters
    ----------
    repeats : int or array of ints
        How often.
    axis : int, optional
        Axis; default the flattened array.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 2]).repeat(2)
    Array([1, 1, 2, 2], dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "repeat", (places(repeats), axis), None, None)


def nonzero(Array self):
    """Return the indices of the elements that are not zero, one Array for each axis.

    Returns
    -------
    tuple of Arrays

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([0, 3, 0, 4]).nonzero()
    (Array([1, 3], dtype=int64, device='cpu', shared),)
    """
    return scoped_method(self, "nonzero", (), None, None)


def searchsorted(Array self, v, side="left", sorter=None):
    """Return where to insert values so that this sorted array stays sorted.

    Parameters
    ----------
    v : array
        The values.
    side : {'left', 'right'}, optional
        Before or after equal elements.
    sorter : array of ints, optional
        Indices that sort this array.

    Returns
    -------
    Array
        Indices.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 2, 4]).searchsorted([3, 5])
    Array([2, 3], dtype=int64, device='cpu', shared)
    """
    sorter = None if sorter is None else given(sorter)
    return scoped_method(self, "searchsorted", (given(v),), {"side": side, "sorter": sorter}, None)


# Sorting


def sort(Array self, axis=-1, kind=None, order=None, *, stable=None, descending=None):
    """Sort the elements along an axis, in place.

    Parameters
    ----------
    axis : int, optional
        Axis.
    kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}, optional
        Algorithm.
    order : str or list of str, optional
        Fields to compare, of a structured dtype.
    stable : bool, optional
        Keep equal elements in order.
    descending : bool, optional
        From the largest to the smallest; takes NumPy 2.5.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.asarray([3, 1, 2])
    >>> x.sort()
    >>> x
    Array([1, 2, 3], dtype=int64, device='cpu', shared)
    """
    options = {} if descending is None else {"descending": descending}
    (<object>below(self)).sort(axis=axis, kind=kind, order=order, stable=stable, **options)


def argsort(Array self, axis=-1, kind=None, order=None, *, stable=None, descending=None):
    """Return the indices that sort along an axis.

    Parameters
    ----------
    axis : int, optional
        Axis; None: the flattened array.
    kind : {'quicksort', 'mergesort', 'heapsort', 'stable'}, optional
        Algorithm.
    order : str or list of str, optional
        Fields to compare, of a structured dtype.
    stable : bool, optional
        Keep equal elements in order.
    descending : bool, optional
        From the largest to the smallest; takes NumPy 2.5.

    Returns
    -------
    Array
        Indices.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([3, 1, 2]).argsort()
    Array([1, 2, 0], dtype=int64, device='cpu', shared)
    """
    options = {"kind": kind, "order": order, "stable": stable}
    if descending is not None:
        options["descending"] = descending
    return scoped_method(self, "argsort", (axis,), options, None)


def partition(Array self, kth, axis=-1, kind="introselect", order=None):
    """Put the k-th smallest element where sorting would, in place, smaller ones before it.

    Parameters
    ----------
    kth : int or sequence of ints
        Which positions.
    axis : int, optional
        Axis.
    kind : {'introselect'}, optional
        Algorithm.
    order : str or list of str, optional
        Fields to compare, of a structured dtype.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.asarray([4, 1, 3, 2])
    >>> x.partition(1)
    >>> int(x[1])
    2
    """
    (<object>below(self)).partition(given(kth), axis=axis, kind=kind, order=order)


def argpartition(Array self, kth, axis=-1, kind="introselect", order=None):
    """Return the indices that `partition` would use.

    Parameters
    ----------
    kth : int or sequence of ints
        Which positions.
    axis : int, optional
        Axis; None: the flattened array.
    kind : {'introselect'}, optional
        Algorithm.
    order : str or list of str, optional
        Fields to compare, of a structured dtype.

    Returns
    -------
    Array
        Indices.

    Examples
    --------
    >>> import sharedarray as xp
    >>> int(xp.asarray([4, 1, 3, 2]).argpartition(0)[0])
    1
    """
    return scoped_method(self, "argpartition", (given(kth),),
                         {"axis": axis, "kind": kind, "order": order}, None)


extend({f.__name__: f for f in (
    take, put, choose, compress, repeat, nonzero, searchsorted, sort, argsort, partition,
    argpartition,
)})
