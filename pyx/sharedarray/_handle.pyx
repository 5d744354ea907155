"""Handles: the few bytes that travel in place of an array's data."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.errno cimport (
    EACCES,
    EAGAIN,
    EBADF,
    EINVAL,
    EMFILE,
    ENFILE,
    ENOMEM,
    ENOSPC,
    EPROTO,
    ESTALE,
)
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
from numpy cimport (
    PyArray_BYTES,
    PyArray_DIMS,
    PyArray_ISWRITEABLE,
    PyArray_NDIM,
    PyArray_SIZE,
    PyArray_STRIDES,
    import_array,
    ndarray,
    npy_intp,
)

import ast
import os

import numpy as np

from sharedarray cimport _core
from sharedarray._core cimport sa_segment, sa_ticket
from sharedarray._errors cimport check
from sharedarray._storage cimport Hold, Storage, make_ndarray, received_hold, shared_storage

from ._errors import HandleError

import_array()

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
    enum:
        SA_HANDLE_MAGIC
        SA_HANDLE_READONLY
        SA_HANDLE_STORAGE
        SA_HANDLE_SERVED
    uint64_t sa_checksum(const unsigned char *p, uint64_t n)
    bint sa_view_fits(int64_t offset, int64_t itemsize, int ndim, const int64_t *shape,
                      const int64_t *strides, uint64_t nbytes)

cdef extern from "core/open.h" nogil:
    uint64_t SA_ANY_SIZE     # a ledger's, judged when it is mapped
    enum:
        SA_OK
        SA_E_DEAD
        SA_E_GONE
        SA_E_DENIED
        SA_E_LIMIT
        SA_E_NOSERVER

cdef enum:
    MAX_DIMS = 64   # NumPy's NPY_MAXDIMS

# ---- who we are: fixed for a process, except for its namespaces' and user's change ----

cdef unsigned char[16] _boot
cdef bint _boot_known = _core.boot_id(_boot) == 0   # now, while there are descriptors
cdef uint64_t _pidns = 0, _netns = 0
cdef int _namespaces_pid = -1


cdef int identify(sa_handle *h) except -1:
    """Fill in this machine, namespaces and user."""
    global _boot_known, _namespaces_pid, _pidns, _netns
    if not _boot_known:
        check(_core.boot_id(_boot), "cannot read the boot id of this machine "
                                    "(/proc/sys/kernel/random): is /proc mounted?")
        _boot_known = True
    if _namespaces_pid != _core.own_pid():
        _pidns = _netns = 0     # where it cannot be told; asked again the next time
        if _core.namespace_id(b"pid", &_pidns) == 0 and _core.namespace_id(b"net", &_netns) == 0:
            _namespaces_pid = _core.own_pid()
    memcpy(h.boot, _boot, 16)
    h.pidns = _pidns
    h.netns = _netns
    h.uid = _core.own_uid(False)
    return 0


# ---- dtypes as text ----

cdef dict _text_of = {}
cdef dict _dtype_of = {}


cdef bytes dtype_text(object dtype):
    cdef bytes text = _text_of.get(dtype)
    if text is None:
        if dtype.names is None and dtype.subdtype is None and dtype.metadata is None:
            text = b"s" + dtype.str.encode()
        else:
            text = b"d" + repr(np.lib.format.dtype_to_descr(dtype)).encode()
        if dtype.kind != "V" and len(_text_of) < 1000:     # equal void dtypes may differ in fields
            _text_of[dtype] = text
    return text


cdef object dtype_from(bytes text):
    dtype = _dtype_of.get(text)
    if dtype is None:
        try:
            if text[:1] == b"s":
                dtype = np.dtype(text[1:].decode("ascii"))
            elif text[:1] == b"d":
                dtype = np.lib.format.descr_to_dtype(ast.literal_eval(text[1:].decode()))
        except Exception as error:
            raise HandleError(f"the handle names no dtype: {text[:80]!r}") from error
        if dtype is None or dtype.hasobject or not isinstance(dtype, np.dtype):
            raise HandleError(f"the handle names no dtype of arrays: {text[:80]!r}")
        if len(_dtype_of) < 1000:
            _dtype_of[text] = dtype
    return dtype


# ---- making ----

cdef extern from *:
    """
    #include <stdlib.h>
    /* The tickets of the pickling that this thread is at; nested ones share the list. */
    typedef struct { uint64_t sequence; uint32_t index; } noted;
    static __thread struct { noted *at; size_t n, room; int depth; } notes;

    static void note(uint32_t index, uint64_t sequence) {
        if (!notes.depth) return;
        if (notes.n == notes.room) {
            size_t room = notes.room ? 2 * notes.room : 16;
            noted *more = realloc(notes.at, room * sizeof *more);
            if (!more) return; /* in flight until collect() */
            notes.at = more;
            notes.room = room;
        }
        notes.at[notes.n++] = (noted){sequence, index};
    }
    static size_t notes_begin(void) { notes.depth++; return notes.n; }
    static bool notes_take(size_t mark, uint32_t *index, uint64_t *sequence) {
        if (notes.n <= mark) return false;
        notes.n--;
        *index = notes.at[notes.n].index;
        *sequence = notes.at[notes.n].sequence;
        return true;
    }
    static void notes_end(void) {
        if (--notes.depth) return;
        free(notes.at);
        notes.at = NULL;
        notes.n = notes.room = 0;
    }
    """
    void note(uint32_t index, uint64_t sequence) nogil
    size_t notes_begin() nogil
    bint notes_take(size_t mark, uint32_t *index, uint64_t *sequence) nogil
    void notes_end() nogil


cdef object pickled(object dump, object pickler, object obj):
    """Call ``dump(pickler, obj)``; if it fails, what it sent so far will not be sent after all."""
    cdef uint32_t index
    cdef uint64_t sequence
    cdef size_t mark = notes_begin()
    try:
        return dump(pickler, obj)
    except BaseException:
        while notes_take(mark, &index, &sequence):
            _core.cancel_ticket(index, sequence)
        raise
    finally:
        notes_end()


cdef bytes pack(Hold hold, ndarray a, bint readonly):
    """The bytes of a message: a new ticket, until whose opening this process keeps the memory."""
    cdef sa_handle h
    cdef sa_ticket ticket
    cdef sa_segment *segment
    cdef int rc, ndim = 0
    cdef bytes text = b""
    cdef char *p = <char*>hold.p
    memset(&h, 0, sizeof(h))
    identify(&h)
    h.magic = SA_HANDLE_MAGIC
    if readonly:
        h.flags |= SA_HANDLE_READONLY
    if a is None:
        h.flags |= SA_HANDLE_STORAGE
    else:
        text = dtype_text(a.dtype)
        ndim = PyArray_NDIM(a)
        if PyArray_SIZE(a):     # an empty view may point anywhere
            h.offset = PyArray_BYTES(a) - p
    if len(text) > 65535:
        raise ValueError(f"the description of the dtype is too long for a handle: {len(text)} "
                         "bytes, at most 65,535")
    h.ndim = ndim
    h.dtype_len = len(text)
    segment = _core.find_segment(p)
    memcpy(h.segment, segment.id, 16)
    h.segment_size = segment.size
    h.serial = hold.serial
    h.block = p - segment.base
    h.nbytes = hold.nbytes
    h.pid = _core.own_pid()
    h.start = _core.own_start()
    h.fd = segment.fd
    h.creator_pid = segment.creator_pid if segment.creator_pid else h.pid
    h.creator_start = segment.creator_start if segment.creator_pid else h.start
    h.creator_fd = segment.creator_fd if segment.creator_pid else h.fd
    with nogil:
        if _core.serve_token(h.token) == 0:
            h.flags |= SA_HANDLE_SERVED
        rc = _core.new_ticket(p, &ticket)
        if rc == -EMFILE or rc == -ENFILE or rc == -ENOMEM:
            _core.let_go()
            rc = _core.new_ticket(p, &ticket)
    if rc == -ENOSPC:
        raise OSError(ENOSPC, "cannot send a handle: messages that nobody opened yet fill this "
                      "process's ledger; receive some first, or raise ulimit -f or -v before the "
                      "first one is sent")
    if rc == -EBADF:
        raise OSError(EBADF, "cannot send a handle: this program closed the descriptors of shared "
                      "memory (os.closerange(), os.dup2(), a daemon's start?); do that before the "
                      "first array is made, or in a forked child, and send arrays made afterwards")
    check(rc, "cannot send a handle: no ticket in this process's ledger")
    note(ticket.index, ticket.sequence)
    memcpy(h.ledger, ticket.id, 16)
    h.ledger_fd = ticket.fd
    h.ticket = ticket.index
    h.sequence = ticket.sequence
    h.word = ticket.word
    memcpy(h.creator_ledger, ticket.creator, 16)
    h.creator_ledger_fd = ticket.creator_fd
    h.creator_ledger_here = ticket.creator_fd_here
    cdef Py_ssize_t n = sizeof(h) + 16 * ndim + len(text)
    cdef bytes data = PyBytes_FromStringAndSize(NULL, n + 8)
    cdef char *out = PyBytes_AS_STRING(data)
    memcpy(out, &h, sizeof(h))
    if ndim:
        memcpy(out + sizeof(h), PyArray_DIMS(a), 8 * ndim)
        memcpy(out + sizeof(h) + 8 * ndim, PyArray_STRIDES(a), 8 * ndim)
    memcpy(out + sizeof(h) + 16 * ndim, PyBytes_AS_STRING(text), len(text))
    cdef uint64_t sum = sa_checksum(<unsigned char*>out, n)
    memcpy(out + n, &sum, 8)
    return data


# ---- reading ----


@cython.final
cdef class Received:
    """What a handle leads to, or says it leads to."""

    cdef tuple shape(self):
        cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(self.data)
        cdef int64_t *dims = <int64_t*>(h + 1)
        return tuple([dims[i] for i in range(h.ndim)])

    cdef ndarray view(self):
        cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(self.data)
        cdef npy_intp *dims = <npy_intp*>(h + 1)
        try:
            return make_ndarray(<char*>self.hold.p + h.offset, self.dtype, h.ndim, dims,
                                dims + h.ndim, not self.readonly, self.hold)
        except (ValueError, MemoryError) as error:
            raise HandleError(f"the handle's view is impossible: {error}") from error


cdef sa_handle *parsed(bytes data) except NULL:
    """The header, once length, magic and checksum are found right."""
    cdef Py_ssize_t n = PyBytes_GET_SIZE(data)
    cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(data)
    cdef uint64_t sum
    if n < <Py_ssize_t>sizeof(sa_handle) + 8:
        raise HandleError(f"these {n} bytes are no handle: too short")
    if h.magic != SA_HANDLE_MAGIC:
        raise HandleError("these bytes are no handle of this version of sharedarray")
    if n != <Py_ssize_t>sizeof(sa_handle) + 16 * h.ndim + h.dtype_len + 8:
        raise HandleError(f"the handle is truncated or too long: {n} bytes")
    memcpy(&sum, PyBytes_AS_STRING(data) + n - 8, 8)
    if sum != sa_checksum(<unsigned char*>h, n - 8):
        raise HandleError("the bytes of the handle were altered: its checksum is wrong")
    return h


cdef Received described(bytes data):
    """What the bytes say; checked in themselves, nothing opened."""
    cdef sa_handle *h = parsed(data)
    cdef Received r = Received.__new__(Received)
    cdef int64_t *dims = <int64_t*>(h + 1)
    cdef int64_t *steps = dims + h.ndim
    r.data = data
    r.readonly = h.flags & SA_HANDLE_READONLY
    if h.block >= h.segment_size or h.nbytes > h.segment_size - h.block:
        raise HandleError("the handle's block reaches outside its segment")
    if h.flags & SA_HANDLE_STORAGE:
        return r
    if h.ndim > MAX_DIMS:
        raise HandleError(f"the handle has {h.ndim} dimensions; NumPy allows {MAX_DIMS}")
    r.dtype = dtype_from((<char*>(steps + h.ndim))[:h.dtype_len])
    if not sa_view_fits(h.offset, r.dtype.itemsize, h.ndim, dims, steps, h.nbytes):
        raise HandleError("the handle's view reaches outside its block")
    return r


cdef size_t said_size(bytes data):
    """Bytes of the block, as the handle says; 0 where it says nothing."""
    try:
        return parsed(data).nbytes
    except HandleError:
        return 0


cdef Received open_bytes(bytes data):
    """Open a handle: map its memory if it is not mapped already, and mark the ticket opened."""
    cdef Received r = described(data)
    cdef sa_handle *h = <sa_handle*>PyBytes_AS_STRING(data)
    cdef sa_handle here
    cdef sa_segment *segment
    cdef char *p
    cdef bint attached = True
    cdef int rc
    cdef int64_t deadline = _core.now_ms() + 800    # for all questions to the sender's socket
    try:
        identify(&here)
    except (OSError, MemoryError) as error:
        refused = HandleError(str(error))
        refused.errno = error.errno
        raise refused from None
    if memcmp(h.boot, here.boot, 16):
        raise HandleError("the handle is of another machine, or of an earlier boot of this one; "
                          "between machines send pickle.dumps(x)")
    if h.uid != here.uid and h.uid != _core.own_uid(True):
        raise HandleError(f"the handle belongs to user {h.uid}, this process to {here.uid}")
    segment = _core.hold_segment(h.segment, h.segment_size, not r.readonly, &rc)
    if rc < 0:
        raise HandleError("the handle and the mapped segment differ in size")
    if rc == 1:         # a block of this very process
        attached = False
        p = <char*>_core.hold_block(h.segment, h.block, h.serial)
        if p == NULL:
            raise HandleError(gone(h, &here))
    else:
        if segment == NULL:
            segment = attach(h, &here, not r.readonly, deadline)
        p = segment.base + h.block
        count_in(h, &here, segment, p, deadline)
        attached = not segment.inherited
    r.hold = received_hold(p, h.nbytes, h.segment, h.serial, attached,
                           not attached or segment.writable)
    mark_opened(h, &here, deadline)
    return r


cdef bint may_see(sa_handle *h, sa_handle *here) noexcept nogil:
    """Whether the sender's pid may mean the same process here; names are compared anyway."""
    return h.pidns == here.pidns or h.pidns == 0 or here.pidns == 0


