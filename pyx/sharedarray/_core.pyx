"""The pool of shared segments, and NumPy's data allocator (NEP 49) over it.

All state of the process lives in the C files of ``core/``. Sources: NEP 49 (data allocation
strategies in NumPy), memfd_create(2), fcntl(2) "File sealing".
"""

from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport Py_INCREF
from libc.errno cimport EFBIG, ENOMEM, ENOTCONN
from libc.stdlib cimport calloc
from libc.string cimport memset, strncpy
from numpy cimport import_array

import contextvars
import gc
import os
from resource import RLIMIT_FSIZE, getrlimit

from ._errors import describe_memory_with
from ._limits import cache_cap, check_serve, linger, mapping_limit, size_text

import_array()

cdef extern from "core/core.h" nogil:
    ctypedef struct sa_stats:
        uint64_t allocated
        uint64_t cached
        uint64_t published
        uint64_t in_flight
        uint64_t peak
    enum: SA_NAME
    int sa_scope
    int sa_failure
    int32_t sa_pid
    uint64_t sa_start
    int sa_nranges
    ctypedef struct sa_range:
        char *base
        size_t nslots
    sa_range *sa_ranges
    size_t SA_SLOT
    int sa_fork_init()
    void *sa_alloc(size_t n, bint zero, bint written)
    void sa_free(void *p)
    int sa_ref(void *p)
    void *sa_realloc(void *p, size_t n)
    bint sa_populate(char *p, size_t n)
    void sa_stream_fill(char *p, size_t n, const char *pattern, size_t length)
    void sa_pool_stats(sa_stats *out)
    size_t sa_pool_trim()
    void sa_pool_settle()
    void sa_pool_set_cap(uint64_t cap)
    bint sa_block_find(const void *p, sa_segment **seg, char **start, size_t *size,
                       uint64_t *serial)
    void *sa_block_hold(const uint64_t *ident, uint64_t offset, uint64_t serial)
    sa_segment *sa_segment_at(const void *p)
    sa_segment *sa_attached_hold(const uint64_t *ident, uint64_t size, bint writable, int *rc)
    int sa_attach_fd(const uint64_t *ident, uint64_t size, int fd, bint writable,
                     int32_t creator_pid, int32_t creator_fd, uint64_t creator_start,
                     sa_segment **out)
    int sa_ticket_new(void *p, sa_ticket *out)
    void sa_ticket_cancel(uint32_t index, uint64_t sequence)
    bint sa_ticket_cancelled(const uint64_t *ident, uint32_t index, uint64_t sequence)
    uint64_t sa_collect(double older_than)
    int sa_ledger_known(const uint64_t *ident)
    int sa_ledger_map(const uint64_t *ident, int fd, int origin_fd)
    int sa_block_attach(sa_segment *seg, char *p, const uint64_t *ledger, uint32_t word,
                        uint64_t serial)
    void sa_segment_drop(sa_segment *seg)
    uint32_t sa_block_others(void *p)
    bint sa_ticket_opened(const uint64_t *ident, uint32_t index, uint64_t sequence)
    int sa_served_descriptor(const uint64_t *ident, uint64_t size, int writable)

cdef extern from "core/os.h" nogil:
    void sa_segment_name(const uint64_t *ident, char *out)
    int sa_boot_id(unsigned char *out)
    int sa_random_id(uint64_t *out)
    int sa_namespace(const char *which, uint64_t *out)
    bint sa_alive(int32_t pid, uint64_t start)
    int64_t sa_now_ms()

cdef extern from "core/device.h" nogil:
    int sa_device_put(const uint64_t *ident, uint64_t size, int fd)
    void sa_device_remove(const uint64_t *ident, int fd)
    int sa_device_note(void *p, uint64_t serial, const uint64_t *ident)
    void sa_device_forget(const void *p, uint64_t serial)
    bint sa_device_in_flight(const void *p)
    bint sa_device_unreachable(const void *p, uint64_t serial)

