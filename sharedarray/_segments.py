"""Every segment of this user on this machine, found from outside: by ``/proc`` and the ledgers.

A segment has no name in any file system, so it is found at those who hold it: among the
descriptors and mappings of their processes, by the name of its memfd. Links are read first and
pinned by ``O_PATH`` next; nothing but a ledger is ever opened, and that by the checks of every
receiver. Sources: proc_pid_fd(5), proc_pid_maps(5), proc_pid_status(5).
"""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import _ledger
from ._notes import LAYOUT, Ledger, read_ledger

__all__ = ["Creator", "Holder", "Scan", "Segment", "mapped_by", "scan"]

KEEPER = "sharedarray-keeper"
# The kernel cuts the names of programs.
KEEPER_SHORT = KEEPER[:15]
BLOCK = 512  # bytes: the unit of st_blocks

_LINK = re.compile(r"/memfd:sharedarray-([0-9a-f]{32}) \(deleted\)\Z")
_MAPPING = re.compile(
    rb"^([0-9a-f]+-[0-9a-f]+) (\S{4}) \S+ ([0-9a-f]+):([0-9a-f]+) (\d+)"
    rb" +/memfd:sharedarray-([0-9a-f]{32}) \(deleted\)$",
    re.MULTILINE,
)


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


@dataclass
class _Process:
    """A process of this user that holds something."""

    pid: int
    own_pid: int  # in its own pid namespace
    pidns: int
    kind: str
    command: str


@dataclass
class _Place:
    """What one process has of one memfd."""

    numbers: list[int] = field(default_factory=list)
    regions: list[str] = field(default_factory=list)
    writable: bool = False


@dataclass
class _Found:
    """One memfd: its identity is name and inode, since any process can give a memfd any name."""

    name: str
    size: int = -1
    resident: int | None = None
    places: dict[int, _Place] = field(default_factory=dict)


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
    device = _device_of_memfds()
    found: dict[tuple[str, int], _Found] = {}
    processes: dict[int, _Process] = {}
    closed = []
    for pid in _pids():
        process = _process(pid, uid)
        if process is None:
            continue
        try:
            _look_at(process, device, uid, found)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
        except PermissionError:
            closed.append(pid)
            continue
        processes[pid] = process
    for memory in found.values():
        _measure(memory)
    return _assemble(uid, found, processes, closed)


def mapped_by(name: str) -> list[int]:
    """Return the processes that have a segment mapped.

    Parameters
    ----------
    name : str
        Of its memfd.

    Returns
    -------
    list of int
        Process ids, ascending, this process among them. Processes whose ``/proc`` entry is closed
        are not seen.

    Examples
    --------
    >>> from sharedarray._segments import mapped_by
    >>> mapped_by("no such segment")
    []
    """
    needle = f"/memfd:{name} (deleted)\n".encode()
    found = []
    for pid in _pids():
        with contextlib.suppress(OSError):  # it ended meanwhile, or is another user's
            if needle in _bytes(f"/proc/{pid}/maps"):
                found.append(pid)
    return sorted(found)


# ---- processes ----


def _pids() -> Iterator[int]:
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdecimal():
                yield int(entry.name)


def _process(pid: int, uid: int) -> _Process | None:
    """Return what is to be known of a process; None if it ended or is another user's."""
    try:
        lines = _bytes(f"/proc/{pid}/status").splitlines()
    except OSError:
        return None
    status = dict(line.split(b":", 1) for line in lines if b":" in line)
    if int(status[b"Uid"].split()[1]) != uid or status[b"State"].split()[0] in (b"Z", b"X"):
        return None
    short = status[b"Name"].strip().decode(errors="backslashreplace")
    command = name = short
    pidns = 0
    with contextlib.suppress(OSError):
        words = _bytes(f"/proc/{pid}/cmdline").rstrip(b"\0").split(b"\0")
        if words != [b""]:
            command = b" ".join(words).decode(errors="backslashreplace")
            name = os.path.basename(words[0].decode(errors="backslashreplace"))
    with contextlib.suppress(OSError):
        pidns = os.stat(f"/proc/{pid}/ns/pid").st_ino
    kind = "keeper" if name == KEEPER or short == KEEPER_SHORT else "process"
    own = status.get(b"NSpid", b"").split() or [b"%d" % pid]  # without pid namespaces: none
    return _Process(pid, int(own[-1]), pidns, kind, command)


