"""What a ledger tells of its process to who looks from outside. Source: lseek(2), SEEK_DATA."""

import errno
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from . import _ledger

__all__ = ["LAYOUT", "Ledger", "read_ledger"]

LAYOUT = _ledger.ledger_layout()
CHUNK = 1 << 20  # bytes that are read at once


@dataclass
class Ledger:
    """What a ledger says. Anybody of the same user may have written it: for comparing only.

    Attributes
    ----------
    pid, start, pidns : int
        Whose it is.
    made : set of str
        Ids of the segments that this process made.
    pending : Counter
        Messages in flight, by the first word of their segment's id.
    """

    pid: int
    start: int
    pidns: int
    made: set[str]
    pending: Counter


def read_ledger(fd: int) -> Ledger | None:
    """Return what a ledger says; None if it is none of this version.

    Parameters
    ----------
    fd : int
        Open for reading. Holes are skipped, so that looking costs no memory.
    """
    head = os.pread(fd, 4096, 0)

    def word(name: str) -> int:
        return int.from_bytes(head[LAYOUT[name] : LAYOUT[name] + 8], "little")

    if len(head) < 4096 or word("magic") != LAYOUT["magic_value"]:
        return None
    made = set()
    for _, pairs in _column(fd, "made", np.dtype("2u8")):
        made |= {f"{a:016x}{b:016x}" for a, b in pairs[pairs.any(axis=1)].tolist()}
    pending: Counter = Counter()
    for first, words in _column(fd, "ticket", np.dtype("u8")):
        places = np.flatnonzero(words & 3 == LAYOUT["pending"])
        if places.size:
            tags = _entries(fd, "ticket_segment", first, len(words), np.dtype("u8"))
            pending.update(tags[places[places < len(tags)]].tolist())
    return Ledger(word("pid"), word("start"), word("pidns"), made, pending)


def _column(fd: int, name: str, dtype: np.dtype) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the first place and the entries of what is no hole, in pieces."""
    start, stride, count = LAYOUT[name]
    at, end = start, start + stride * count
    while at < end:
        try:
            at = max(at, os.lseek(fd, at, os.SEEK_DATA))
            until = min(end, os.lseek(fd, at, os.SEEK_HOLE))
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole up to the end
                return
            raise
        first = (at - start) // stride
        while start + stride * first < until:
            entries = _entries(fd, name, first, min(CHUNK // stride, count - first), dtype)
            if not len(entries):
                return
            yield first, entries
            first += len(entries)
        at = start + stride * first


def _entries(fd: int, name: str, first: int, count: int, dtype: np.dtype) -> np.ndarray:
    """Return some entries of a column, fewer where the ledger ends."""
    start, stride, _ = LAYOUT[name]
    data = os.pread(fd, stride * (count - 1) + dtype.itemsize, start + stride * first)
    count = max(0, (len(data) - dtype.itemsize) // stride + 1)
    base, shape = (dtype.base, dtype.shape) if dtype.subdtype else (dtype, ())
    steps = (stride, *(base.itemsize for _ in shape))
    return np.ndarray((count, *shape), base, data, strides=steps)
