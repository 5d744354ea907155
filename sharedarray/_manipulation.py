"""Manipulation functions: shapes, order, joining and repeating."""

import numpy as np

from ._checks import guarded
from ._describe import export


@export(arrays=0)
def broadcast_arrays(*arrays, subok=False):
    """Give arrays a common shape by repeating them without a copy.

    Returns
    -------
    out : tuple of Array
        Views; several elements may lie at one place in memory.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast.

    Examples
    --------
    >>> import sharedarray as xp
    >>> a, b = xp.broadcast_arrays(xp.zeros((2, 1)), xp.zeros(3))
    >>> a.shape, b.shape
    ((2, 3), (2, 3))
    """
    return tuple(np.broadcast_arrays(*arrays))


@export(arrays=0)
def broadcast_shapes(*shapes):
    """Compute the shape that arrays of some shapes have together.

    Parameters
    ----------
    *shapes : tuple of int
        The shapes; a length may be None, for unknown.

    Returns
    -------
    out : tuple of int
        The common shape; None where a length is unknown.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    if not any(type(shape) is tuple and None in shape for shape in shapes):
        return np.broadcast_shapes(*shapes)
    result = []
    width = max(len(shape) for shape in shapes)
    for lengths in zip(*((1,) * (width - len(shape)) + shape for shape in shapes), strict=True):
        known = {length for length in lengths if length not in (1, None)}
        if len(known) > 1:
            raise ValueError(f"shapes {shapes} cannot be broadcast: lengths {sorted(known)} differ")
        result.append(known.pop() if known else None if None in lengths else 1)
    return tuple(result)


@export(brief=np.broadcast_to, most=2)
def broadcast_to(x, /, shape, subok=False):
    """Give an array a larger shape by repeating it without a copy.

    Returns
    -------
    out : Array
        A read-only view; several elements may lie at one place in memory.

    Raises
    ------
    ValueError
        If the array cannot be broadcast to this shape.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.broadcast_to(xp.asarray([1, 2]), (2, 2)))
    [[1 2]
     [1 2]]
    """
    return np.broadcast_to(x, shape)


@export(direct=np.concatenate)
def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of Array
        Arrays whose shapes agree but for this axis.
    axis : int or None, optional
        Axis to join along; None flattens them first.

    Returns
    -------
    out : Array
        The joined array, in the common data type.

    Raises
    ------
    ValueError
        If there are no arrays, or their shapes do not agree.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.concat([xp.asarray([1, 2]), xp.asarray([3])]))
    [1 2 3]
    """


@export(brief=np.expand_dims, most=2)
def expand_dims(x, /, axis=0):
    """Insert axes of length one.

    Parameters
    ----------
    axis : int or tuple of int, optional
        Where the new axes stand in the result.

    Returns
    -------
    out : Array
        A view of more dimensions.

    Raises
    ------
    IndexError
        If an axis is out of bounds.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.expand_dims(xp.zeros(3), axis=0).shape
    (1, 3)
    """
    return np.expand_dims(x, axis)


@export(brief=np.flip, most=2)
def flip(x, /, axis=None):
    """Reverse the order of the elements along axes.

    Parameters
    ----------
    axis : int or tuple of int or None, optional
        Axes to reverse; None for all.

    Returns
    -------
    out : Array
        A view of the same shape.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.flip(xp.asarray([1, 2, 3])))
    [3 2 1]
    """
    return np.flip(x, axis)


