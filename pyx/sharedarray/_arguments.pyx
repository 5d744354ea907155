"""What the arguments of a call are to NumPy, and what its results are to the caller.

Plain objects are those for which NumPy runs no code of the user; all others are converted
before the call, or the call is made with the allocation scope closed.
"""

cimport cython
from cpython.list cimport PyList_GET_ITEM
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM
cimport numpy as cnp
from numpy cimport ndarray

from ._array cimport Array, made, unwrap, wrap
from ._array cimport borrow as borrowed
from ._core cimport contains
from ._storage cimport root_of

import functools

import numpy as np

from ._device import Device

__all__ = ["Callback", "is_array_like"]

cnp.import_array()

cdef extern from "Python.h":
    PyObject *PyTuple_GET_ITEM(object, Py_ssize_t) noexcept
    PyTypeObject *Py_TYPE(PyObject *) noexcept
    bint PyType_IsSubtype(PyTypeObject *, PyTypeObject *) noexcept
    PyTypeObject PyFloat_Type, PyLong_Type, PyBool_Type, PyComplex_Type, PyUnicode_Type
    PyTypeObject PySlice_Type, PyTuple_Type, PyList_Type, PyBytes_Type, PyRange_Type, PyType_Type
    PyObject *Py_None
    PyObject *Py_Ellipsis

cdef extern from "numpy/arrayobject.h":
    PyObject *descr_of "PyArray_DESCR" (ndarray)
    bint holds_objects "PyDataType_REFCHK" (PyObject *)
    PyTypeObject PyArray_Type, PyGenericArrType_Type, PyArrayDescr_Type

cdef enum:
    DEPTH = 64          # NumPy's greatest number of dimensions: deeper nesting is no array

cdef PyTypeObject *array_type = <PyTypeObject *>Array
cdef PyObject *no_value = <PyObject *>np._NoValue
cdef PyTypeObject *device_type = <PyTypeObject *>Device
cdef frozenset plain_classes = frozenset({bool, int, float, complex, str, bytes})


cdef bint is_plain(PyObject *value):
    """Whether NumPy can take this object as it is, and runs no code of the user for it."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    if kind == &PyArray_Type:
        return not holds_objects(descr_of(<ndarray>value))
    if (kind == &PyFloat_Type or kind == &PyLong_Type or kind == &PyBool_Type
            or value == Py_None or kind == &PyUnicode_Type or kind == &PyComplex_Type
            or value == Py_Ellipsis or kind == &PySlice_Type or kind == &PyBytes_Type
            or kind == &PyRange_Type):
        return True
    if PyType_IsSubtype(kind, &PyGenericArrType_Type):
        return True
    if PyType_IsSubtype(kind, &PyArrayDescr_Type):
        return True
    if PyType_IsSubtype(kind, &PyType_Type):
        return (PyType_IsSubtype(<PyTypeObject *>value, &PyGenericArrType_Type)
                or <object>value in plain_classes)
    return value == no_value or kind == device_type


cdef bint is_plain_tuple(PyObject *value):
    """Whether this is a tuple of plain things: a shape, axes, an index."""
    cdef Py_ssize_t i
    cdef PyObject *item
    cdef PyTypeObject *kind
    if Py_TYPE(value) != &PyTuple_Type:
        return False
    for i in range(PyTuple_GET_SIZE(<object>value)):
        item = PyTuple_GET_ITEM(<object>value, i)
        kind = Py_TYPE(item)
        if kind != &PyLong_Type and kind != &PyFloat_Type and item != Py_None:
            return False
    return True


cdef object flat(PyObject *value):
    """A list or tuple of Arrays and plain things in NumPy's terms; None if it holds others."""
    cdef PyTypeObject *kind = Py_TYPE(value)
    cdef Py_ssize_t i
    cdef PyObject *item
    cdef list items
    if kind != &PyList_Type and kind != &PyTuple_Type:
        return None
    if kind == &PyTuple_Type:
        return flat_tuple(<tuple>value)
    items = list(<object>value)
    for i in range(len(items)):
        item = PyList_GET_ITEM(items, i)
        if Py_TYPE(item) == array_type:
            if (<Array>item)._a is None:
                return None
            items[i] = (<Array>item)._a
        elif not is_plain(item):
            return None
    return items


cdef object flat_tuple(tuple value):
    """The same of a tuple."""
    cdef Py_ssize_t i, n = PyTuple_GET_SIZE(value)
    cdef PyObject *item
    cdef tuple items = PyTuple_New(n)
    cdef object plain
    for i in range(n):
        item = PyTuple_GET_ITEM(value, i)
        if Py_TYPE(item) == array_type:
            plain = (<Array>item)._a
            if plain is None:
                return None
        elif is_plain(item):
            plain = <object>item
        else:
            return None
        Py_INCREF(plain)    # SET_ITEM steals one
        PyTuple_SET_ITEM(items, i, plain)
    return items