cdef sa_segment *attach(sa_handle *h, sa_handle *here, bint writable,
                        int64_t deadline) except NULL:
    """Get the segment's descriptor from whoever has it, and map it."""
    cdef int fd = -1, err = 0, reason = SA_E_DENIED, second = SA_OK, served = SA_OK, rc, attempt
    cdef sa_segment *segment
    cdef bint same_pids = may_see(h, here)
    with nogil:
        for attempt in range(2):
            if same_pids:
                reason = _core.open_foreign(h.pid, h.start, h.fd, h.segment, h.segment_size,
                                            writable, &fd, &err)
                if fd < 0 and reason != SA_E_LIMIT and (h.creator_pid != h.pid
                                                        or h.creator_fd != h.fd):
                    second = _core.open_foreign(h.creator_pid, h.creator_start, h.creator_fd,
                                                h.segment, h.segment_size, writable, &fd, &err)
                    if second == SA_E_LIMIT:
                        reason = second
            if fd < 0 and reason != SA_E_LIMIT and h.flags & SA_HANDLE_SERVED:
                served = _core.fetch_served(h.uid, h.token, h.segment, h.segment_size, writable,
                                            deadline, &fd, &err)
                if served == SA_E_LIMIT:
                    reason = served
            if fd < 0 and reason != SA_E_LIMIT:
                served = from_keeper(h, h.segment, h.segment_size, writable, served, deadline, &fd,
                                     &err)
                if served == SA_E_LIMIT:
                    reason = served
            if fd >= 0 or reason != SA_E_LIMIT:
                break
            if attempt == 0:
                _core.let_go()
        if fd < 0 and same_pids and (reason == SA_E_DEAD or reason == SA_E_GONE):
            _core.open_anywhere(h.segment, h.segment_size, writable, deadline, &fd, &err)
    if fd < 0:
        refuse(h, here, reason, served, err)
    with nogil:
        rc = _core.attach_descriptor(h.segment, h.segment_size, fd, writable, h.creator_pid,
                                     h.creator_fd, h.creator_start, &segment)
    if rc == -EMFILE:
        refuse(h, here, SA_E_LIMIT, SA_OK, EMFILE)
    if rc < 0:
        error = HandleError(f"cannot map the {h.segment_size:,} bytes of the segment: "
                            f"{os.strerror(-rc)} (address space, ulimit -v, vm.max_map_count?)")
        error.errno = -rc
        raise error
    return segment


