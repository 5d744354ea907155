"""The methods of ndarray that rearrange and convert."""

cimport numpy as cnp
from numpy cimport ndarray

from ._array cimport (
    Array,
    below,
    extend,
    made,
    operand,
    scoped_method,
    unwrap,
    wrap,
)
from ._checks cimport refuse_objects
from ._copies cimport copied
from ._fill cimport fill_array
from ._keys cimport value_for

import numpy as np

cnp.import_array()


cdef object given(object x):
    """Return an argument of a method as NumPy takes it: converted outside the scope."""
    cdef object converted = operand(x)
    return np.asarray(x) if converted is NotImplemented else converted


cdef object call(Array x, object name, tuple args):
    """Call a method of the ndarray that allocates nothing: views, changes in place, Python objects.
    """
    cdef object r = getattr(below(x), name)(*args)
    return made(r, x) if type(r) is ndarray else r


# Shape


def reshape(Array self, *shape, order="C", copy=None):
    """Return the elements in another shape, as a view where that is possible.

    Parameters
    ----------
    *shape : int or tuple of ints
        The shape; one length may be -1 and is computed.
    order : {'C', 'F', 'A'}, optional
        Order in which elements are read and placed.
    copy : bool, optional
        True: copy; False: raise ValueError where a copy is needed.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.arange(4).reshape(2, -1)
    Array([[0, 1],
           [2, 3]], dtype=int64, device='cpu', shared)
    """
    if copy is None and order == "C":
        return scoped_method(self, "reshape", shape, None, None)
    return scoped_method(self, "reshape", shape, {"order": order, "copy": copy}, None)


def ravel(Array self, order="C"):
    """Return the elements in one dimension, as a view where that is possible.

    Parameters
    ----------
    order : {'C', 'F', 'A', 'K'}, optional
        Order in which elements are read.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([[1, 2], [3, 4]]).ravel("F")
    Array([1, 3, 2, 4], dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "ravel", (order,), None, None)


def flatten(Array self, order="C"):
    """Return a copy of the elements in one dimension.

    Parameters
    ----------
    order : {'C', 'F', 'A', 'K'}, optional
        Order in which elements are read.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([[1, 2], [3, 4]]).flatten()
    Array([1, 2, 3, 4], dtype=int64, device='cpu', shared)
    """
    return scoped_method(self, "flatten", (order,), None, None)


def transpose(Array self, *axes):
    """Return a view with the axes permuted.

    Parameters
    ----------
    *axes : int or tuple of ints
        The new order; default reversed.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros((2, 3, 4)).transpose(1, 0, 2).shape
    (3, 2, 4)
    """
    return call(self, "transpose", axes)


def swapaxes(Array self, axis1, axis2):
    """Return a view with two axes exchanged.

    Parameters
    ----------
    axis1, axis2 : int
        The axes.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros((2, 3, 4)).swapaxes(0, 2).shape
    (4, 3, 2)
    """
    return call(self, "swapaxes", (axis1, axis2))


def squeeze(Array self, axis=None):
    """Return a view without axes of length 1.

    Parameters
    ----------
    axis : int or tuple of ints, optional
        The axes to remove; default all of length 1.

    Returns
    -------
    Array

    Raises
    ------
    ValueError
        If one of them has another length.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.zeros((1, 3, 1)).squeeze().shape
    (3,)
    """
    return call(self, "squeeze", (axis,))


def diagonal(Array self, offset=0, axis1=0, axis2=1):
    """Return a diagonal, as a read-only view.

    Parameters
    ----------
    offset : int, optional
        Diagonal, above (positive) or below the main one.
    axis1, axis2 : int, optional
        Axes of the matrices.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([[1, 2], [3, 4]]).diagonal()
    Array([1, 4], dtype=int64, device='cpu', shared)
    """
    return call(self, "diagonal", (offset, axis1, axis2))


# Conversion


def astype(Array self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """Return the elements in another data type.

    Parameters
    ----------
    dtype : dtype
        The data type.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the result.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'same_value', 'unsafe'}, optional
        What may be converted.
    subok : bool, optional
        Without effect, as in CuPy: there are no subclasses.
    copy : bool, optional
        False: return this Array itself where nothing changes.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        If `casting` forbids the conversion, or the dtype holds Python objects.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.7, 2.2]).astype(xp.int32)
    Array([1, 2], dtype=int32, device='cpu', shared)
    """
    dtype = np.dtype(dtype)
    refuse_objects(dtype)
    return scoped_method(self, "astype", (dtype, order, casting, False, copy), None, None)


def copy(Array self, order="C"):
    """Return a copy in new memory, which follows ``xp.memory``.

    Parameters
    ----------
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the copy.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(2)
    >>> y = x.copy()
    >>> y[0] = 1
    >>> x
    Array([0., 0.], dtype=float64, device='cpu', shared)
    """
    if order == "C":
        return wrap(copied(below(self), cnp.NPY_CORDER))
    return scoped_method(self, "copy", (order,), None, None)


def view(Array self, dtype=None, type=None):
    """Return a view of the same memory, as another data type if one is given.

    Parameters
    ----------
    dtype : dtype, optional
        How to read the bytes.
    type : type, optional
        ``Array``, or nothing: there are no other classes.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        If the dtype holds Python objects.
    ValueError
        If the sizes do not fit.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.0]).view(xp.int64)
    Array([4607182418800017408], dtype=int64, device='cpu', shared)
    """
    if type is not None and type is not Array:
        raise TypeError(f"an Array has views of class Array only, not {type!r}; for an ndarray use "
                        "x.numpy()")
    if dtype is Array:
        dtype = None
    return call(self, "view", () if dtype is None else (dtype,))


def byteswap(Array self, inplace=False):
    """Return the elements with their bytes in the opposite order.

    Parameters
    ----------
    inplace : bool, optional
        Swap here and return this Array itself.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1], dtype=xp.int16).byteswap()
    Array([256], dtype=int16, device='cpu', shared)
    """
    return scoped_method(self, "byteswap", (inplace,), None, None)


def getfield(Array self, dtype, offset=0):
    """Return a view of part of each element.

    Parameters
    ----------
    dtype : dtype
        Data type of the part.
    offset : int, optional
        Where it begins in the element, in bytes.

    Returns
    -------
    Array

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1 + 2j]).getfield(xp.float64, 8)
    Array([2.], dtype=float64, device='cpu', shared)
    """
    return call(self, "getfield", (dtype, offset))


def setfield(Array self, val, dtype, offset=0):
    """Set part of each element, in place.

    Parameters
    ----------
    val : array or scalar
        The values.
    dtype : dtype
        Data type of the part.
    offset : int, optional
        Where it begins in the element, in bytes.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.asarray([1 + 2j])
    >>> x.setfield(5.0, xp.float64, 8)
    >>> x
    Array([1.+5.j], dtype=complex128, device='cpu', shared)
    """
    val = value_for((<object>below(self)).getfield(dtype, offset), None, given(val))
    (<object>below(self)).setfield(val, dtype, offset)


def fill(Array self, value):
    """Set all elements to one value, in place.

    Parameters
    ----------
    value : scalar
        The value.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(2)
    >>> x.fill(3)
    >>> x
    Array([3., 3.], dtype=float64, device='cpu', shared)
    """
    fill_array(below(self), unwrap(value))


def item(Array self, *args):
    """Return one element as a Python number.

    Parameters
    ----------
    *args : int or tuple of ints, optional
        Index, of the flattened array or for each axis; default the only element.

    Returns
    -------
    bool, int, float, complex or other scalar

    Raises
    ------
    ValueError
        If no index is given and there is not exactly one element.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1.5, 2.5]).item(1)
    2.5
    """
    return below(self).item(*args)


def tolist(Array self):
    """Return the elements as nested lists of Python numbers.

    Returns
    -------
    list or scalar

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    return below(self).tolist()


