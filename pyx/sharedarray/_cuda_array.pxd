from ._array cimport Array

cdef class CudaArray(Array):
    pass
