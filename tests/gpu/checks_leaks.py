"""Memory, descriptors and mappings: level over many cycles, and all given back at the end."""

import gc

import sharedarray as xp
from tests.harness import procfs

from . import machine
from .common import DEVICE, MIB, peer, size
from .measure import binary
from .registry import check
from .table import Row

CYCLES, WARM = 200, 20
NBYTES = size(64 * MIB, 2 * MIB)
GRANULE = 2 * MIB  # of device memory: no leaked segment is smaller
DROP = "keep.clear(); gc.collect(); xp.empty_cache()"
LOOK = "from tests.gpu.checks_leaks import held\nreturn held()"


def held():
    """What this process has: bytes of the device in use, descriptors, mappings."""
    gc.collect()
    xp.empty_cache()
    xp.cuda.synchronize()
    driver = machine.Driver()
    used = driver.total_memory() - driver.free_memory()
    return used, len(procfs.descriptors()), len(procfs.mappings(name=""))


def cycle(reader):
    """Make, send, open, drop on both sides, and give the memory back to the driver."""
    x = xp.empty(NBYTES, dtype=xp.uint8, device=DEVICE)
    x[-1] = 5
    last = reader.get("int(x[-1])", x=x)
    del x
    reader.run("xp.empty_cache()")
    xp.empty_cache()
    return last == 5


@check(f"{CYCLES} times attached and detached", timeout=150)
def level(report):
    """After as many cycles both processes hold what they held after the first few."""
    with peer() as reader:
        right = sum(cycle(reader) for _ in range(WARM))
        before, before_there = held(), reader.run(LOOK)
        right += sum(cycle(reader) for _ in range(CYCLES))
        after, after_there = held(), reader.run(LOOK)
    report(Row.held("contents", right == WARM + CYCLES, f"right {right} times of {WARM + CYCLES}"))
    more = after[0] - before[0]
    report(Row.held("device memory in use", more < GRANULE, f"{binary(more)} more after {CYCLES}"))
    sides = (("maker", before, after), ("receiver", before_there, after_there))
    for side, (_, descriptors, mappings), (_, later, mapped) in sides:
        found = f"{descriptors} descriptors, then {later}"
        report(Row.held(f"descriptors, {side}", later <= descriptors, found))
        found = f"{mappings} mappings, then {mapped}"
        report(Row.held(f"mappings, {side}", mapped <= mappings, found))


def several(count):
    """A list of arrays of ones."""
    return [xp.ones(count, dtype=xp.float32, device=DEVICE) for _ in range(8)]


@check("Everything given back", timeout=60)
def given_back(report):
    """After dropping all arrays the statistics say 0 and the driver has its memory."""
    with peer() as reader:
        reader.run(
            "keep['a'] = arrays", arrays=several(1)
        )  # kernels are loaded, which takes memory
        reader.run(DROP)
        start = held()[0]
        arrays = several(NBYTES // 4)
        reader.run("keep['a'] = arrays", arrays=arrays)
        most = xp.memory_stats()[DEVICE]
        used = held()[0] - start
        reader.run(DROP)
        del arrays
        end = held()[0]
        stats = xp.memory_stats()[DEVICE]
    good = most["allocated"] >= 8 * NBYTES and used >= 8 * NBYTES
    report(Row.held("in between", good, f"{binary(most['allocated'])} allocated, {binary(used)}"))
    names = ("allocated", "cached", "published", "in_flight", "attached")
    left = {name: stats[name] for name in names if stats[name]}
    report(Row.held("statistics at the end", not left, str(left or "all 0")))
    found = f"{binary(end - start)} more than at the start"
    report(Row.held("device memory at the end", end - start < GRANULE, found))
