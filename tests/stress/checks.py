"""What must be true when a run is over. Each function yields sentences on what is wrong."""

import json
import os
import re

from tests.harness import procfs

from . import worker

SLACK = 16 << 20  # bytes that a kernel counts late


def totals(known):
    """Sum of each counter over all processes that ever ran."""
    rows = known.rows()
    names = ("made", "sent", "forwarded", "taken", "opened", "lost", "looks", "forks", "bytes")
    found = {name: sum(getattr(row, name) for row in rows) for name in names}
    found["processes"] = len(rows)
    found["killed"] = sum(1 for row in rows if row.condemned)
    return found


def messages_accounted(known):
    """Every message was opened or lost; a kill can hide one, in its sender and in its receiver."""
    sums = totals(known)
    left = sums["sent"] - sums["opened"] - sums["lost"]
    if abs(left) > sums["killed"]:
        yield (
            f"{sums['sent']} messages sent, {sums['opened']} opened, {sums['lost']} lost, and only "
            f"{sums['killed']} processes killed: {left} vanished"
        )


def nothing_lost_without_a_cause(known):
    """No array is lost where nobody was killed and no forked child ended, which keeps nothing."""
    sums = totals(known)
    ended = any(row.ended and "/" in row.name for row in known.rows())
    if sums["lost"] and not sums["killed"] and not ended:
        yield f"{sums['lost']} arrays lost, nobody killed"


def dropped(known, paths):
    """The survivors hold nothing, by their own statistics."""
    for path in paths:
        with open(path) as file:
            told = json.load(file)
        left = worker.too_much(known, told["row"], told["stats"], told["collected"])
        for name, (has, may) in left.items():
            yield f"worker {told['name']}: {name} {has:,} bytes left, at most {may:,}"


def segments_small(pids, killed, most=64 << 20):
    """The memory behind the survivors' segments, all caches given back."""
    size = sum(procfs.segments(pids).values())
    if size > most + killed * (64 << 10):
        yield f"{size:,} bytes of segments left in workers that dropped everything"


def strangers(own):
    """Processes outside the run that use shared memory: the machine's figure is theirs too."""
    found = []
    for pid in procfs.processes():
        if pid not in own:
            status = procfs.read(f"/proc/{pid}/status")
            size = re.search(r"^RssShmem:\s+(\d+) kB", status, re.MULTILINE)
            if size and int(size[1]) > 1024:
                found.append(pid)
    return found


class Machine:
    """The kernel's count of shared memory, comparable while nobody else uses any."""

    def __init__(self):
        self.own = {os.getpid(), *procfs.descendants(os.getpid())}
        self.others = strangers(self.own)
        self.shmem = procfs.meminfo("Shmem")


def machine_returned(start, timeout=procfs.PATIENCE):
    """The kernel's count of shared memory comes back."""
    now = Machine()

    def back():
        nonlocal now
        now = Machine()
        return now.others or now.shmem <= start.shmem + SLACK

    if not start.others and not procfs.wait_until(back, timeout=timeout, pause=0.5):
        yield f"Shmem of the machine grew from {start.shmem:,} to {now.shmem:,} bytes"


def processes_left(known):
    """No process that ever had a row still runs."""
    for row in known.rows():
        if worker.messages.runs(row):
            yield f"process {row.pid} ({row.name}) still runs"
