from libc.stdint cimport int64_t
from numpy cimport ndarray, npy_intp

from sharedarray._opening cimport sa_device_part, sa_handle
from sharedarray._storage cimport Hold, Storage

cdef class Handle:
    cdef bytes _data            # of a handle that came as bytes
    cdef Storage _storage       # of one made here, which keeps the memory
    cdef ndarray _view          # of the array, or None for a Storage
    cdef object _elsewhere      # of memory on another device: what names and opens it
    cdef bint _closed

cdef class Received:
    cdef bytes data             # the handle's bytes, found right
    cdef Hold hold              # the opened memory; None: described only
    cdef object dtype           # None: the handle is a Storage's
    cdef bint readonly
    cdef bint on_device         # `hold` is of a control block; `part` says where the memory is
    cdef sa_device_part part
    cdef sa_handle here         # who opens it, and until when
    cdef int64_t deadline
    cdef tuple shape(self)
    cdef ndarray view(self)     # the ndarray it leads to

cdef bytes pack(Hold hold, ndarray a, bint readonly)    # a: None for a Storage's handle
cdef bytes packed(Hold hold, bint readonly, object dtype, int ndim, npy_intp *dims,
                  npy_intp *strides, int64_t offset, const sa_device_part *device)
cdef object pickled(object dump, object pickler, object obj)    # cancels what it sent if it fails
cdef Received open_bytes(bytes data)
cdef int open_block(Received r) except -1       # the two halves of open_bytes
cdef int mark(Received r) except -1
cdef Received described(bytes data)     # what the bytes say, without opening
cdef size_t said_size(bytes data)
cdef Handle make_handle(Storage storage, ndarray a)
cdef Handle handle_elsewhere(object named)
cdef object opened(Handle h)            # an ndarray, or a Storage
cdef Received on_device(Handle h)       # what the handle says, where it names memory of a device