def _look_at(process: _Process, device: int, uid: int, found: dict) -> None:
    """Enter what one process has mapped and open."""
    for region, access, major, minor, inode, name in _MAPPING.findall(
        _bytes(f"/proc/{process.pid}/maps")
    ):
        if os.makedev(int(major, 16), int(minor, 16)) != device:
            continue  # a file of such a name in some file system
        key = name.decode(), int(inode)
        place = found.setdefault(key, _Found(key[0])).places.setdefault(process.pid, _Place())
        place.regions.append(region.decode())
        place.writable |= access[1:2] == b"w"
    for number in os.listdir(f"/proc/{process.pid}/fd"):
        path = f"/proc/{process.pid}/fd/{number}"
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            link = _LINK.match(os.readlink(path))
            if link is None:
                continue
            status = _pinned(path, link[0])
            if status is None or status.st_dev != device or status.st_uid != uid:
                continue
            key = link[1], status.st_ino
            memory = found.setdefault(key, _Found(key[0]))
            memory.size, memory.resident = status.st_size, status.st_blocks * BLOCK
            place = memory.places.setdefault(process.pid, _Place())
            place.numbers.append(int(number))
            place.writable |= _writable(process.pid, number)


def _pinned(path: str, name: str) -> os.stat_result | None:
    """Return the status of what a link leads to, without opening it; None if it is another."""
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        return os.fstat(fd) if os.readlink(f"/proc/self/fd/{fd}") == name else None
    finally:
        os.close(fd)


def _writable(pid: int, number: str) -> bool:
    """Whether a descriptor of another process is open for writing."""
    for line in _bytes(f"/proc/{pid}/fdinfo/{number}").splitlines():
        if line.startswith(b"flags:"):
            return int(line.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY
    return False


def _device_of_memfds() -> int:
    """Return the device number of the kernel's own file system for shared memory."""
    fd = os.memfd_create("sharedarray-ps", os.MFD_CLOEXEC)
    try:
        return os.fstat(fd).st_dev
    finally:
        os.close(fd)


def _measure(memory: _Found) -> None:
    """Fill in sizes that no descriptor told: a process may close them and keep the mapping."""
    for pid, place in memory.places.items():
        if memory.size >= 0 and memory.resident is not None:
            return
        for region in place.regions:
            with contextlib.suppress(OSError):  # the kernel lets only administrators look there
                status = os.stat(f"/proc/{pid}/map_files/{region}")
                memory.size, memory.resident = status.st_size, status.st_blocks * BLOCK
                return
    for pid, place in memory.places.items():
        for region in place.regions:
            start, end = (int(part, 16) for part in region.split("-"))
            memory.size = max(memory.size, end - start)
            with contextlib.suppress(OSError):
                touched = _touched(pid, region)
                memory.resident = max(memory.resident or 0, touched)


def _touched(pid: int, region: str) -> int:
    """Return the bytes of a mapping that its process touched."""
    after = _bytes(f"/proc/{pid}/smaps").partition(region.encode() + b" ")[2]
    rss = re.search(rb"^Rss: +(\d+) kB", after, re.MULTILINE)
    return int(rss[1]) << 10 if rss else 0


# ---- ledgers ----


def _ledger_of(memory: _Found) -> Ledger | None:
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


def _assemble(uid: int, found: dict, processes: dict[int, _Process], closed: list[int]) -> Scan:
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


def _kind(processes: dict[int, _Process], pid: int) -> str:
    return processes[pid].kind if pid in processes else ""


def _holder(process: _Process, place: _Place, in_flight: int) -> Holder:
    mapped = bool(place.regions)
    return Holder(process.pid, process.kind, process.command, mapped, place.writable, in_flight)


def _sorted(segments: list[Segment]) -> tuple[Segment, ...]:
    def order(segment: Segment) -> tuple:
        return segment.creator.pid if segment.creator else 1 << 31, -segment.size, segment.id

    return tuple(sorted(segments, key=order))


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
