"""Ledgers seen from outside: where they hold what, and how another process's is opened."""

from libc.stdint cimport uint64_t

from sharedarray cimport _core

cdef extern from *:
    """
    #include "core/ledger.h"
    enum {
        AT_MAGIC = offsetof(sa_ledger, magic),
        AT_PID = offsetof(sa_ledger, pid),
        AT_START = offsetof(sa_ledger, start),
        AT_PIDNS = offsetof(sa_ledger, pidns),
        AT_WORD = offsetof(sa_ledger, row[0].word),
        AT_HOLD = offsetof(sa_ledger, row[0].hold),
        AT_CHILD = offsetof(sa_ledger, child),
        AT_MADE = offsetof(sa_ledger, made),
        AT_TICKET = offsetof(sa_ledger, row[0].ticket),
        ROW = sizeof(((sa_ledger *)0)->row[0]),
        AT_TICKET_SEGMENT = offsetof(sa_ledger, row[0].ticket_segment)
    };
    """
    enum:
        AT_MAGIC
        AT_PID
        AT_START
        AT_PIDNS
        AT_WORD
        AT_HOLD
        AT_CHILD
        AT_MADE
        AT_TICKET
        AT_TICKET_SEGMENT
        SA_CHILDREN
        SA_MADE
        ROW
        SA_ROWS
        SA_ROWS_MIN
        SA_PENDING
    const uint64_t SA_LEDGER_MAGIC
    uint64_t SA_LEDGER_BYTES(uint64_t rows)


def ledger_layout():
    """Return where a ledger holds what it tells to others, for `_notes` and `_segments`.

    Returns
    -------
    dict
        The ``sizes`` that ledgers have and the ``magic_value`` at their ``magic``; offsets in bytes
        of single words (``pid``, ``start``, ``pidns``); of columns offset, distance of entries and
        number of entries; the state of a ``pending`` ticket (its lowest two bits).
    """
    cdef uint64_t rows = SA_ROWS
    sizes = []
    while rows >= SA_ROWS_MIN:
        sizes.append(SA_LEDGER_BYTES(rows))
        rows //= 2
    return {"sizes": tuple(sizes), "magic_value": SA_LEDGER_MAGIC, "magic": AT_MAGIC,
            "pid": AT_PID, "start": AT_START, "pidns": AT_PIDNS, "pending": SA_PENDING,
            "word": (AT_WORD, ROW, SA_ROWS), "hold": (AT_HOLD, ROW, SA_ROWS),
            "ticket": (AT_TICKET, ROW, SA_ROWS), "child": (AT_CHILD, 16, SA_CHILDREN),
            "ticket_segment": (AT_TICKET_SEGMENT, ROW, SA_ROWS), "made": (AT_MADE, 16, SA_MADE)}


def open_ledger(int pid, int number, name, uint64_t size):
    """Open another process's ledger for reading: only if it is that memfd, sealed, of this user.

    Parameters
    ----------
    pid, number : int
        The process, and the descriptor that it has.
    name : str
        The 32 digits of its name.
    size : int
        Of the ledger, in bytes.

    Returns
    -------
    int
        A descriptor.

    Raises
    ------
    OSError
        If something else stands there, or it cannot be opened.
    """
    cdef uint64_t[2] ident
    cdef int fd = -1, err = 0, reason
    ident[0] = int(name[:16], 16)
    ident[1] = int(name[16:], 16)
    with nogil:
        reason = _core.open_foreign(pid, 0, number, ident, size, False, &fd, &err)
    if fd < 0:
        raise OSError(err, _core.reason_text(reason).decode())
    return fd


def is_alive(int pid, uint64_t start):
    """Whether that very process runs still; True when in doubt."""
    return _core.process_alive(pid, start)
