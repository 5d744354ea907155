"""Arrays and ``ctypes``: memory of C as Arrays, Arrays as arguments of C functions."""

import numpy.ctypeslib as _numpy
from numpy.ctypeslib import as_ctypes_type, c_intp, load_library

from ._array import Array
from ._dispatch import borrow

__all__ = ["as_array", "as_ctypes", "as_ctypes_type", "c_intp", "load_library", "ndpointer"]


def as_array(obj, shape=None):
    """Make an Array over the memory of a ctypes array or pointer, without a copy.

    Parameters
    ----------
    obj : ctypes array or pointer
        What to look at; the Array borrows it.
    shape : tuple of int, optional
        The shape; a pointer has none of its own.

    Returns
    -------
    out : Array
        The same memory; ``is_shared()`` tells whether it is this library's.

    Examples
    --------
    >>> import ctypes
    >>> import sharedarray as xp
    >>> c = (ctypes.c_double * 2)(1.0, 2.0)
    >>> xp.ctypeslib.as_array(c)[0] = 5.0
    >>> c[0]
    5.0
    """
    if isinstance(obj, Array):
        return obj
    return borrow(_numpy.as_array(obj, shape))


def as_ctypes(obj):
    """Make a ctypes array over the memory of an Array, without a copy.

    Parameters
    ----------
    obj : Array or numpy.ndarray
        In C order.

    Returns
    -------
    out : ctypes array
        It holds the memory.

    Raises
    ------
    TypeError
        If the elements do not lie in C order.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.zeros(2)
    >>> xp.ctypeslib.as_ctypes(x)[1] = 3.0
    >>> print(x)
    [0. 3.]
    """
    return _numpy.as_ctypes(obj.numpy() if isinstance(obj, Array) else obj)


def ndpointer(dtype=None, ndim=None, shape=None, flags=None):
    """Make a type for ``argtypes`` of a C function that takes arrays of one kind.

    Parameters
    ----------
    dtype : dtype, optional
        Data type of the arrays.
    ndim : int, optional
        Number of their dimensions.
    shape : tuple of int, optional
        Their shape.
    flags : str or tuple of str, optional
        Flags that they have, such as ``"C_CONTIGUOUS"``.

    Returns
    -------
    out : type
        Takes Arrays and NumPy arrays, and raises TypeError for those of another kind.

    Examples
    --------
    >>> import sharedarray as xp
    >>> kind = xp.ctypeslib.ndpointer(dtype=xp.float64, ndim=1)
    >>> x = xp.zeros(3)
    >>> kind.from_param(x).data == x.ctypes.data
    True
    """
    base = _numpy.ndpointer(dtype, ndim, shape, flags)

    def from_param(cls, obj):
        """Check an argument, and hand on its address."""
        return super(kind, cls).from_param(obj.numpy() if isinstance(obj, Array) else obj)

    kind = type(base.__name__, (base,), {"from_param": classmethod(from_param)})
    return kind