cdef int from_keeper(sa_handle *h, const uint64_t *ident, uint64_t size, bint writable, int served,
                     int64_t deadline, int *fd, int *err) noexcept nogil:
    """Ask the keeper of a sender that has ended: its socket is named by that process's ledger."""
    cdef int kept, error = 0
    kept = _core.fetch_served(h.uid, h.ledger, ident, size, writable, deadline, fd, &error)
    if kept == SA_E_NOSERVER or kept == SA_E_GONE:
        return served
    err[0] = error
    return kept


cdef int refuse(sa_handle *h, sa_handle *here, int reason, int served, int err) except -1:
    """Raise the HandleError for a descriptor that could not be had."""
    why = _core.reason_text(served if served != SA_OK else reason).decode()
    if err:
        why += f" ({os.strerror(err)})"
    if not may_see(h, here) and not h.flags & SA_HANDLE_SERVED:
        raise HandleError(
            f"the sender (process {h.pid}) is in another pid namespace and serves no socket: start "
            "it with SHAREDARRAY_SERVE=1 in the same network namespace")
    if not may_see(h, here) and h.netns != here.netns:
        raise HandleError(f"the sender (process {h.pid}) is in another pid namespace and another "
                          "network namespace: share one of the two, or send pickle.dumps(x)")
    if reason == SA_E_LIMIT:
        error = HandleError(f"cannot open the memory of process {h.pid}: {why}; raise ulimit -n "
                            "or drop arrays")
        error.errno = err if err in (EMFILE, ENFILE) else EMFILE
        raise error
    if reason == SA_E_DEAD:
        refuse_dead(h)
    if reason == SA_E_GONE:
        raise HandleError(gone(h, here) + f" ({why})")
    raise HandleError(f"cannot open the memory of process {h.pid}: {why}")


