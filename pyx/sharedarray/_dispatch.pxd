"""One class for every function of the namespace: unwrap, call NumPy, wrap."""

from cpython.object cimport PyObject

ctypedef PyObject *(*vectorcallfunc)(PyObject *, PyObject *const *, size_t, PyObject *) noexcept

cdef class Function:
    cdef vectorcallfunc _vectorcall
    cdef object _target
    cdef object _direct         # below NumPy's search for foreign array types among the arguments
    cdef object _brief          # called in place of the target with positional arguments alone
    cdef Py_ssize_t _most       # as many of them as that takes
    cdef Py_ssize_t _core       # dimensions of inputs whose result has none; -1: not known
    cdef object _guard          # looks at the arguments before the target may write: see _checks
    cdef Py_ssize_t _free       # with so many positional arguments alone it writes to none of them
    cdef object _alias
    cdef object _places
    cdef readonly Py_ssize_t _arrays
    cdef Py_ssize_t _required   # arguments by position only; -1: not counted yet
    cdef object _signature      # what makes __signature__; None: the target's
    cdef object _doc            # the docstring, or what makes it; None: the target's
    cdef int _flags
    cdef readonly bint _creates         # it takes `device`, or makes arrays of nothing but numbers
    cdef readonly Py_ssize_t _device    # where it takes `device` by position; NOWHERE: it does not
    cdef Py_ssize_t _inputs     # of a ufunc of one or two with one result; -1: another function
    cdef dict __dict__
    cdef object __weakref__