@cython.final
cdef class Callback:
    """A function of the user, called with Arrays; what it returns goes back to NumPy."""

    cdef object function

    def __init__(self, function):
        self.function = function
        functools.update_wrapper(self, function)

    cdef dict __dict__

    def __call__(self, *args, **kwargs):
        arguments = [_lend(a) for a in args]
        if kwargs:
            kwargs = {name: _lend(value) for name, value in kwargs.items()}
        return _take(self.function(*arguments, **kwargs))


def _lend(value):
    """An Array over the memory of an ndarray, without a copy."""
    if type(value) is ndarray:
        return borrowed(value)
    return value


def _take(value):
    """What NumPy can use of the result of a callback."""
    if isinstance(value, Array):
        return unwrap(value)
    if type(value) is tuple or type(value) is list:
        return type(value)([_take(v) for v in value])
    return value


@cython.final
cdef class Arguments:
    """The arguments of one call in NumPy's terms, and the way back."""

    cdef object convert(self, object value, int depth):
        cdef bint changed = False
        cdef object new, item
        cdef list items
        if type(value) is Array or is_plain(<PyObject *>value):
            return self.leaf(value)
        if type(value) is tuple or type(value) is list:
            if depth > DEPTH:
                self.opaque = True
                return value
            items = []
            for item in value:
                new = self.convert(item, depth + 1)
                if new is not item:
                    changed = True
                items.append(new)
            if not changed:
                return value
            return items if type(value) is list else tuple(items)
        if type(value) is dict:
            return {key: self.convert(item, depth + 1) for key, item in value.items()}
        return self.leaf(value)

    cdef int note(self, object plain, object value) except -1:
        """Remember what the caller gave where NumPy gets `plain`."""
        if self.arrays is None:
            self.arrays = {}
        self.arrays.setdefault(<size_t><PyObject *>plain, value)
        return 0

    cdef object leaf(self, object value):
        cdef object plain
        if type(value) is Array:
            plain = unwrap(value)
            self.note(plain, value)
            return plain
        if is_plain(<PyObject *>value):
            return value
        if isinstance(value, np.ndarray):
            if isinstance(value, (np.memmap, np.recarray)) and not value.dtype.hasobject:
                return np.asarray(value)
            self.opaque = True
            return value
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)._make(self.convert(item, 1) for item in value)
        if isinstance(value, np.poly1d):
            return value
        if is_array_like(value):
            plain = np.asarray(value)
            if plain.dtype.hasobject:
                self.opaque = True
            return plain
        self.opaque = True
        target = getattr(value, "__sharedarray_target__", None)
        if target is not None:
            return target
        if callable(value) and not isinstance(value, (type, np.ufunc)):
            return Callback(value)
        return value

    cdef object result(self, object value):
        cdef object known
        if type(value) is ndarray:
            if self.arrays is not None:
                known = self.arrays.get(<size_t><PyObject *>value)
                if known is not None:
                    return known
            if contains(cnp.PyArray_DATA(value)):
                return made(value, None)
            return made(value, self.parent(value))
        if type(value) is tuple:
            return tuple([self.result(item) for item in value])
        if type(value) is list:
            return [self.result(item) for item in value]
        if type(value) is dict:
            return {key: self.result(item) for key, item in value.items()}
        if isinstance(value, np.generic):
            return wrap(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)._make([self.result(item) for item in value])
        if isinstance(value, np.memmap):
            return borrowed(np.asarray(value))
        return value

    cdef Array parent(self, ndarray value):
        """The Array among the arguments whose private memory a result is a view of."""
        cdef ndarray root = root_of(value)
        if self.arrays is None:
            return None
        for item in self.arrays.values():
            if type(item) is Array and (<Array>item)._a is not None:
                if root_of((<Array>item)._a) is root:
                    return item
        return None


def is_array_like(value):
    """Whether NumPy makes an array of numbers of this object by a protocol.

    Parameters
    ----------
    value : object
        Any object.

    Returns
    -------
    out : bool
        True for objects with ``__array__``, ``__array_interface__``, ``__dlpack__`` or a buffer.
    """
    kind = type(value)
    if issubclass(kind, type):
        return False
    where = kind if callable(value) else value      # a proxy of functions has any attribute
    if (hasattr(where, "__array__") or hasattr(where, "__array_interface__")
            or hasattr(where, "__array_struct__") or hasattr(kind, "__dlpack__")):
        return True
    if kind is memoryview or kind is bytearray:
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True
