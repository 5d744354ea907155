from numpy cimport ndarray

from ._array cimport Array


cdef class Record:                  # what an array on a CUDA device is
    cdef readonly object b          # the array of the backend's library
    cdef readonly int index         # the device
    cdef public bint writable
    cdef readonly object storage    # of memory that another library lent; None for ours


cdef inline bint is_cuda(object x):
    """Whether `x` is an Array on a CUDA device."""
    return isinstance(x, Array) and type(x) is not Array


cdef inline Record record_of(Array x):
    """Return what `x`, on a CUDA device, is; raise where it was never initialised."""
    if x._link is None:
        unmade()
    return <Record>x._link


cdef int unmade() except -1
cdef int makes(object kind) except -1
cdef str place_of(int index)
cdef object joined(object library, int index, object stream)
cdef int rejoined(object library, int index, object stream) except -1
cpdef Array cuda_array(object b, int index, bint writable=*, object storage=*)
cdef Record renewed(Record old, object b, object storage)
cpdef ndarray header(Array x, object owner=*)   # never read or write through it
cdef object in_one_piece(Record record, ndarray layout)
cpdef ndarray download(Array x, object stream=*)
cpdef object upload(ndarray a, int index, object stream=*)
cdef int check_writable(Record record, str what) except -1
