"""The methods that Array has in common with NumPy's ndarray."""

from ._array cimport Array, extend, operand, scoped_method

import numpy as np

cdef object NoValue = np._NoValue


cdef object given(object x):
    """Return an argument of a method as NumPy takes it: converted outside the scope."""
    cdef object converted = operand(x)
    if converted is NotImplemented:
        return np.asarray(x)
    return converted


cdef object reduce(Array x, str name, object axis, object dtype, object out, object keepdims,
                   object initial, object where, dict more):
    """Call a reduction of the ndarray with what differs from the defaults; `more` may be None."""
    if out is None and keepdims is False and initial is NoValue and where is True and more is None:
        if axis is None and dtype is None:
            return scoped_method(x, name, (), None, None)
        return scoped_method(x, name, (axis,) if dtype is None else (axis, dtype), None, None)
    if more is None:
        more = {}
    more["axis"] = axis
    if dtype is not None:
        more["dtype"] = dtype
    if keepdims is not False:
        more["keepdims"] = keepdims
    if initial is not NoValue:
        more["initial"] = initial
    if where is not True:
        more["where"] = given(where)
    return scoped_method(x, name, (), more, out)


# Reductions


def sum(Array self, axis=None, dtype=None, out=None, keepdims=False, initial=NoValue, where=True):
    """Return the sum of the elements along axes.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to sum over; default all.
    dtype : dtype, optional
        Data type to sum in.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axes, with length 1.
    initial : scalar, optional
        Value to start with.
    where : array of bools, optional
        Elements to include.

    Returns
    -------
    Array
        The sums, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.ones((2, 3)).sum(axis=0)
    Array([2., 2., 2.], dtype=float64, device='cpu', shared)
    """
    return reduce(self, "sum", axis, dtype, out, keepdims, initial, where, None)


def prod(Array self, axis=None, dtype=None, out=None, keepdims=False, initial=NoValue, where=True):
    """Return the product of the elements along axes.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to multiply over; default all.
    dtype : dtype, optional
        Data type to multiply in.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axes, with length 1.
    initial : scalar, optional
        Value to start with.
    where : array of bools, optional
        Elements to include.

    Returns
    -------
    Array
        The products, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([2, 3, 4]).prod()
    Array(24, dtype=int64, device='cpu', shared)
    """
    return reduce(self, "prod", axis, dtype, out, keepdims, initial, where, None)


def mean(Array self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Return the mean of the elements along axes.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to average over; default all.
    dtype : dtype, optional
        Data type to compute in.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axes, with length 1.
    where : array of bools, optional
        Elements to include.

    Returns
    -------
    Array
        The means, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.0, 2.0, 6.0]).mean()
    Array(3., dtype=float64, device='cpu', shared)
    """
    return reduce(self, "mean", axis, dtype, out, keepdims, NoValue, where, None)


def std(Array self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True,
        mean=NoValue, correction=NoValue):
    """Return the standard deviation of the elements along axes.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to reduce; default all.
    dtype : dtype, optional
        Data type to compute in.
    out : array, optional
        Where to put the result.
    ddof : float, optional
        What is taken from the number of elements in the divisor.
    keepdims : bool, optional
        Keep the axes, with length 1.
    where : array of bools, optional
        Elements to include.
    mean : array, optional
        The mean, where it is known.
    correction : float, optional
        The standard's name for `ddof`.

    Returns
    -------
    Array
        The deviations, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.0, 3.0]).std()
    Array(1., dtype=float64, device='cpu', shared)
    """
    return spread(self, "std", axis, dtype, out, ddof, keepdims, where, mean, correction)


def var(Array self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True,
        mean=NoValue, correction=NoValue):
    """Return the variance of the elements along axes.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to reduce; default all.
    dtype : dtype, optional
        Data type to compute in.
    out : array, optional
        Where to put the result.
    ddof : float, optional
        What is taken from the number of elements in the divisor.
    keepdims : bool, optional
        Keep the axes, with length 1.
    where : array of bools, optional
        Elements to include.
    mean : array, optional
        The mean, where it is known.
    correction : float, optional
        The standard's name for `ddof`.

    Returns
    -------
    Array
        The variances, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.0, 3.0]).var(ddof=1)
    Array(2., dtype=float64, device='cpu', shared)
    """
    return spread(self, "var", axis, dtype, out, ddof, keepdims, where, mean, correction)


cdef object spread(Array x, str name, object axis, object dtype, object out, object ddof,
                   object keepdims, object where, object mean, object correction):
    """Call `std` or `var`."""
    cdef dict more = None
    if correction is not NoValue:
        if ddof != 0:
            raise ValueError("ddof and correction are the same thing: give one of them")
        ddof = correction
    if ddof != 0 or mean is not NoValue:
        more = {"ddof": ddof}
        if mean is not NoValue:
            more["mean"] = given(mean)
    return reduce(x, name, axis, dtype, out, keepdims, NoValue, where, more)


def min(Array self, axis=None, out=None, keepdims=False, initial=NoValue, where=True):
    """Return the smallest elements along axes.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to reduce; default all.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axes, with length 1.
    initial : scalar, optional
        The result where there are no elements, and its upper bound.
    where : array of bools, optional
        Elements to include.

    Returns
    -------
    Array
        The minima, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([3, 1, 2]).min()
    Array(1, dtype=int64, device='cpu', shared)
    """
    return reduce(self, "min", axis, None, out, keepdims, initial, where, None)


def max(Array self, axis=None, out=None, keepdims=False, initial=NoValue, where=True):
    """Return the largest elements along axes.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to reduce; default all.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axes, with length 1.
    initial : scalar, optional
        The result where there are no elements, and its lower bound.
    where : array of bools, optional
        Elements to include.

    Returns
    -------
    Array
        The maxima, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([[3, 1], [2, 5]]).max(axis=1)
    Array([3, 5], dtype=int64, device='cpu', shared)
    """
    return reduce(self, "max", axis, None, out, keepdims, initial, where, None)


def all(Array self, axis=None, out=None, keepdims=False, *, where=True):
    """Return whether all elements along axes are true.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to reduce; default all.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axes, with length 1.
    where : array of bools, optional
        Elements to include.

    Returns
    -------
    Array
        Booleans, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([True, False]).all()
    Array(False, dtype=bool, device='cpu', shared)
    """
    return reduce(self, "all", axis, None, out, keepdims, NoValue, where, None)


def any(Array self, axis=None, out=None, keepdims=False, *, where=True):
    """Return whether any element along axes is true.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        Axes to reduce; default all.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axes, with length 1.
    where : array of bools, optional
        Elements to include.

    Returns
    -------
    Array
        Booleans, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([True, False]).any()
    Array(True, dtype=bool, device='cpu', shared)
    """
    return reduce(self, "any", axis, None, out, keepdims, NoValue, where, None)


def argmin(Array self, axis=None, out=None, *, keepdims=False):
    """Return the index of the smallest element along an axis.

    Parameters
    ----------
    axis : int, optional
        Axis to search; default the flattened array.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axis, with length 1.

    Returns
    -------
    Array
        Indices, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([3, 1, 2]).argmin()
    Array(1, dtype=int64, device='cpu', shared)
    """
    return reduce(self, "argmin", axis, None, out, keepdims, NoValue, True, None)


def argmax(Array self, axis=None, out=None, *, keepdims=False):
    """Return the index of the largest element along an axis.

    Parameters
    ----------
    axis : int, optional
        Axis to search; default the flattened array.
    out : array, optional
        Where to put the result.
    keepdims : bool, optional
        Keep the axis, with length 1.

    Returns
    -------
    Array
        Indices, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([3, 1, 2]).argmax()
    Array(0, dtype=int64, device='cpu', shared)
    """
    return reduce(self, "argmax", axis, None, out, keepdims, NoValue, True, None)


def cumsum(Array self, axis=None, dtype=None, out=None):
    """Return the running sums along an axis.

    Parameters
    ----------
    axis : int, optional
        Axis; default the flattened array.
    dtype : dtype, optional
        Data type to sum in.
    out : array, optional
        Where to put the result.

    Returns
    -------
    Array
        The sums, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 2, 3]).cumsum()
    Array([1, 3, 6], dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "cumsum", (axis, dtype), None, out)


