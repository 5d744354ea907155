"""One class for every function of the namespace: unwrap, call NumPy, wrap."""

from cpython.object cimport PyObject

ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *) noexcept

cdef class Function:
    cdef vectorcallfunc _vectorcall
    cdef object _target
    cdef object _brief          # called in place of the target with positional arguments alone
    cdef Py_ssize_t _most       # as many of them as that takes
    cdef Py_ssize_t _core       # dimensions of inputs whose result has none; -1: not known
    cdef object _guard          # looks at the arguments before the target may write: see _checks
    cdef Py_ssize_t _free       # with so many positional arguments alone it writes to none of them
    cdef object _alias
    cdef object _places
    cdef Py_ssize_t _arrays
    cdef Py_ssize_t _required
    cdef int _flags
    cdef bint _elementwise      # a ufunc of one array, with one result
    cdef dict __dict__
    cdef object __weakref__