cdef extern from "core/open.h" nogil:
    int sa_open_foreign(int32_t pid, uint64_t start, int fdnum, const char *name, uint64_t size,
                        int writable, int *fd, int *err)
    int sa_open_anywhere(const char *name, uint64_t size, int writable, int64_t deadline, int *fd,
                         int *err)
    const char *sa_reason_text(int reason)
    enum: SA_E_TIMEOUT

cdef extern from "core/serve.h" nogil:
    int sa_serve_start(int (*lookup)(const uint64_t *ident, uint64_t size, int writable))
    int sa_serve_token(uint64_t *token)
    bint sa_serve_needed()
    void sa_socket_name(uint32_t uid, const uint64_t *token, char *out)
    int sa_fetch_served(const char *socket_name, uint32_t uid, const char *memfd_name,
                        const uint64_t *ident, uint64_t size, int writable, int timeout_ms,
                        int *fd, int *err)

cdef extern from "core/keeper.h" nogil:
    const char *SA_KEEPER_PROGRAM
    int sa_hand_over()
    int sa_keeper_configure(const char *path, uint64_t linger)
    void sa_hand_over_at_exit() noexcept

cdef extern from "Python.h":
    int Py_AtExit(void (*function)() noexcept)

cdef extern from "core/limits.h" nogil:
    enum:
        SA_LIMIT_MACHINE
        SA_LIMIT_CGROUP
        SA_LIMIT_ADDRESS
    int sa_memory_limit(const char *root, unsigned kinds, uint64_t *avail, char *which)

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyDataMemAllocator:
        void *ctx
        void *(*malloc)(void *, size_t) noexcept nogil
        void *(*calloc)(void *, size_t, size_t) noexcept nogil
        void *(*realloc)(void *, void *, size_t) noexcept nogil
        void (*free)(void *, void *, size_t) noexcept nogil
    ctypedef struct PyDataMem_Handler:
        char name[127]
        uint8_t version
        PyDataMemAllocator allocator
    object PyDataMem_SetHandler(object handler)
    object PyDataMem_GetHandler()

# ---- addresses ----


cdef bint contains(const void *p) noexcept nogil:
    """Whether p lies in this library's address ranges."""
    cdef int i
    for i in range(sa_nranges):
        if <size_t>(<char*>p - sa_ranges[i].base) < sa_ranges[i].nslots * SA_SLOT:
            return True
    return False


# ---- the handler ----
# Three kinds of capsule over one delegate (the handler that was current before): `switching` serves
# from the pool while this thread's scope is open, `always` serves from it at all times
# (capture_numpy), `private` never does. All free by address.

ctypedef struct Allocator:
    PyDataMem_Handler handler
    PyDataMem_Handler *delegate
    PyObject *capsule     # of the delegate


cdef void *switching_malloc(void *ctx, size_t n) noexcept nogil:
    cdef PyDataMem_Handler *d = (<Allocator*>ctx).delegate
    if sa_scope:
        return sa_alloc(n, False, sa_scope & WRITTEN)
    return d.allocator.malloc(d.allocator.ctx, n)


cdef void *switching_calloc(void *ctx, size_t n, size_t size) noexcept nogil:
    cdef PyDataMem_Handler *d = (<Allocator*>ctx).delegate
    if sa_scope:
        return always_calloc(ctx, n, size)
    return d.allocator.calloc(d.allocator.ctx, n, size)


cdef void *always_malloc(void *ctx, size_t n) noexcept nogil:
    return sa_alloc(n, False, sa_scope & WRITTEN)


cdef void *always_calloc(void *ctx, size_t n, size_t size) noexcept nogil:
    if size and n > (<size_t>-1) // size:
        return NULL
    return sa_alloc(n * size, True, False)


cdef void *private_malloc(void *ctx, size_t n) noexcept nogil:
    cdef PyDataMem_Handler *d = (<Allocator*>ctx).delegate
    return d.allocator.malloc(d.allocator.ctx, n)


