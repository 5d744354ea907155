"""Calls of NumPy in the memory in force, and copies of arrays there."""

from cpython.object cimport PyObject
from libc.string cimport memcpy
cimport numpy as cnp
from numpy cimport ndarray

from ._core cimport WRITTEN, enter, leave

from ._errors import memory_error

cnp.import_array()

cdef extern from "core/ndarray.h":
    object sa_reraise()
    PyObject *new_like "sa_like" (ndarray, int, cnp.npy_intp *, cnp.npy_intp *, void *)
    PyObject *new_bytes "sa_bytes" (Py_ssize_t)
    PyObject *new_copy "sa_copy" (ndarray, int)
    void Py_DECREF(PyObject *)

cdef extern from "Python.h":
    PyObject *PyObject_Call(PyObject *, PyObject *, PyObject *)


cdef object failed():
    """Re-raise what NumPy raised; a MemoryError comes with the figures."""
    try:
        sa_reraise()
    except MemoryError as exc:
        raise memory_error(exc, getattr(exc, "_total_size", None)) from None


cdef object scoped(object function, tuple args, dict kwargs):
    """Call `function`, NumPy's, in the scope; its result comes back as it is."""
    cdef object result
    cdef int token = enter(0)
    cdef PyObject *r = PyObject_Call(<PyObject *>function, <PyObject *>args,
                                     NULL if kwargs is None else <PyObject *>kwargs)
    leave(token)
    if r == NULL:
        return failed()
    result = <object>r
    Py_DECREF(r)
    return result


cdef ndarray taken(PyObject *r):
    """Take over the reference `r`; NULL raises, a MemoryError with the figures."""
    cdef ndarray result
    if r == NULL:
        failed()
    result = <ndarray>r
    Py_DECREF(r)
    return result


cdef ndarray copied(ndarray a, int order):
    """Return a copy of `a` in new memory, following ``xp.memory``."""
    cdef int token = enter(WRITTEN)
    cdef PyObject *r = new_copy(a, order)
    leave(token)
    return taken(r)


cdef ndarray condensed(ndarray a):
    """Return a copy of `a` in which elements that lie at one place do so again.

    A broadcast or windowed view has more elements than memory; it has no more afterwards.
    """
    cdef char *low = cnp.PyArray_BYTES(a)
    cdef char *high = low + cnp.PyArray_ITEMSIZE(a)
    cdef Py_ssize_t axis, span
    cdef ndarray root, result
    cdef PyObject *r
    cdef int token
    for axis in range(cnp.PyArray_NDIM(a)):
        span = (cnp.PyArray_DIM(a, axis) - 1) * cnp.PyArray_STRIDE(a, axis)
        if span < 0:
            low += span
        else:
            high += span
    if cnp.PyArray_SIZE(a) == 0 or high - low >= cnp.PyArray_NBYTES(a):
        return copied(a, cnp.NPY_KEEPORDER)
    token = enter(WRITTEN)
    r = new_bytes(high - low)
    leave(token)
    root = taken(r)
    memcpy(cnp.PyArray_BYTES(root), low, high - low)
    result = taken(new_like(a, cnp.PyArray_NDIM(a), cnp.PyArray_DIMS(a), cnp.PyArray_STRIDES(a),
                            cnp.PyArray_BYTES(root) + (cnp.PyArray_BYTES(a) - low)))
    cnp.set_array_base(result, root)
    return result
