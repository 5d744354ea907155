cimport cython


@cython.final
cdef class Lost:
    cdef readonly tuple shape
    cdef readonly object dtype
    cdef readonly object device
    cdef readonly bint readonly
    cdef readonly str reason


cdef Lost lost_record(tuple shape, object dtype, object device, bint readonly, str reason)
