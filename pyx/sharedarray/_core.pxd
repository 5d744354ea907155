from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "core/core.h" nogil:
    ctypedef struct sa_segment:
        uint64_t id[2]
        char *base
        size_t size
        int fd
        uint8_t kind
        bint inherited
        bint writable
        int32_t creator_pid
        int32_t creator_fd
        uint64_t creator_start
    ctypedef struct sa_ticket:
        uint64_t id[2]
        int32_t fd
        uint32_t index
        uint64_t sequence
        uint64_t creator[2]
        int32_t creator_fd
        int32_t creator_fd_here
        uint32_t word

cdef enum:
    SHARED = 1
    WRITTEN = 2

# The allocation scope of this thread: see DESIGN, "Rules of the flag".
cdef int enter(int flags) except -2
cdef void leave(int token) noexcept nogil
cdef int suspend() noexcept nogil
cdef bint contains(const void *p) noexcept nogil
cdef bint shared_mode() except -1
cdef bint populate(void *p, size_t n) noexcept nogil
cdef void stream_fill(void *p, size_t n, const void *pattern, size_t length) noexcept nogil

# References to memory at an address: a block of this process, or a received segment.
cdef int reference(void *p) noexcept nogil
cdef void dereference(void *p) noexcept nogil
cdef bint find_block(const void *p, sa_segment **segment, char **start, size_t *size,
                     uint64_t *serial) noexcept nogil
cdef sa_segment *find_segment(const void *p) noexcept nogil
cdef void *hold_block(const uint64_t *ident, uint64_t offset, uint64_t serial) noexcept nogil
cdef void count_attached(Py_ssize_t nbytes) noexcept nogil

# Opening and sending.
cdef sa_segment *hold_segment(const uint64_t *ident, uint64_t size, bint writable,
                              int *rc) noexcept nogil
cdef int attach_descriptor(const uint64_t *ident, uint64_t size, int fd, bint writable,
                           int32_t creator_pid, int32_t creator_fd, uint64_t creator_start,
                           sa_segment **out) noexcept nogil
cdef int new_ticket(void *p, sa_ticket *out) noexcept nogil
cdef void cancel_ticket(uint32_t index, uint64_t sequence) noexcept nogil
cdef bint ticket_cancelled(const uint64_t *ident, uint32_t index, uint64_t sequence) noexcept nogil
cdef bint ledger_known(const uint64_t *ident) noexcept nogil
cdef int map_ledger(const uint64_t *ident, int fd, int origin_fd) noexcept nogil
cdef int attach_block(sa_segment *segment, char *p, const uint64_t *ledger, uint32_t word,
                      uint64_t serial) noexcept nogil
cdef void drop_segment(sa_segment *segment) noexcept nogil
cdef bint process_alive(int32_t pid, uint64_t start) noexcept nogil
cdef uint32_t others_holding(void *p) noexcept nogil
cdef bint ticket_opened(const uint64_t *ident, uint32_t index, uint64_t sequence) noexcept nogil
cdef int32_t own_pid() noexcept nogil
cdef uint32_t own_uid(bint now) noexcept nogil
cdef uint64_t own_start() noexcept nogil
cdef int open_foreign(int32_t pid, uint64_t start, int fdnum, const uint64_t *ident, uint64_t size,
                      bint writable, int *fd, int *err) noexcept nogil
cdef int open_anywhere(const uint64_t *ident, uint64_t size, bint writable, int64_t deadline,
                       int *fd, int *err) noexcept nogil
cdef const char *reason_text(int reason) noexcept nogil
cdef int serve_token(uint64_t *token, bint needed) noexcept nogil
cdef int fetch_device(uint32_t uid, const uint64_t *token, const uint64_t *ident, uint64_t size,
                      int64_t deadline, int *fd, int *err) noexcept nogil
# Descriptors of device memory, and the control blocks that stand for it.
cdef int device_put(const uint64_t *ident, uint64_t size, int fd) noexcept nogil
cdef void device_remove(const uint64_t *ident, int fd) noexcept nogil
cdef int device_note(void *p, uint64_t serial, const uint64_t *ident) noexcept nogil
cdef void device_forget(const void *p, uint64_t serial) noexcept nogil
cdef bint device_in_flight(const void *p) noexcept nogil
cdef bint device_unreachable(const void *p, uint64_t serial) noexcept nogil
cdef void settle() noexcept nogil
cdef int random_id(uint64_t *out) noexcept nogil
cdef int fetch_served(uint32_t uid, const uint64_t *token, const uint64_t *ident, uint64_t size,
                      bint writable, int64_t deadline, int *fd, int *err) noexcept nogil
cdef int64_t now_ms() noexcept nogil
cdef int boot_id(unsigned char *out) noexcept nogil
cdef void let_go() noexcept nogil    # of all that is cached: memory, mappings, descriptors
cdef int namespace_id(const char *which, uint64_t *out) noexcept nogil
cdef void *allocate(size_t nbytes, bint zero) noexcept nogil    # shared, whatever the mode