cdef int refuse_dead(sa_handle *h) except -1:
    """Raise the HandleError for a sender that has ended, if nobody else has the memory."""
    raise HandleError(
        f"the sender (process {h.pid}) has ended, and with it the memory, which nobody holds: it "
        "was killed, left by os._exit(), ended more than SHAREDARRAY_LINGER seconds ago (default "
        "300), or could not run its keeper (the program sharedarray-keeper beside the package). "
        "Open it sooner, or let the sender fill an array that the receiver made")


cdef str gone(sa_handle *h, sa_handle *here):
    """Why a living sender does not keep the memory any more."""
    cdef bint cancelled
    with nogil:
        map_ledger_of(h, here, h.ledger, h.pid, h.start, h.ledger_fd, -1, _core.now_ms() + 100,
                      False)
        cancelled = _core.ticket_cancelled(h.ledger, h.ticket, h.sequence)
    if cancelled:
        return (f"the memory is gone: the sender (process {h.pid}) let go of this message before "
                "it was opened, by collect() or because its pickling failed")
    return ("the memory is gone: nobody held it any more, and it may serve another array by now")


cdef dict _LEDGER_ADVICE = {
    EMFILE: "raise ulimit -n or drop arrays",
    ENFILE: "fs.file-max is reached",
    ENOMEM: "no address space is left (ulimit -v, vm.max_map_count)",
    EPROTO: "it has another size than this version of sharedarray knows",
}


