cimport cython
from cpython.object cimport PyObject
from numpy cimport ndarray


cdef bint elsewhere             # arrays of other devices may be around, or such a device in force


@cython.no_gc
cdef class Array:               # CudaArray is its one subclass: no others can be made
    cdef ndarray _a             # None: lost, never initialised, or on another device
    cdef object _link           # None; Storage (private or borrowed memory); Lost; a Record (CUDA)
    cdef object __weakref__


cdef int refuse(Array x) except -1              # raises: x has no data
cdef int mixed(object x, str device) except -1  # raises: x and arrays on `device` do not mix
cdef int host_only(object x) except -1          # raises for Arrays of other devices
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
cdef ndarray exported(Array x)                  # the ndarray that is handed out
cdef object operand(object x)                   # ndarray or scalar for NumPy, or NotImplemented
cdef double priority_of(object x)
cdef object scoped_method(Array x, object name, tuple args, dict kwargs, object out)
cpdef object wrap(object r, object inputs=*)
cpdef object unwrap(object x)
cdef int extend(dict members) except -1         # add methods and properties to Array
