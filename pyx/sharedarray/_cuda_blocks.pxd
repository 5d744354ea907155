from libc.stdint cimport uint64_t

from ._cuda cimport Segment
from ._storage cimport Hold

cdef class Block:
    cdef readonly size_t pointer
    cdef readonly size_t nbytes
    cdef readonly int index
    cdef readonly bint received     # another process made it
    cdef readonly bint writable     # made here, or a writable view arrived
    cdef object memory              # the pool's, of a block made here
    cdef Segment segment
    cdef Hold control               # once it has a handle: its small block of the CPU's memory
    cdef object kept_storage        # weak
    cdef uint64_t[2] token          # of a received one: its creator's socket
    cdef object __weakref__
    cdef Hold published(self)

cdef Block received_block(int index, const uint64_t *ident, uint64_t size, uint64_t offset,
                          uint64_t nbytes, Hold control, bint writable, object fetch)
cdef Block own_block(Hold control)