cdef int count_in(sa_handle *h, sa_handle *here, sa_segment *segment, char *p,
                  int64_t deadline) except -1:
    """Count this process as a holder of the block, in its creator's ledger."""
    cdef int rc = 0, missing = 0
    cdef bint dead = False
    cdef bint counted = h.creator_ledger[0] or h.creator_ledger[1]
    with nogil:
        rc = -EAGAIN
        while rc == -EAGAIN:    # another thread may unmap an unused ledger
            if counted:
                missing = map_ledger_of(h, here, h.creator_ledger, h.creator_pid, h.creator_start,
                                        h.creator_ledger_fd, h.creator_ledger_here, deadline,
                                        True)
                if (missing and missing != EMFILE and missing != ENFILE and missing != ENOMEM
                        and missing != EPROTO and h.pidns and h.pidns == here.pidns
                        and not _core.process_alive(h.creator_pid, h.creator_start)):
                    dead = True
            if missing:
                _core.drop_segment(segment)
                break
            rc = _core.attach_block(segment, p, h.creator_ledger if counted else NULL, h.word,
                                    h.serial)
    if dead:    # without it nobody can tell whether the block still is the one that was sent
        refuse_dead(h)
    if missing:
        advice = _LEDGER_ADVICE.get(missing, "if its /proc entry is closed, SHAREDARRAY_SERVE=1 "
                                             "there opens a socket")
        error = HandleError(f"cannot open the ledger of process {h.creator_pid}, which made the "
                            f"memory: {os.strerror(missing)} ({advice})")
        error.errno = missing
        raise error
    if rc == -ESTALE:
        raise HandleError(gone(h, here))
    if rc == -EINVAL:
        raise HandleError("the handle names no entry of the ledger of its memory's creator")
    if rc < 0:
        raise HandleError("cannot count this process as a holder of the memory: "
                          f"{os.strerror(-rc)}")
    return 0


