"""Indices, and values to assign, in NumPy's own types: the user's code runs here, not later."""

from cpython.object cimport PyObject
from cpython.slice cimport PySlice_Check
cimport numpy as cnp
from numpy cimport ndarray

import operator

import numpy as np

cnp.import_array()

cdef tuple SCALARS = (np.generic, complex, str, bytes, int, float)

cdef extern from "Python.h":
    bint PyIndex_Check(object)
    bint PyLong_CheckExact(object)
    bint PyFloat_CheckExact(object)

cdef extern from "numpy/arrayobject.h":
    bint is_ndarray "PyArray_CheckExact" (PyObject *)


cdef object plain_key(object key, Below below, bint *makes):
    cdef ndarray k
    if key is None or key is Ellipsis or PyLong_CheckExact(key):
        return key
    if PySlice_Check(key):
        return key
    item = below(key)
    if item is not key:
        k = item
        if cnp.PyArray_NDIM(k) == 0 and cnp.PyArray_ISINTEGER(k):
            return operator.index(k)    # as NumPy's scalars
        makes[0] = True
        return k
    if is_ndarray(<PyObject *>key) or isinstance(key, (bool, np.bool)):
        makes[0] = True
        return key
    if isinstance(key, str):
        return key
    if isinstance(key, (list, tuple)) and key and all([isinstance(name, str) for name in key]):
        return key                  # fields of a structured dtype
    if not isinstance(key, ndarray) and PyIndex_Check(key):
        return operator.index(key)
    if isinstance(key, SCALARS):
        return key                  # no index: NumPy says what would be
    makes[0] = True
    k = np.asarray(key)
    if cnp.PyArray_SIZE(k) == 0 and not isinstance(key, ndarray) and not hasattr(key, "dtype"):
        k = k.astype(np.intp)       # an empty list selects nothing, whatever its dtype
    return k


cdef object plain_slice(object s):
    return slice(*[v if v is None else operator.index(v) for v in (s.start, s.stop, s.step)])


cdef inline bint is_sequence(object x):
    return (type(x) is list or type(x) is tuple or type(x) is str or type(x) is bytes
            or type(x) is bytearray)


cdef bint repeats(object left, object right):
    cdef object count = left if is_sequence(right) else right if is_sequence(left) else None
    cdef ndarray a
    if count is None or not is_ndarray(<PyObject *>count):
        return False
    a = count
    return cnp.PyArray_NDIM(a) == 0 and cnp.PyArray_ISINTEGER(a)


cdef object value_for(ndarray a, object key, object value):
    cdef ndarray v
    cdef object dtype
    if PyFloat_CheckExact(value) or PyLong_CheckExact(value):
        return value
    if not isinstance(value, ndarray) and isinstance(value, SCALARS):
        return value
    dtype = a.dtype
    if has_fields(a) and isinstance(key, (str, list)):
        dtype = (<object>a)[key].dtype
    if isinstance(value, ndarray):
        v = value
        if v.descr.kind in b"SUOTV" and v.dtype != dtype:
            return v.astype(dtype)
        return value
    return np.asarray(value, dtype=dtype)
