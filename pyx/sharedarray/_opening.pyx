"""The way from a handle to its memory: whose descriptor to open, and being counted as a holder."""

from libc.errno cimport EACCES, EAGAIN, EINVAL, EMFILE, ENFILE, ENOMEM, EPROTO, ESTALE
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

import os

from sharedarray cimport _core
from sharedarray._core cimport sa_segment
from sharedarray._errors cimport check

from ._errors import HandleError

cdef extern from "core/wire.h" nogil:
    enum:
        SA_HANDLE_SERVED

cdef extern from "core/open.h" nogil:
    uint64_t SA_ANY_SIZE     # a ledger's, judged when it is mapped
    enum:
        SA_OK
        SA_E_DEAD
        SA_E_GONE
        SA_E_DENIED
        SA_E_LIMIT
        SA_E_NOSERVER

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


# ---- opening ----

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
    """Ask the keeper of a sender that has ended: its socket is named by that process's ledger.

    A keeper that is stopped does not answer: half of the time is left for finding what it holds.
    """
    cdef int kept, error = 0
    cdef int64_t now = _core.now_ms()
    kept = _core.fetch_served(h.uid, h.ledger, ident, size, writable, now + (deadline - now) // 2,
                              fd, &error)
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
        "300), or could not run its keeper (the program sharedarray-keeper beside the package); "
        "or this handle was opened before, and whoever opened it has let go. Open it sooner, hold "
        "what was opened as long as others may come, or let the sender fill an array that the "
        "receiver made")


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