cdef int map_ledger_of(sa_handle *h, sa_handle *here, const uint64_t *ident, int pid,
                       uint64_t start, int fdnum, int fdnum_at_sender, int64_t deadline,
                       bint anywhere) noexcept nogil:
    """Have that ledger mapped, after letting go of caches if need be; 0, or why not: an errno."""
    cdef int err = map_ledger_once(h, here, ident, pid, start, fdnum, fdnum_at_sender, deadline,
                                   anywhere)
    if err == EMFILE or err == ENFILE or err == ENOMEM:
        _core.let_go()
        err = map_ledger_once(h, here, ident, pid, start, fdnum, fdnum_at_sender, deadline,
                              anywhere)
    return err


cdef int map_ledger_once(sa_handle *h, sa_handle *here, const uint64_t *ident, int pid,
                         uint64_t start, int fdnum, int fdnum_at_sender, int64_t deadline,
                         bint anywhere) noexcept nogil:
    """From its process, from the sender, its socket or keeper, or from anyone."""
    cdef int fd = -1, err = 0
    if _core.ledger_known(ident):
        return 0
    if may_see(h, here):
        if fdnum >= 0:
            _core.open_foreign(pid, start, fdnum, ident, SA_ANY_SIZE, True, &fd, &err)
        if fd < 0 and fdnum_at_sender >= 0:
            _core.open_foreign(h.pid, h.start, fdnum_at_sender, ident, SA_ANY_SIZE, True,
                               &fd, &err)
    if fd < 0 and h.flags & SA_HANDLE_SERVED:
        _core.fetch_served(h.uid, h.token, ident, SA_ANY_SIZE, True, deadline, &fd, &err)
    if fd < 0:
        from_keeper(h, ident, SA_ANY_SIZE, True, SA_OK, deadline, &fd, &err)
    if fd < 0 and anywhere and may_see(h, here) and err != EMFILE and err != ENFILE:
        _core.open_anywhere(ident, SA_ANY_SIZE, True, deadline, &fd, &err)
    if fd < 0:
        return err if err > 0 else EACCES
    return -_core.map_ledger(ident, fd, fdnum)


cdef int mark_opened(sa_handle *h, sa_handle *here, int64_t deadline) except -1:
    """Tell the sender that its message was opened. If that fails, it keeps the memory."""
    with nogil:
        while map_ledger_of(h, here, h.ledger, h.pid, h.start, h.ledger_fd, -1, deadline,
                            False) == 0 and not _core.ticket_opened(h.ledger, h.ticket,
                                                                    h.sequence):
            pass        # another thread may unmap an unused ledger
    return 0


