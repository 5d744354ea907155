from libc.stdint cimport int64_t, uint32_t, uint64_t

from sharedarray._core cimport sa_segment

cdef extern from "core/wire.h" nogil:
    ctypedef struct sa_handle:
        uint32_t magic
        unsigned char flags
        unsigned char ndim
        unsigned short dtype_len
        unsigned char boot[16]
        uint64_t pidns
        uint64_t netns
        uint32_t uid
        uint64_t segment[2]
        uint64_t segment_size
        uint64_t serial
        uint64_t block
        uint64_t nbytes
        int pid
        int fd
        uint64_t start
        int creator_pid
        int creator_fd
        uint64_t creator_start
        uint64_t ledger[2]
        int ledger_fd
        uint32_t word
        uint64_t creator_ledger[2]
        int creator_ledger_fd
        int creator_ledger_here
        uint32_t ticket
        uint64_t sequence
        uint64_t token[2]
        int64_t offset

    ctypedef struct sa_device_part:
        unsigned char uuid[16]
        uint64_t segment[2]
        uint64_t segment_size
        uint64_t block
        uint64_t nbytes
        uint64_t token[2]
        int index

cdef int identify(sa_handle *h) except -1       # this machine, namespaces and user
cdef sa_segment *attach(sa_handle *h, sa_handle *here, bint writable, int64_t deadline) except NULL
cdef int count_in(sa_handle *h, sa_handle *here, sa_segment *segment, char *p,
                  int64_t deadline) except -1
cdef int refuse(sa_handle *h, sa_handle *here, int reason, int served, int err) except -1
cdef str gone(sa_handle *h, sa_handle *here)    # why a living sender does not keep the memory
cdef int mark_opened(sa_handle *h, sa_handle *here, int64_t deadline) except -1