def cumprod(Array self, axis=None, dtype=None, out=None):
    """Return the running products along an axis.

    Parameters
    ----------
    axis : int, optional
        Axis; default the flattened array.
    dtype : dtype, optional
        Data type to multiply in.
    out : array, optional
        Where to put the result.

    Returns
    -------
    Array
        The products, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 2, 3]).cumprod()
    Array([1, 2, 6], dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "cumprod", (axis, dtype), None, out)


def trace(Array self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Return the sum along a diagonal.

    Parameters
    ----------
    offset : int, optional
        Diagonal, above (positive) or below the main one.
    axis1, axis2 : int, optional
        Axes of the matrices.
    dtype : dtype, optional
        Data type to sum in.
    out : array, optional
        Where to put the result.

    Returns
    -------
    Array
        The sums, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([[1, 2], [3, 4]]).trace()
    Array(5, dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "trace", (offset, axis1, axis2, dtype), None, out)


# Arithmetic


def clip(Array self, min=None, max=None, out=None, **kwargs):
    """Return the elements limited to a range.

    Parameters
    ----------
    min, max : array or scalar, optional
        Limits.
    out : array, optional
        Where to put the result.
    **kwargs : object
        Options of ufuncs, such as ``casting``.

    Returns
    -------
    Array
        The elements, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 5, 9]).clip(2, 6)
    Array([2, 5, 6], dtype=int64, device='cpu', shared)
    """
    low = None if min is None else given(min)
    high = None if max is None else given(max)
    return scoped_method(self, "clip", (low, high), dict(kwargs), out)


def round(Array self, decimals=0, out=None):
    """Return the elements rounded to decimals.

    Parameters
    ----------
    decimals : int, optional
        Number of decimals; negative: positions before the point.
    out : array, optional
        Where to put the result.

    Returns
    -------
    Array
        The elements, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.26, 2.5]).round(1)
    Array([1.3, 2.5], dtype=float64, device='cpu', shared)
    """
    return scoped_method(self, "round", (decimals,), None, out)


def conj(Array self):
    """Return the complex conjugates.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1 + 2j]).conj()
    Array([1.-2.j], dtype=complex128, device='cpu', shared)
    """
    return scoped_method(self, "conj", (), None, None)


def conjugate(Array self):
    """Return the complex conjugates; the same as `conj`.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1 + 2j]).conjugate()
    Array([1.-2.j], dtype=complex128, device='cpu', shared)
    """
    return scoped_method(self, "conjugate", (), None, None)


def dot(Array self, other, out=None):
    """Return the dot product with another array.

    Parameters
    ----------
    other : array
        The other array.
    out : array, optional
        Where to put the result.

    Returns
    -------
    Array
        The product, or `out`.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 2]).dot(xp.asarray([3, 4]))
    Array(11, dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "dot", (given(other),), None, out)


extend({f.__name__: f for f in (
    sum, prod, mean, std, var, min, max, all, any, argmin, argmax, cumsum, cumprod, trace,
    clip, round, conj, conjugate, dot,
)})
