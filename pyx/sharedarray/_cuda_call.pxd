from ._array cimport Array


cdef class Call:                    # one operation on a device
    cdef readonly int index
    cdef readonly object library    # the backend
    cdef dict passed                # id of what the library gets -> what the caller passed
    cdef list inputs                # the Records of CudaArrays among the arguments
    cdef list kept                  # what the ids belong to
    cdef object operand(self, object x)
    cdef object run(self, object function, tuple args, dict kwargs)
    cdef object note(self, object b, object x)


cdef Call call_of(Array x)
cdef object keys_of(Call call, object key, object b, bint *element)
