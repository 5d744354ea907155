from numpy cimport ndarray

from sharedarray._storage cimport Hold, Storage

cdef class Handle:
    cdef bytes _data            # of a handle that came as bytes
    cdef Storage _storage       # of one made here, which keeps the memory
    cdef ndarray _view          # of the array, or None for a Storage
    cdef bint _closed

cdef class Received:
    cdef bytes data             # the handle's bytes, found right
    cdef Hold hold              # the opened memory; None: described only
    cdef object dtype           # None: the handle is a Storage's
    cdef bint readonly
    cdef tuple shape(self)
    cdef ndarray view(self)     # the ndarray it leads to

cdef bytes pack(Hold hold, ndarray a, bint readonly)    # a: None for a Storage's handle
cdef object pickled(object dump, object pickler, object obj)    # cancels what it sent if it fails
cdef Received open_bytes(bytes data)
cdef Received described(bytes data)     # what the bytes say, without opening
cdef size_t said_size(bytes data)
cdef Handle make_handle(Storage storage, ndarray a)
cdef object opened(Handle h)            # an ndarray, or a Storage