cdef void *private_calloc(void *ctx, size_t n, size_t size) noexcept nogil:
    cdef PyDataMem_Handler *d = (<Allocator*>ctx).delegate
    return d.allocator.calloc(d.allocator.ctx, n, size)


cdef void *any_realloc(void *ctx, void *p, size_t n) noexcept nogil:
    cdef PyDataMem_Handler *d = (<Allocator*>ctx).delegate
    if p == NULL:
        return d.allocator.malloc(d.allocator.ctx, n)
    if contains(p):
        return sa_realloc(p, n)
    return d.allocator.realloc(d.allocator.ctx, p, n)


cdef void any_free(void *ctx, void *p, size_t n) noexcept nogil:
    cdef PyDataMem_Handler *d = (<Allocator*>ctx).delegate
    if contains(p):
        sa_free(p)
    else:
        d.allocator.free(d.allocator.ctx, p, n)


cdef enum:
    SWITCHING = 1
    ALWAYS = 2
    PRIVATE = 3

cdef dict _capsules = {}       # (address of the delegate, kind) -> capsule, kept for ever
cdef PyObject *_recent = NULL  # a capsule of ours: the one seen last
cdef int _default_kind = SWITCHING


cdef int kind_of(object capsule) except -1:
    """The kind of a handler capsule; 0: not ours."""
    cdef PyDataMem_Handler *h = <PyDataMem_Handler*>PyCapsule_GetPointer(capsule, "mem_handler")
    if h.allocator.malloc == switching_malloc:
        return SWITCHING
    if h.allocator.malloc == always_malloc:
        return ALWAYS
    if h.allocator.malloc == private_malloc:
        return PRIVATE
    return 0


cdef object capsule_for(object current, int kind):
    """The capsule of that kind over `current`, or over the delegate of `current` if it is ours."""
    cdef Allocator *a
    cdef PyDataMem_Handler *h
    if kind_of(current):
        h = <PyDataMem_Handler*>PyCapsule_GetPointer(current, "mem_handler")
        current = <object>(<Allocator*>h.allocator.ctx).capsule
    h = <PyDataMem_Handler*>PyCapsule_GetPointer(current, "mem_handler")
    key = (<size_t>h, kind)
    found = _capsules.get(key)
    if found is not None:
        return found
    a = <Allocator*>calloc(1, sizeof(Allocator))
    if a == NULL:
        raise MemoryError("no memory for NumPy's allocator of shared memory")
    Py_INCREF(current)
    a.capsule = <PyObject*>current
    a.delegate = h
    strncpy(a.handler.name, "sharedarray", 126)
    a.handler.version = 1
    a.handler.allocator.ctx = a
    a.handler.allocator.realloc = any_realloc
    a.handler.allocator.free = any_free
    if kind == SWITCHING:
        a.handler.allocator.malloc = switching_malloc
        a.handler.allocator.calloc = switching_calloc
    elif kind == ALWAYS:
        a.handler.allocator.malloc = always_malloc
        a.handler.allocator.calloc = always_calloc
    else:
        a.handler.allocator.malloc = private_malloc
        a.handler.allocator.calloc = private_calloc
    capsule = PyCapsule_New(a, "mem_handler", NULL)
    return _capsules.setdefault(key, capsule)


cdef int install(object current) except -1:
    """Make a capsule of ours current in this context; `current` is another one."""
    global _recent
    cdef int kind = kind_of(current)
    if not kind:
        current = capsule_for(current, _default_kind)
        PyDataMem_SetHandler(current)
    _recent = <PyObject*>current   # interned and never freed
    return 0


# ---- the scope ----


cdef int enter(int flags) except -2:
    cdef int token
    handler = PyDataMem_GetHandler()
    if <PyObject*>handler != _recent:
        install(handler)
    token = sa_scope
    (&sa_scope)[0] = SHARED | flags
    return token


