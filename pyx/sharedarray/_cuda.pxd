from libc.stdint cimport uint64_t

cdef extern from "core/driver.h" nogil:
    ctypedef struct sa_cuda_segment:
        int device
        uint64_t size
        uint64_t base
        int fd
        bint writable

cdef class Segment:
    cdef sa_cuda_segment seg
    cdef uint64_t[2] ident          # its name in every process
    cdef readonly bint exportable   # others can have it
    cdef readonly bint received
    cdef bint listed
    cdef int users                  # of a received one: blocks that lie in it here
    cdef object __weakref__

cdef int check(int rc, object what, int device) except -1
cdef Segment create(int device, uint64_t size)
cdef Segment receive(int device, const uint64_t *ident, uint64_t size, int fd, bint writable)
cdef void wait_quietly(int device) noexcept nogil
cdef int publish(Segment segment) except -1
cdef int let_write(Segment segment) except -1