@export(brief=np.moveaxis, most=3)
def moveaxis(x, source, destination, /):
    """Move axes to other places; the others keep their order.

    Parameters
    ----------
    source : int or tuple of int
        Axes to move.
    destination : int or tuple of int
        Where each goes.

    Returns
    -------
    out : Array
        A view with its axes moved.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.moveaxis(xp.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return np.moveaxis(x, source, destination)


@export(brief=np.ndarray.transpose, most=2)
def permute_dims(x, /, axes=None):
    """Put the axes into another order.

    Parameters
    ----------
    axes : tuple of int
        For each axis of the result the axis of the input; left out, the order is reversed.

    Returns
    -------
    out : Array
        A view with its axes permuted.

    Raises
    ------
    ValueError
        If `axes` is no permutation of the axes.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.permute_dims(xp.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return x.transpose(axes)


@export
def repeat(x, repeats, /, axis=None):
    """Repeat each element.

    Parameters
    ----------
    repeats : int or Array of int
        How often, for all elements or for each along the axis.
    axis : int or None, optional
        Axis to repeat along; None flattens the array first.

    Returns
    -------
    out : Array
        The repeated elements.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.repeat(xp.asarray([1, 2]), 2))
    [1 1 2 2]
    """
    if isinstance(repeats, np.ndarray) and repeats.dtype.kind == "u":
        repeats = repeats.astype(np.intp)
    return x.repeat(repeats, axis)


@export(alias={"newshape": "shape"}, brief=np.ndarray.reshape, most=2)
def reshape(x, /, shape, order="C", *, copy=None):
    """Give the elements another shape.

    Parameters
    ----------
    shape : int or tuple of int
        The new shape; one length may be -1 and follows from the others.

    Returns
    -------
    out : Array
        A view where the memory layout allows it, else a copy.

    Raises
    ------
    ValueError
        If the numbers of elements differ, or `copy` is False and a copy is needed.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.reshape(xp.arange(6), (2, 3)).shape
    (2, 3)
    """
    if copy is None:
        return x.reshape(shape, order=order)
    return x.reshape(shape, order=order, copy=copy)


@export(brief=np.roll, most=3)
def roll(x, /, shift, axis=None):
    """Shift the elements along axes; what leaves one end enters at the other.

    Parameters
    ----------
    shift : int or tuple of int
        By how many places.
    axis : int or tuple of int or None, optional
        Axes to shift along; None shifts the flattened array, and restores its shape.

    Returns
    -------
    out : Array
        The shifted elements.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.roll(xp.asarray([1, 2, 3]), 1))
    [3 1 2]
    """
    return np.roll(x, shift, axis)


@export(brief=np.ndarray.squeeze, most=2)
def squeeze(x, /, axis=None):
    """Remove axes of length one.

    Parameters
    ----------
    axis : int or tuple of int
        Axes to remove; left out, all of length one.

    Returns
    -------
    out : Array
        A view of fewer dimensions.

    Raises
    ------
    ValueError
        If an axis is longer than one.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.squeeze(xp.zeros((1, 3)), axis=0).shape
    (3,)
    """
    return x.squeeze(axis)


@export(arrays=0, brief=np.stack, most=2, guard=guarded(np.stack))
def stack(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of Array
        Arrays of the same shape.
    axis : int, optional
        Where the new axis stands in the result.

    Returns
    -------
    out : Array
        An array of one dimension more.

    Raises
    ------
    ValueError
        If there are no arrays, or their shapes differ.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])]))
    [[1 2]
     [3 4]]
    """
    return np.stack(arrays, axis, out, dtype=dtype, casting=casting)


@export(brief=np.tile, most=2)
def tile(x, repetitions, /):
    """Repeat a whole array along axes.

    Parameters
    ----------
    repetitions : int or tuple of int
        How often, for each axis; more of them than axes add axes in front.

    Returns
    -------
    out : Array
        The array, repeated.

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.tile(xp.asarray([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    return np.tile(x, repetitions)


@export
def unstack(x, /, *, axis=0):
    """Split an array into those along an axis.

    Returns
    -------
    out : tuple of Array
        Views, without that axis.

    Raises
    ------
    ValueError
        If `x` has no dimensions.

    Examples
    --------
    >>> import sharedarray as xp
    >>> a, b = xp.unstack(xp.asarray([[1, 2], [3, 4]]))
    >>> print(b)
    [3 4]
    """
    return np.unstack(x, axis=axis)
