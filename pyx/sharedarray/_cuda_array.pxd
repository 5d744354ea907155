from ._array cimport Array

cdef class CudaArray(Array):
    pass

cdef object value_of(CudaArray x)      # an ndarray to convert to a number
