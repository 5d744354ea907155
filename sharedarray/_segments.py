"""Every segment of this user on this machine, found from outside: by ``/proc`` and the ledgers.

A segment has no name in any file system, so it is found at those who hold it: among the
descriptors and mappings of their processes (`_processes`). Nothing but a ledger is ever opened, and
that by the checks of every receiver.
"""

import os
from collections import Counter
from dataclasses import dataclass

from . import _ledger
from ._notes import LAYOUT, Ledger, read_ledger
from ._processes import Memfd, Place, Process, look

__all__ = ["Creator", "Holder", "Scan", "Segment", "scan"]


@dataclass(frozen=True)
class Holder:
    """A process that has a segment open or mapped.

    Attributes
    ----------
    pid : int
        As this process sees it.
    kind : str
        ``"process"``, or ``"keeper"`` for what keeps unopened messages after their sender's end.
    command : str
        Its command line.
    mapped : bool
        Whether it can read the memory without opening anything.
    writable : bool
        Whether a mapping or descriptor of it is.
    in_flight : int
        Messages that it sent (or keeps) and nobody opened yet.
    """

    pid: int
    kind: str
    command: str
    mapped: bool
    writable: bool
    in_flight: int


@dataclass(frozen=True)
class Creator:
    """The process that made a segment, as the ledgers tell.

    Attributes
    ----------
    pid : int
        Its process id, where it has one here; else the one in its own pid namespace.
    alive : bool or None
        Whether it runs; None for a process of another pid namespace that cannot be told.
    """

    pid: int
    alive: bool | None


@dataclass(frozen=True)
class Segment:
    """A segment, or a ledger, and who holds it.

    Attributes
    ----------
    id : str
        32 digits, with which `Storage.id` of every array in it begins.
    size : int
        Bytes of address space.
    resident : int or None
        Bytes of memory, swapped ones included. Where nobody has a descriptor of it, at least so
        many; None where not even that can be told.
    creator : Creator or None
        None where nobody can tell.
    holders : tuple of Holder
        By process id.
    """

    id: str
    size: int
    resident: int | None
    creator: Creator | None
    holders: tuple[Holder, ...]

    @property
    def in_flight(self) -> int:
        """Messages that name it and that nobody opened yet."""
        return sum(holder.in_flight for holder in self.holders)


@dataclass(frozen=True)
class Scan:
    """What was found.

    Attributes
    ----------
    uid : int
        The user whose processes were looked at.
    segments, ledgers : tuple of Segment
        By creator and size.
    closed : tuple of int
        Processes of this user whose ``/proc`` entry is closed: what only they hold is not seen.
    """

    uid: int
    segments: tuple[Segment, ...]
    ledgers: tuple[Segment, ...]
    closed: tuple[int, ...]


def scan() -> Scan:
    """Look at every process of this user.

    Returns
    -------
    Scan
        As it was found; processes come and go meanwhile.

    Raises
    ------
    OSError
        Where ``/proc`` cannot be listed.

    Examples
    --------
    >>> import sharedarray as xp
    >>> from sharedarray._segments import scan
    >>> x = xp.zeros(3)
    >>> [s.creator.alive for s in scan().segments if x.storage().id.startswith(s.id)]
    [True]
    """
    uid = os.geteuid()
    found, processes, closed = look(uid)
    return _assemble(uid, found, processes, closed)


# ---- ledgers ----


def _ledger_of(memory: Memfd) -> Ledger | None:
    """Open and read a ledger by whichever descriptor there is."""
    if memory.size not in LAYOUT["sizes"]:
        return None
    for pid, place in memory.places.items():
        for number in place.numbers:
            try:
                fd = _ledger.open_ledger(pid, number, memory.name, memory.size)
            except OSError:
                continue
            try:
                return read_ledger(fd)
            finally:
                os.close(fd)
    return None


# ---- the whole ----


def _assemble(uid: int, found: dict, processes: dict[int, Process], closed: list[int]) -> Scan:
    """Bring together who made and who holds what."""
    here = os.stat("/proc/self/ns/pid").st_ino
    ledgers = {key: ledger for key, memory in found.items() if (ledger := _ledger_of(memory))}
    creators = {
        key: _creator(ledger, found[key], processes, here) for key, ledger in ledgers.items()
    }
    makers: dict[str, Creator] = {}
    sent: dict[int, Counter] = {}
    owners = set()
    for key, ledger in ledgers.items():
        creator = creators[key]
        if creator is None:
            continue
        keepers = [pid for pid in found[key].places if _kind(processes, pid) == "keeper"]
        if creator.alive:
            owners.add(creator.pid)
        # Only who still holds the ledger of its own, or was handed it, keeps what was sent.
        senders = [creator.pid] if creator.pid in found[key].places and creator.alive else keepers
        for pid in senders[:1]:
            sent.setdefault(pid, Counter()).update(ledger.pending)
        for name in ledger.made:
            if name not in makers or creator.alive:
                makers[name] = creator
    segments: list[Segment] = []
    others: list[Segment] = []
    for key, memory in found.items():
        places = [pid for pid in memory.places if pid in processes]
        if not places:
            continue
        tag = int(memory.name[:16], 16)
        holders = tuple(
            _holder(processes[pid], memory.places[pid], sent[pid][tag] if pid in sent else 0)
            for pid in sorted(places)
        )
        creator = creators[key] if key in ledgers else makers.get(memory.name)
        if creator is None and key not in ledgers and len(holders) == 1:
            # What was neither sent nor inherited, its creator may not have entered anywhere.
            (only,) = holders
            if only.kind == "process" and only.pid not in owners:
                creator = Creator(only.pid, True)
        segment = Segment(memory.name, memory.size, memory.resident, creator, holders)
        (others if key in ledgers else segments).append(segment)
    return Scan(uid, _sorted(segments), _sorted(others), tuple(sorted(closed)))


def _creator(ledger, memory, processes, here) -> Creator | None:
    """Return the process that a ledger names, under the number that it has here."""
    if not 0 < ledger.pid < 1 << 31:
        return None  # nothing that a kernel gives
    for pid in memory.places:
        process = processes.get(pid)
        if process and (process.pidns, process.own_pid) == (ledger.pidns, ledger.pid):
            alive = _ledger.is_alive(pid, ledger.start)
            if alive:
                return Creator(pid, True)
    if ledger.pidns != here:
        return Creator(ledger.pid, None)
    return Creator(ledger.pid, _ledger.is_alive(ledger.pid, ledger.start))


def _kind(processes: dict[int, Process], pid: int) -> str:
    return processes[pid].kind if pid in processes else ""


def _holder(process: Process, place: Place, in_flight: int) -> Holder:
    mapped = bool(place.regions)
    return Holder(process.pid, process.kind, process.command, mapped, place.writable, in_flight)


def _sorted(segments: list[Segment]) -> tuple[Segment, ...]:
    def order(segment: Segment) -> tuple:
        return segment.creator.pid if segment.creator else 1 << 31, -segment.size, segment.id

    return tuple(sorted(segments, key=order))
