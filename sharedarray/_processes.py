"""What processes have of this library's segments, as ``/proc`` shows it.

Links are read first and pinned by ``O_PATH`` next; nothing is opened. Sources: proc_pid_fd(5),
proc_pid_maps(5), proc_pid_status(5).
"""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Memfd", "Place", "Process", "look", "mapped_by"]

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


@dataclass
class Process:
    """A process of this user that holds something."""

    pid: int
    own_pid: int  # in its own pid namespace
    pidns: int
    kind: str
    command: str


@dataclass
class Place:
    """What one process has of one memfd."""

    numbers: list[int] = field(default_factory=list)
    regions: list[str] = field(default_factory=list)
    writable: bool = False


@dataclass
class Memfd:
    """One memfd: its identity is name and inode, since any process can give a memfd any name."""

    name: str
    size: int = -1
    resident: int | None = None
    places: dict[int, Place] = field(default_factory=dict)


def look(uid: int) -> tuple[dict[tuple[str, int], Memfd], dict[int, Process], list[int]]:
    """Look at every process of a user.

    Parameters
    ----------
    uid : int
        The user.

    Returns
    -------
    dict of Memfd
        Segments and ledgers, by name and inode.
    dict of Process
        Processes that could be looked at, by process id.
    list of int
        Those whose ``/proc`` entry is closed.

    Raises
    ------
    OSError
        Where ``/proc`` cannot be listed.
    """
    device = _device_of_memfds()
    found: dict[tuple[str, int], Memfd] = {}
    processes: dict[int, Process] = {}
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
    return found, processes, closed


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
    >>> from sharedarray._processes import mapped_by
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


def _process(pid: int, uid: int) -> Process | None:
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
    return Process(pid, int(own[-1]), pidns, kind, command)


def _look_at(process: Process, device: int, uid: int, found: dict) -> None:
    """Enter what one process has mapped and open."""
    for region, access, major, minor, inode, name in _MAPPING.findall(
        _bytes(f"/proc/{process.pid}/maps")
    ):
        if os.makedev(int(major, 16), int(minor, 16)) != device:
            continue  # a file of such a name in some file system
        key = name.decode(), int(inode)
        place = found.setdefault(key, Memfd(key[0])).places.setdefault(process.pid, Place())
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
            memory = found.setdefault(key, Memfd(key[0]))
            memory.size, memory.resident = status.st_size, status.st_blocks * BLOCK
            place = memory.places.setdefault(process.pid, Place())
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


def _measure(memory: Memfd) -> None:
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


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