# ---- Handle ----


@cython.final
cdef class Handle:
    """What travels in place of an array: a few bytes that name its memory.

    Made by ``x.handle()`` and ``storage.handle()``; the memory is kept while the Handle lives in
    its maker. ``bytes(h)`` and pickling count as sending: from then on the sender keeps the memory
    until somebody opened it.

    See Also
    --------
    from_handle : open it, in any process of this user on this machine.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.arange(3)
    >>> h = x.handle()
    >>> len(bytes(h)) <= 512
    True
    >>> y = xp.from_handle(xp.Handle.from_bytes(bytes(h)))
    >>> y[0] = 7
    >>> x
    Array([7, 1, 2], dtype=int64, device='cpu', shared)
    """

    def __init__(self):
        raise TypeError("a Handle is made by x.handle() or Handle.from_bytes()")

    @staticmethod
    def from_bytes(data):
        """Return the Handle of such bytes.

        Parameters
        ----------
        data : bytes-like
            What ``bytes(h)`` gave, in whatever process.

        Returns
        -------
        Handle

        Raises
        ------
        HandleError
            For bytes that are no handle, truncated or altered.

        Examples
        --------
        >>> import sharedarray as xp
        >>> h = xp.Handle.from_bytes(bytes(xp.zeros(3).handle()))
        >>> xp.from_handle(h).shape
        (3,)
        """
        cdef Handle h = Handle.__new__(Handle)
        h._data = bytes(memoryview(data))
        described(h._data)
        return h

    def __bytes__(self):
        if self._closed:
            raise ValueError("this Handle is closed; make another one from its array")
        if self._data is not None:
            return self._data
        if self._view is None:
            return pack(self._storage.hold, None, not PyArray_ISWRITEABLE(self._storage.root))
        return pack(self._storage.hold, self._view, not PyArray_ISWRITEABLE(self._view))

    def close(self):
        """Let go of the memory; the Handle cannot be sent or opened any more.

        Examples
        --------
        >>> import sharedarray as xp
        >>> h = xp.zeros(3).handle()
        >>> h.close()
        >>> bytes(h)
        Traceback (most recent call last):
        ...
        ValueError: this Handle is closed; make another one from its array
        """
        self._closed = True
        self._storage = None
        self._view = None
        self._data = None

    def __reduce__(self):
        return Handle.from_bytes, (bytes(self),)

    def __repr__(self):
        cdef Received r
        if self._closed:
            return "<Handle, closed>"
        if self._data is not None:
            r = described(self._data)
            if r.dtype is not None:
                return f"<Handle of an Array, shape={r.shape()}, dtype={r.dtype}>"
            return "<Handle of a Storage>"
        if self._view is not None:
            return f"<Handle of an Array, shape={(<object>self._view).shape}, " \
                   f"dtype={self._view.dtype}>"
        return f"<Handle of a Storage of {self._storage.nbytes} bytes>"


def handle_of_storage(Storage storage not None):
    """Return a new Handle of a Storage."""
    return make_handle(storage, None)


cdef Handle make_handle(Storage storage, ndarray a):
    if storage.hold is None:
        raise ValueError("this memory is private to the process; call share_memory_() first")
    cdef Handle h = Handle.__new__(Handle)
    h._storage = storage
    h._view = a
    return h


cdef object opened(Handle h):
    """Open a Handle of either kind: a new ndarray, or a Storage."""
    cdef Received r
    cdef ndarray a
    if h._closed:
        raise ValueError("this Handle is closed; make another one from its array")
    if h._data is not None:
        r = open_bytes(h._data)
        return shared_storage(r.hold) if r.dtype is None else r.view()
    if h._view is None:
        return h._storage
    a = h._view
    return make_ndarray(PyArray_BYTES(a), a.dtype, PyArray_NDIM(a), PyArray_DIMS(a),
                        PyArray_STRIDES(a), PyArray_ISWRITEABLE(a), h._storage.hold)
