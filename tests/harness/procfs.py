"""What the kernel says of a process: children, descriptors, mappings, memory."""

import os
import re
import time
from collections import namedtuple

SEGMENT = "memfd:sharedarray"
PATIENCE = 60.0  # seconds for what comes by itself, on a machine that has other things to do

Mapping = namedtuple("Mapping", "start end permissions inode name")


def read(path):
    """Text of a file below ``/proc``, empty if the process is gone."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def processes():
    """Process ids of the whole machine."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def stat(pid):
    """Fields of ``/proc/PID/stat`` from the state on, or an empty list."""
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def state(pid):
    """State letter of the process, ``""`` when there is none."""
    fields = stat(pid)
    return fields[0] if fields else ""


def name(pid):
    """Name of the process, at most 15 bytes; also of one that ended and was not waited for."""
    return read(f"/proc/{pid}/stat").partition("(")[2].rpartition(")")[0]


def command(pid):
    """Command line of the process, on one line."""
    return read(f"/proc/{pid}/cmdline").replace("\0", " ").strip() or f"[{pid}]"


def parents():
    """Parent of every process of the machine, by process id."""
    found = {}
    for pid in processes():
        fields = stat(pid)
        if fields:
            found[pid] = int(fields[1])
    return found


def children(pid):
    """Direct children of the process, zombies included."""
    return sorted(child for child, parent in parents().items() if parent == pid)


def descendants(pid, without=()):
    """Everything below the process; subtrees that start in `without` are left out."""
    below = {}
    for child, parent in parents().items():
        below.setdefault(parent, []).append(child)
    found, queue = [], [pid]
    while queue:
        for child in below.get(queue.pop(), ()):
            if child not in without:
                found.append(child)
                queue.append(child)
    return sorted(found)


def group(pgid):
    """Living members of a process group."""
    members = []
    for pid in processes():
        fields = stat(pid)
        if fields and fields[0] not in "ZX" and int(fields[2]) == pgid:
            members.append(pid)
    return members


def threads(pid="self"):
    """Number of threads of the process."""
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except FileNotFoundError:
        return 0


def descriptors(pid="self"):
    """Open descriptors of the process and what they name."""
    found = {}
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return found
    for name in names:
        try:
            found[int(name)] = os.readlink(f"{folder}/{name}")
        except (FileNotFoundError, PermissionError):
            # The descriptor that listed the folder, or the process has ended since: then the
            # kernel, which finds nobody to ask whether it may be seen, says EACCES.
            continue
    return found


_LINE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ (\d+)\s*(.*)")


def mappings(pid="self", name=SEGMENT):
    """Mappings of the process whose name holds `name`."""
    found = []
    for line in read(f"/proc/{pid}/maps").splitlines():
        start, end, permissions, inode, target = _LINE.match(line).groups()
        if name in target:
            found.append(Mapping(int(start, 16), int(end, 16), permissions, int(inode), target))
    return found


def segments(pids):
    """Shared segments that the processes hold: ``{name: bytes of memory behind it}``."""
    found = {}

    def look(path):
        try:
            target = os.readlink(path)
            if SEGMENT in target:
                entry = os.stat(path)
                found[f"{target} {entry.st_ino}"] = entry.st_blocks * 512
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass

    for pid in pids:
        for descriptor in descriptors(pid):
            look(f"/proc/{pid}/fd/{descriptor}")
        for mapping in mappings(pid):
            look(f"/proc/{pid}/map_files/{mapping.start:x}-{mapping.end:x}")
    return found


def holders(names):
    """Processes of the machine that have one of the segments open or mapped."""
    found = {}
    for pid in processes():
        try:
            held = set(segments([pid])) & set(names)
        except PermissionError:
            continue
        if held:
            found[pid] = held
    return found


def _kilobytes(field, text):
    found = re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


def proportional(pids, field="Pss"):
    """Sum over the processes of one line of ``smaps_rollup``, in bytes."""
    total = 0
    for pid in pids:
        total += _kilobytes(field, read(f"/proc/{pid}/smaps_rollup"))
    return total


def meminfo(field="Shmem"):
    """One line of ``/proc/meminfo``, in bytes."""
    return _kilobytes(field, read("/proc/meminfo"))


def wait_until(condition, timeout=PATIENCE, pause=0.02):
    """Poll `condition` until it holds; its last answer."""
    end = time.monotonic() + timeout
    while True:
        answer = condition()
        if answer or time.monotonic() > end:
            return answer
        time.sleep(pause)
