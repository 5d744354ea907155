"""One class for every function of the namespace: unwrap, call NumPy, wrap."""

from cpython.object cimport PyObject
from numpy cimport ndarray

from ._array cimport Array

ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *) noexcept

cdef class Function:
    cdef vectorcallfunc _vectorcall
    cdef object _target
    cdef object _alias
    cdef object _places
    cdef Py_ssize_t _arrays
    cdef Py_ssize_t _required
    cdef int _flags
    cdef dict __dict__
    cdef object __weakref__


cdef class Arguments:
    cdef dict arrays
    cdef bint opaque
    cdef object convert(self, object value, int depth)
    cdef int note(self, object plain, object value) except -1
    cdef object leaf(self, object value)
    cdef object result(self, object value)
    cdef Array parent(self, ndarray value)