cdef void leave(int token) noexcept nogil:
    (&sa_scope)[0] = token


cdef int suspend() noexcept nogil:
    cdef int token = sa_scope
    (&sa_scope)[0] = 0
    return token


cdef bint shared_mode() except -1:
    cdef int kind = kind_of(PyDataMem_GetHandler())
    return (kind if kind else _default_kind) != PRIVATE


cdef bint populate(void *p, size_t n) noexcept nogil:
    return sa_populate(<char*>p, n)


cdef void stream_fill(void *p, size_t n, const void *pattern, size_t length) noexcept nogil:
    """Fill `n` bytes with a pattern of 1, 2, 4, ... 64 bytes, passing the caches by."""
    sa_stream_fill(<char*>p, n, <const char*>pattern, length)


def _around_collection(phase, info):
    """Clear the scope while the garbage collector runs finalizers of anybody's objects."""
    if phase == "start":
        set_gc_token(suspend())
    else:
        leave(get_gc_token())


cdef extern from *:
    """
    static __thread int sa_gc_token;
    static void set_gc_token(int t) { sa_gc_token = t; }
    static int get_gc_token(void) { return sa_gc_token; }
    """
    void set_gc_token(int t) nogil
    int get_gc_token() nogil


# ---- what other layers call ----


cdef void *allocate(size_t nbytes, bint zero) noexcept nogil:
    """A block with one reference, or NULL (`memory_error` tells why)."""
    return sa_alloc(nbytes, zero, False)


cdef int reference(void *p) noexcept nogil:
    return sa_ref(p)


cdef void dereference(void *p) noexcept nogil:
    sa_free(p)


cdef bint find_block(const void *p, sa_segment **segment, char **start, size_t *size,
                     uint64_t *serial) noexcept nogil:
    return sa_block_find(p, segment, start, size, serial)


cdef sa_segment *find_segment(const void *p) noexcept nogil:
    return sa_segment_at(p)


cdef void *hold_block(const uint64_t *ident, uint64_t offset, uint64_t serial) noexcept nogil:
    return sa_block_hold(ident, offset, serial)


cdef Py_ssize_t _attached = 0

cdef extern from *:
    """
    static void atomic_add(Py_ssize_t *at, Py_ssize_t n) {
        __atomic_add_fetch(at, n, __ATOMIC_RELAXED);
    }
    """
    void atomic_add(Py_ssize_t *at, Py_ssize_t n) nogil


cdef void count_attached(Py_ssize_t nbytes) noexcept nogil:
    atomic_add(&_attached, nbytes)


cdef sa_segment *hold_segment(const uint64_t *ident, uint64_t size, bint writable,
                              int *rc) noexcept nogil:
    return sa_attached_hold(ident, size, writable, rc)


cdef int attach_descriptor(const uint64_t *ident, uint64_t size, int fd, bint writable,
                           int32_t creator_pid, int32_t creator_fd, uint64_t creator_start,
                           sa_segment **out) noexcept nogil:
    return sa_attach_fd(ident, size, fd, writable, creator_pid, creator_fd, creator_start, out)


cdef int new_ticket(void *p, sa_ticket *out) noexcept nogil:
    return sa_ticket_new(p, out)


cdef void cancel_ticket(uint32_t index, uint64_t sequence) noexcept nogil:
    sa_ticket_cancel(index, sequence)


cdef bint ticket_cancelled(const uint64_t *ident, uint32_t index, uint64_t sequence) noexcept nogil:
    return sa_ticket_cancelled(ident, index, sequence)


cdef bint ledger_known(const uint64_t *ident) noexcept nogil:
    return sa_ledger_known(ident)


cdef int map_ledger(const uint64_t *ident, int fd, int origin_fd) noexcept nogil:
    return sa_ledger_map(ident, fd, origin_fd)


