"""What a tree of processes takes from the machine, and whether it gives it back."""

import contextlib
import gc
import multiprocessing
import os
import re
import sys
from collections import Counter
from multiprocessing import forkserver, resource_tracker

from . import procfs
from .keepers import reap_keepers

# What Python's own `multiprocessing` names there, in whatever program: locks and shared_memory.
_PYTHONS = ("sem.mp-", "psm_")
_PLANTED = "planted-"


def planted():
    """Begin the name of an entry of ``/dev/shm`` that only checks of this process report."""
    return f"{_PLANTED}{os.getpid()}-"


class FootprintError(AssertionError):
    """Something was not given back; the message says what."""


def servants():
    """Processes that `multiprocessing` keeps for the life of this one."""
    return {
        resource_tracker._resource_tracker._pid,
        forkserver._forkserver._forkserver_pid,
    } - {None}


def servant_descriptors():
    """Descriptors by which this process holds them."""
    return {
        resource_tracker._resource_tracker._fd,
        forkserver._forkserver._forkserver_alive_fd,
    } - {None}


def settle():
    """Collect garbage and give the library's caches back."""
    gc.collect()
    multiprocessing.active_children()  # waits for those that ended
    reap_keepers()
    if "sharedarray" in sys.modules:
        sys.modules["sharedarray"].empty_cache()


def warm_up():
    """Make what lasts for the life of a process once made: the ledger of what it sends."""
    if "sharedarray" in sys.modules:
        xp = sys.modules["sharedarray"]
        xp.from_handle(xp.Handle.from_bytes(bytes(xp.ones(1).handle())))


def _counts(entry):
    """Whether an entry of ``/dev/shm``, which all programs share, may be left by these tests."""
    return entry.startswith(planted()) or not entry.startswith((_PLANTED, *_PYTHONS))


def _kind(target):
    """A descriptor's target without what differs between equal ones."""
    return re.sub(r"\[\d+\]|/proc/\d+", "", target)


class Footprint:
    """
    A measurement of this process and what is below it.

    Attributes
    ----------
    descriptors : Counter
        Open descriptors of this process by kind.
    mappings : int
        Mappings of shared segments in this process.
    mapped : int
        Their bytes.
    memory : int
        Bytes of memory behind all segments that the tree holds, each counted once.
    threads : int
    children : dict
        Living processes below, with their command lines.
    zombies : set
    entries : set
        Names in ``/dev/shm``, but what Python's own library names there and what other runs of
        tests have planted.
    """

    def __init__(self, without=()):
        me = os.getpid()
        below = procfs.descendants(me, {*without, *servants()})
        known = servant_descriptors()
        targets = [target for fd, target in procfs.descriptors().items() if fd not in known]
        self.descriptors = Counter(map(_kind, targets))
        regions = procfs.mappings()
        self.mappings = len(regions)
        self.mapped = sum(region.end - region.start for region in regions)
        self.memory = sum(procfs.segments([me, *procfs.descendants(me)]).values())
        self.threads = procfs.threads()
        states = {pid: procfs.state(pid) for pid in below}
        self.children = {p: procfs.command(p) for p, s in states.items() if s not in ("", "Z", "X")}
        self.zombies = {pid for pid, state in states.items() if state == "Z"}
        self.entries = set(filter(_counts, os.listdir("/dev/shm")))

    def growth(self, start, slack=0):
        """Sentences on what is there beyond `start`."""
        more = self.descriptors - start.descriptors
        if more:
            yield "descriptors left: " + ", ".join(f"{n} x {k}" for k, n in sorted(more.items()))
        if self.mappings > start.mappings:
            yield f"mappings left: {start.mappings} -> {self.mappings}"
        if self.mapped > start.mapped + slack:
            yield f"mapped bytes left: {start.mapped:,} -> {self.mapped:,}"
        if self.memory > start.memory + slack:
            yield f"memory left: {start.memory:,} -> {self.memory:,}"
        if self.threads > start.threads:
            yield f"threads left: {start.threads} -> {self.threads}"
        children = {p: c for p, c in self.children.items() if p not in start.children}
        if children:
            yield "processes left: " + ", ".join(f"{p} ({c})" for p, c in children.items())
        if self.zombies - start.zombies:
            yield f"zombies left: {sorted(self.zombies - start.zombies)}"
        if self.entries - start.entries:
            yield f"/dev/shm entries left: {sorted(self.entries - start.entries)}"


def check_return(start, *, slack=0, settle=settle, timeout=procfs.PATIENCE):
    """Wait until nothing is left beyond `start`, else raise `FootprintError`."""
    growth = []

    def returned():
        settle()
        growth[:] = Footprint().growth(start, slack)
        return not growth

    if not procfs.wait_until(returned, timeout=timeout, pause=0.1):
        raise FootprintError("; ".join(growth))


@contextlib.contextmanager
def returns_to_start(*, slack=0, settle=settle, timeout=procfs.PATIENCE):
    """
    Check that the block leaves nothing behind.

    Parameters
    ----------
    slack : int
        Bytes that may stay mapped and held.
    settle : callable
        Called before each measurement; by default it gives caches back.
    timeout : float
        Seconds that what is asynchronous (ending processes) may take.
    """
    warm_up()
    settle()
    start = Footprint()
    yield start
    check_return(start, slack=slack, settle=settle, timeout=timeout)


def stays_level(action, *, rounds=5, warm=1, slack=0, settle=settle, timeout=procfs.PATIENCE):
    """
    Check that repeating `action` takes nothing more after the first `warm` rounds.

    What is made once for the life of a process (a ledger, an arena) is made in those.
    """
    for _ in range(warm):
        action()
    with returns_to_start(slack=slack, settle=settle, timeout=timeout):
        for _ in range(rounds):
            action()
