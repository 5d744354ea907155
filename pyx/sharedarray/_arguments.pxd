"""What the arguments of a call are to NumPy, and what its results are to the caller."""

from cpython.object cimport PyObject
from numpy cimport ndarray

from ._array cimport Array

cdef bint is_plain(PyObject *value)
cdef bint is_plain_tuple(PyObject *value)
cdef object flat(PyObject *value)


cdef class Arguments:
    cdef dict arrays        # address of what NumPy gets -> what the caller gave
    cdef bint opaque        # an argument may call back: the scope stays closed
    cdef object convert(self, object value, int depth)
    cdef int note(self, object plain, object value) except -1
    cdef object leaf(self, object value)
    cdef object result(self, object value)
    cdef Array parent(self, ndarray value)
