cimport cython
from cpython.object cimport PyObject
from numpy cimport ndarray


@cython.final
cdef class Lost:
    cdef readonly tuple shape
    cdef readonly object dtype
    cdef readonly object device
    cdef readonly bint readonly
    cdef readonly str reason


@cython.final
cdef class Array:
    cdef ndarray _a             # None: lost, or never initialised
    cdef object _link           # None; the Storage (private or borrowed memory); or a Lost
    cdef object __weakref__


cdef int refuse(Array x) except -1              # raises: x has no data
cdef inline ndarray below(Array x):
    """Return the ndarray below `x`; raise HandleError where `x` is lost."""
    if x._a is None:
        refuse(x)
    return x._a

cdef Array made(ndarray r, Array parent)        # what NumPy returned -> Array (parent: may be None)
cdef Array borrow(ndarray a)                    # a new view of `a` as an Array, never a copy
cpdef Array lost_array(tuple shape, object dtype, object device, bint readonly, str reason)
cdef object link_of(Array x)                    # None for shared memory, else the Storage
cdef str kind_of(Array x)                        # "shared" or "private"
cdef str lost_text(Array x)
cdef ndarray exported(Array x)                  # the ndarray that is handed out
cdef object operand(object x)                   # ndarray or scalar for NumPy, or NotImplemented
cdef double priority_of(object x)
cdef object failed()                            # re-raises what NumPy raised
cdef object scoped(object function, tuple args, dict kwargs)    # call it in the scope
cdef object scoped_method(Array x, object name, tuple args, dict kwargs, object out)
cpdef object wrap(object r, object inputs=*)
cpdef object unwrap(object x)
cdef int extend(dict members) except -1         # add methods and properties to Array