cdef int attach_block(sa_segment *segment, char *p, const uint64_t *ledger, uint32_t word,
                      uint64_t serial) noexcept nogil:
    return sa_block_attach(segment, p, ledger, word, serial)


cdef void drop_segment(sa_segment *segment) noexcept nogil:
    sa_segment_drop(segment)


cdef int64_t now_ms() noexcept nogil:
    return sa_now_ms()


cdef bint process_alive(int32_t pid, uint64_t start) noexcept nogil:
    return sa_alive(pid, start)


cdef uint32_t others_holding(void *p) noexcept nogil:
    return sa_block_others(p)


cdef bint ticket_opened(const uint64_t *ident, uint32_t index, uint64_t sequence) noexcept nogil:
    return sa_ticket_opened(ident, index, sequence)


cdef int32_t own_pid() noexcept nogil:
    return sa_pid


cdef uint64_t own_start() noexcept nogil:
    return sa_start


cdef int open_foreign(int32_t pid, uint64_t start, int fdnum, const uint64_t *ident, uint64_t size,
                      bint writable, int *fd, int *err) noexcept nogil:
    cdef char[SA_NAME] name
    sa_segment_name(ident, name)
    return sa_open_foreign(pid, start, fdnum, name, size, writable, fd, err)


cdef int open_anywhere(const uint64_t *ident, uint64_t size, bint writable, int64_t deadline,
                       int *fd, int *err) noexcept nogil:
    cdef char[SA_NAME] name
    sa_segment_name(ident, name)
    return sa_open_anywhere(name, size, writable, deadline, fd, err)


cdef const char *reason_text(int reason) noexcept nogil:
    return sa_reason_text(reason)


cdef extern from *:
    """
    #include <unistd.h>
    /* Whether peers can see our descriptors, and our user: six system calls, so they are asked for
       again ten times a second only, and in a forked child. */
    static _Atomic uint64_t known; /* pid, tenth of a second, answer */
    static _Atomic uint32_t known_uid;
    static bool look_at_ourselves(bool now) {
        uint64_t tenth = (uint64_t)(sa_now() * 10.0) & 0x7fffffff;
        uint64_t key = (uint64_t)(uint32_t)sa_pid << 32 | tenth << 1, was = known;
        if (now || (was & ~(uint64_t)1) != key) {
            known_uid = geteuid();
            known = was = key | (sa_serve_needed() ? 1 : 0);
        }
        return was & 1;
    }
    """
    bint look_at_ourselves(bint now) nogil
    uint32_t known_uid


cdef uint32_t own_uid(bint now) noexcept nogil:
    """The user of this process, as of at most a tenth of a second ago, or `now`."""
    look_at_ourselves(now)
    return known_uid


cdef int serve_token(uint64_t *token, bint needed) noexcept nogil:
    """The token of this process's socket, which is started where peers need it; 0 or -errno."""
    cdef int rc
    if not needed and not look_at_ourselves(False):
        return -ENOTCONN
    rc = sa_serve_start(sa_served_descriptor)
    return rc if rc < 0 else sa_serve_token(token)


cdef int fetch_served(uint32_t uid, const uint64_t *token, const uint64_t *ident, uint64_t size,
                      bint writable, int64_t deadline, int *fd, int *err) noexcept nogil:
    cdef int64_t left = deadline - sa_now_ms()
    if left <= 0:
        fd[0] = -1
        err[0] = 0
        return SA_E_TIMEOUT
    cdef char[SA_NAME] socket_name
    cdef char[SA_NAME] name
    sa_socket_name(uid, token, socket_name)
    sa_segment_name(ident, name)
    return sa_fetch_served(socket_name, uid, name, ident, size, writable, <int>left, fd, err)


