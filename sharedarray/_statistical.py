"""Statistical functions: reductions and cumulative sums."""

import numpy as np

from ._checks import guarded
from ._describe import NEW, export

_MISSING = np._NoValue


@export
def max_(x, /, axis=None, out=None, keepdims=False, initial=_MISSING, where=True):
    """Find the greatest element, or the greatest along axes.

    Returns
    -------
    out : Array
        The maxima, in the input's data type; NaN where any element is.

    Raises
    ------
    ValueError
        If there are no elements and no `initial` is given.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.max(xp.asarray([[1, 5], [7, 3]]), axis=0))
    [7 5]
    """
    return np.maximum.reduce(
        x,
        axis,
        None,
        out=NEW if out is None else out,
        keepdims=keepdims,
        initial=initial,
        where=where,
    )


@export
def min_(x, /, axis=None, out=None, keepdims=False, initial=_MISSING, where=True):
    """Find the least element, or the least along axes.

    Returns
    -------
    out : Array
        The minima, in the input's data type; NaN where any element is.

    Raises
    ------
    ValueError
        If there are no elements and no `initial` is given.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.min(xp.asarray([[1, 5], [7, 3]]), axis=0))
    [1 3]
    """
    return np.minimum.reduce(
        x,
        axis,
        None,
        out=NEW if out is None else out,
        keepdims=keepdims,
        initial=initial,
        where=where,
    )


@export
def sum_(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=_MISSING, where=True):
    """Add up the elements, all of them or along axes.

    Returns
    -------
    out : Array
        The sums; integers narrower than the default are added as default integers.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=1))
    [3 7]
    """
    return np.add.reduce(
        x,
        axis,
        dtype,
        out=NEW if out is None else out,
        keepdims=keepdims,
        initial=initial,
        where=where,
    )


@export
def prod(x, /, axis=None, dtype=None, out=None, keepdims=False, initial=_MISSING, where=True):
    """Multiply the elements, all of them or along axes.

    Returns
    -------
    out : Array
        The products; integers narrower than the default are multiplied as default integers.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.prod(xp.asarray([[1, 2], [3, 4]]), axis=1))
    [ 2 12]
    """
    return np.multiply.reduce(
        x,
        axis,
        dtype,
        out=NEW if out is None else out,
        keepdims=keepdims,
        initial=initial,
        where=where,
    )


@export(guard=guarded(np.mean))
def mean(x, /, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Compute the arithmetic mean, of all elements or along axes.

    Returns
    -------
    out : Array
        The means; of integers, in the default floating-point type.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.mean(xp.asarray([1.0, 2.0, 6.0])))
    3.0
    """
    return x.mean(axis, dtype, out, keepdims=keepdims, where=where)


@export(brief=np.ndarray.std, most=4, guard=guarded(np.std))
def std(
    x,
    /,
    axis=None,
    dtype=None,
    out=None,
    ddof=None,
    keepdims=False,
    *,
    correction=0.0,
    where=True,
    mean=None,
):
    """Compute the standard deviation, of all elements or along axes.

    Parameters
    ----------
    correction : float, optional
        The sum of squares is divided by the number of elements less this: 0 for a population,
        1 for a sample.
    mean : Array, optional
        The means, where they are known, with the reduced axes kept.

    Returns
    -------
    out : Array
        The standard deviations.

    Raises
    ------
    ValueError
        If both `correction` and `ddof` are given.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.std(xp.asarray([1.0, 2.0, 3.0]), correction=1))
    1.0
    """
    ddof = _freedom(ddof, correction)
    known = {} if mean is None else {"mean": mean}
    return x.std(axis, dtype, out, ddof, keepdims=keepdims, where=where, **known)


@export(brief=np.ndarray.var, most=4, guard=guarded(np.var))
def var(
    x,
    /,
    axis=None,
    dtype=None,
    out=None,
    ddof=None,
    keepdims=False,
    *,
    correction=0.0,
    where=True,
    mean=None,
):
    """Compute the variance, of all elements or along axes.

    Parameters
    ----------
    correction : float, optional
        The sum of squares is divided by the number of elements less this: 0 for a population,
        1 for a sample.
    mean : Array, optional
        The means, where they are known, with the reduced axes kept.

    Returns
    -------
    out : Array
        The variances.

    Raises
    ------
    ValueError
        If both `correction` and `ddof` are given.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.var(xp.asarray([1.0, 2.0, 3.0]), correction=1))
    1.0
    """
    ddof = _freedom(ddof, correction)
    known = {} if mean is None else {"mean": mean}
    return x.var(axis, dtype, out, ddof, keepdims=keepdims, where=where, **known)


def _freedom(ddof, correction):
    """The one correction to the number of elements that was asked for; integers take less time."""
    if ddof is None:
        return 0 if correction == 0 else correction
    if correction not in (0, ddof):
        raise ValueError(f"ddof={ddof} and correction={correction} disagree: give one of them")
    return ddof


@export(guard=guarded(np.cumulative_sum))
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Add up the elements before and at each place along an axis.

    Parameters
    ----------
    axis : int, optional
        May be left out for one dimension only.
    include_initial : bool, optional
        Begin with a zero; the result is then longer by one.

    Returns
    -------
    out : Array
        The cumulative sums.

    Raises
    ------
    ValueError
        If `axis` is None and there is more than one dimension.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True))
    [0 1 3 6]
    """
    return np.cumulative_sum(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)


@export(guard=guarded(np.cumulative_prod))
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Multiply the elements before and at each place along an axis.

    Parameters
    ----------
    axis : int, optional
        May be left out for one dimension only.
    include_initial : bool, optional
        Begin with a one; the result is then longer by one.

    Returns
    -------
    out : Array
        The cumulative products.

    Raises
    ------
    ValueError
        If `axis` is None and there is more than one dimension.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.cumulative_prod(xp.asarray([1, 2, 3])))
    [1 2 6]
    """
    return np.cumulative_prod(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)
