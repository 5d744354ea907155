from libc.stdint cimport uint64_t
from numpy cimport dtype as Dtype, ndarray, npy_intp

cdef class Hold:
    cdef void *p                # start of the block
    cdef size_t nbytes
    cdef uint64_t[2] segment    # id of its segment
    cdef uint64_t serial
    cdef bint attached          # received from another process
    cdef bint writable
    cdef object key(self)

cdef class Storage:
    cdef readonly size_t nbytes
    cdef ndarray root           # uint8, the whole memory; its base keeps it alive
    cdef Hold hold              # of shared memory; None otherwise
    cdef object name            # id of private memory, made when asked for
    cdef object _arrays         # weak references to the Arrays that move along; None when shared
    cdef Py_ssize_t exports     # NumPy views, buffers and DLPack exports alive
    cdef str lost               # why it could not be opened; None otherwise
    cdef object remote          # memory of another device: what holds it
    cdef object __weakref__
    cdef ndarray data(self)
    cdef int watch(self, object array) except -1
    cdef list watched(self)
    cdef list prepared(self, object there, size_t old)
    cdef int move(self, list arrays) except -1
    cdef str private_id(self)
    cdef int check_exports(self, str kinds) except -1

cdef class Export:
    cdef Storage storage

cdef Storage storage_of(ndarray a, Storage known)
cdef ndarray export_view(ndarray a, Storage known)
cdef ndarray root_of(ndarray a)
cdef bint in_shared(ndarray a)
cdef Hold received_hold(void *p, size_t nbytes, const uint64_t *segment, uint64_t serial,
                        bint attached, bint writable)
cdef Storage shared_storage(Hold hold)
cdef Storage lost_storage(size_t nbytes, str reason)
cdef Hold hold_of(ndarray root)
cdef ndarray make_ndarray(void *data, object dtype, int ndim, npy_intp *shape, npy_intp *strides,
                          bint writable, object base)
cdef ndarray adopt(ndarray a)    # shared memory that NumPy owns: a view that keeps the block itself
cdef Hold new_block(size_t nbytes, bint zero)
cdef Py_ssize_t size_of(nbytes) except -1
cdef int byte_of(value) except -1
cdef Py_ssize_t place_in(index, Py_ssize_t n) except -1
cdef int will_write(ndarray a) except -1    # before all of `a` is written
