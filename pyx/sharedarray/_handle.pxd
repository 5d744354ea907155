from sharedarray._storage cimport Storage

cdef class Handle:
    cdef bytes _data            # of a handle that came as bytes
    cdef Storage _storage       # of one made here, which keeps the memory
    cdef object _view           # (dtype, shape, strides, offset, readonly), or None for a Storage
    cdef bint _closed

cdef class Received:
    cdef Storage storage
    cdef object dtype           # None: the handle is a Storage's
    cdef tuple shape
    cdef tuple strides
    cdef Py_ssize_t offset
    cdef bint readonly

cdef bytes pack(Storage storage, object dtype, tuple shape, tuple strides, Py_ssize_t offset,
                bint readonly)
cdef Received open_bytes(bytes data)
cdef Received described(bytes data)     # what the bytes say, without opening
cdef Handle make_handle(Storage storage, object view)
cdef Received opened(Handle h)