cdef int fetch_device(uint32_t uid, const uint64_t *token, const uint64_t *ident, uint64_t size,
                      int64_t deadline, int *fd, int *err) noexcept nogil:
    """A descriptor of device memory; whether it is one, its driver tells."""
    cdef int64_t left = deadline - sa_now_ms()
    cdef char[SA_NAME] socket_name
    if left <= 0:
        fd[0] = -1
        err[0] = 0
        return SA_E_TIMEOUT
    sa_socket_name(uid, token, socket_name)
    return sa_fetch_served(socket_name, uid, NULL, ident, size, True, <int>left, fd, err)


cdef int device_put(const uint64_t *ident, uint64_t size, int fd) noexcept nogil:
    return sa_device_put(ident, size, fd)


cdef void device_remove(const uint64_t *ident, int fd) noexcept nogil:
    sa_device_remove(ident, fd)


cdef int device_note(void *p, uint64_t serial, const uint64_t *ident) noexcept nogil:
    return sa_device_note(p, serial, ident)


cdef void device_forget(const void *p, uint64_t serial) noexcept nogil:
    sa_device_forget(p, serial)


cdef bint device_in_flight(const void *p) noexcept nogil:
    return sa_device_in_flight(p)


cdef bint device_unreachable(const void *p, uint64_t serial) noexcept nogil:
    return sa_device_unreachable(p, serial)


cdef void settle() noexcept nogil:
    sa_pool_settle()


cdef int random_id(uint64_t *out) noexcept nogil:
    return sa_random_id(out)


cdef void let_go() noexcept nogil:
    sa_pool_trim()


cdef int boot_id(unsigned char *out) noexcept nogil:
    return sa_boot_id(out)


cdef int namespace_id(const char *which, uint64_t *out) noexcept nogil:
    return sa_namespace(which, out)


# ---- Python level ----

cdef object _stack = contextvars.ContextVar("sharedarray_memory", default=())


cdef class _HandlerContext:
    """Makes a handler current in this thread or task, and restores the former one."""
    cdef int kind

    def __enter__(self):
        former = PyDataMem_GetHandler()
        PyDataMem_SetHandler(capsule_for(former, self.kind))
        _stack.set(((self, former), _stack.get()))
        return self

    def __exit__(self, *exc):
        if not _stack.get():
            raise RuntimeError("this scope was left more often than entered")
        (_, former), rest = _stack.get()
        _stack.set(rest)
        PyDataMem_SetHandler(former)


class memory(_HandlerContext):
    """Choose the memory of the CPU arrays made in a ``with`` block, in this thread or task.

    Parameters
    ----------
    mode : {"shared", "private"}
        ``"shared"`` (the default of the library): arrays live in shared memory and go to other
        processes by handle. ``"private"``: arrays live in NumPy's ordinary memory, copy-on-write
        across fork, sent by value, until ``share_memory_()``.

    Raises
    ------
    ValueError
        For any other mode.

    Examples
    --------
    >>> import sharedarray as xp
    >>> with xp.memory("private"):
    ...     x = xp.zeros(3)
    >>> x.is_shared(), x.share_memory_().is_shared()
    (False, True)
    """

    def __init__(self, mode):
        (<_HandlerContext?>self).kind = kind_named(mode, "memory()")


class capture_numpy(_HandlerContext):
    """Let every array that NumPy allocates in a ``with`` block be born in shared memory.

    In this thread or task, whoever makes the array: ``np.load``, SciPy, readers, your own code.
    ``xp.asarray`` then adopts it without a copy. For numeric data: arrays that hold Python objects
    (pandas string columns, say) made inside must not be used after a fork.

    Examples
    --------
    >>> import numpy as np
    >>> import sharedarray as xp
    >>> with xp.capture_numpy():
    ...     a = np.arange(4.0)
    >>> x = xp.asarray(a)
    >>> x.is_shared(), np.shares_memory(a, np.asarray(x))
    (True, True)
    """

    def __init__(self):
        (<_HandlerContext?>self).kind = ALWAYS