def tobytes(Array self, order="C"):
    """Return the elements as bytes.

    Parameters
    ----------
    order : {'C', 'F', 'A'}, optional
        Order of the elements.

    Returns
    -------
    bytes

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.asarray([1, 2], dtype=xp.uint8).tobytes()
    b'\\x01\\x02'
    """
    return below(self).tobytes(order)


def tofile(Array self, fid, sep="", format="%s"):
    """Write the elements to a file, as bytes or as text.

    Parameters
    ----------
    fid : file, str or path
        The file.
    sep : str, optional
        What separates elements in text; empty: bytes are written.
    format : str, optional
        Format of an element in text.

    Examples
    --------
    >>> import tempfile
    >>> import sharedarray as xp
    >>> with tempfile.TemporaryFile() as file:
    ...     xp.asarray([1, 2], dtype=xp.uint8).tofile(file)
    ...     _ = file.seek(0)
    ...     file.read()
    b'\\x01\\x02'
    """
    below(self).tofile(fid, sep, format)


def setflags(Array self, write=None, align=None, uic=None):
    """Set flags of this Array; a writable one can be made read-only, not the other way round.

    Parameters
    ----------
    write : bool, optional
        Whether elements can be assigned.
    align : bool, optional
        Whether the elements are taken as aligned.
    uic : bool, optional
        Without effect.

    Raises
    ------
    ValueError
        If a read-only Array is to become writable.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(2)
    >>> x.setflags(write=False)
    >>> x[0] = 1
    Traceback (most recent call last):
    ...
    ValueError: assignment destination is read-only
    """
    cdef ndarray a = below(self)
    if write and not cnp.PyArray_ISWRITEABLE(a):
        raise ValueError("cannot set write: this Array is read-only; make a copy to write into")
    (<object>a).setflags(write=write, align=align, uic=uic)


extend({f.__name__: f for f in (
    reshape, ravel, flatten, transpose, swapaxes, squeeze, diagonal, astype, copy, view, byteswap,
    getfield, setfield, fill, item, tolist, tobytes, tofile, setflags,
)})