cdef int kind_named(mode, where) except -1:
    if mode == "shared":
        return SWITCHING
    if mode == "private":
        return PRIVATE
    raise ValueError(f"{where}: the mode is 'shared' or 'private', not {mode!r}")


def stats():
    """Return what `memory_stats` says of the CPU: bytes by kind."""
    cdef sa_stats s
    with nogil:
        sa_pool_stats(&s)
    return {"allocated": s.allocated, "cached": s.cached, "published": s.published,
            "in_flight": s.in_flight, "attached": _attached, "peak": s.peak}


def trim():
    """Give cached memory of the CPU back to the system; return the bytes."""
    cdef size_t n
    with nogil:
        n = sa_pool_trim()
    return n


def cancel(double seconds):
    """Let go of messages sent at least so many seconds ago; return the bytes freed."""
    cdef uint64_t freed
    with nogil:
        freed = sa_collect(seconds)
    return freed


class Suspended:
    """A callable of the user's, called with the allocation scope of this thread closed.

    Parameters
    ----------
    function : callable
        What is called.
    """

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        cdef int token = suspend()
        try:
            return self.function(*args, **kwargs)
        finally:
            leave(token)


def _describe_failure(nbytes):
    """Words and errno for this thread's last failed allocation."""
    cdef uint64_t avail = 0, space = 0
    cdef char[64] which
    cdef char[64] whose
    cdef int rc, err = sa_failure
    (&sa_failure)[0] = 0
    memset(which, 0, 64)
    with nogil:
        rc = sa_memory_limit(b"", SA_LIMIT_MACHINE | SA_LIMIT_CGROUP, &avail, which)
        if sa_memory_limit(b"", SA_LIMIT_ADDRESS, &space, whose) == 0 and (rc or space < avail):
            rc, avail, which = 0, space, whose
    figures = stats()
    asked = "some bytes" if nbytes is None else f"{nbytes:,} bytes ({size_text(nbytes)})"
    limit = f"; {which.decode()} has {size_text(avail)} left" if rc == 0 else ""
    if err == ENOMEM and rc == 0 and (nbytes or 0) < avail // 2:    # it is not memory that lacks
        refused = mapping_limit()
        limit = f"; {refused}" if refused else limit
    if err == EFBIG:
        most = size_text(getrlimit(RLIMIT_FSIZE)[0])
        limit = f"; RLIMIT_FSIZE (ulimit -f) is {most} for a segment"
    kind = "shared memory" if err else "memory"
    return (f"cannot allocate {asked} of {kind}{limit}; {size_text(figures['allocated'])} are in "
            f"arrays, {size_text(figures['cached'])} cached (empty_cache() lets go of it), "
            f"{size_text(figures['in_flight'])} in flight (sent and not opened yet)"), err


def hand_over():
    """Give what is in flight to a keeper, which stays when this process has ended.

    Returns
    -------
    int
        0, or the negative errno of the failure.
    """
    cdef int rc
    with nogil:
        rc = sa_hand_over()
    return rc


def linger_for(double seconds):
    """Let the keeper of this process, and of those forked from it, stay at most so many seconds."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), SA_KEEPER_PROGRAM.decode())
    if sa_keeper_configure(os.fsencode(path), <uint64_t>(seconds * 1000)) < 0:
        raise MemoryError("no memory for the path of the keeper's program")


cdef int configure() except -1:
    global _default_kind
    cdef int rc = sa_fork_init()
    if rc < 0:
        raise OSError(-rc, f"cannot register fork handlers: {os.strerror(-rc)}")
    _default_kind = kind_named(os.environ.get("SHAREDARRAY_MEMORY") or "shared",
                               "SHAREDARRAY_MEMORY")
    check_serve()
    sa_pool_set_cap(cache_cap())
    linger_for(linger())
    Py_AtExit(sa_hand_over_at_exit)     # what later atexit callbacks send
    describe_memory_with(_describe_failure)
    gc.callbacks.append(_around_collection)
    return 0


configure()
