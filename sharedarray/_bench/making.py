"""Making, filling and dropping arrays, in a loop and from nothing."""

from multiprocessing.shared_memory import SharedMemory

import numpy

import sharedarray

from .peers import torch
from .table import OURS, Measurement, Table, binary, compare
from .timing import STEADY, Contestant, interleave

YARDSTICK = "np.empty"
STDLIB = "shared_memory"
SIZES = (4 << 10, 64 << 10, 1 << 20, 64 << 20, 256 << 20)
COLD = 256 << 20


def target(nbytes: int) -> float | None:
    """Return what the ratio to NumPy may be at most, None where nothing is promised."""
    if nbytes <= 64 << 10:
        return 1.3
    if nbytes >= 64 << 20:
        return 0.6
    return 1.05 if nbytes <= 1 << 20 else None


def array_cycle(xp, count: int) -> None:
    """Make, fill and drop an array of a NumPy-like namespace."""
    x = xp.empty(count)
    x.fill(1.0)


def full_cycle(xp, count: int) -> None:
    """Make an array that is filled at its making, and drop it."""
    xp.full(count, 1.0)


def stdlib_cycle(count: int) -> None:
    """Make, fill and drop a segment of :mod:`multiprocessing.shared_memory`."""
    segment = SharedMemory(create=True, size=8 * count)
    x = numpy.ndarray(count, buffer=segment.buf)
    x.fill(1.0)
    del x
    segment.close()
    segment.unlink()


def torch_cycle(count: int) -> None:
    """Make, fill and drop a tensor in shared memory."""
    torch.empty(count, dtype=torch.float64).share_memory_().fill_(1.0)


def rivals(count: int) -> dict[str, Contestant]:
    """Return the contestants of the loop for arrays of ``count`` float64."""
    names = {"n": count, "cycle": array_cycle}
    found = {
        YARDSTICK: Contestant("cycle(xp, n)", {**names, "xp": numpy}),
        OURS: Contestant("cycle(xp, n)", {**names, "xp": sharedarray}),
        STDLIB: Contestant("cycle(n)", {"n": count, "cycle": stdlib_cycle}),
    }
    if torch is not None:
        found["torch"] = Contestant("cycle(n)", {"n": count, "cycle": torch_cycle})
    return found


def measure(seconds: float = 10.0, sizes=SIZES, cold: int = COLD) -> list[Table]:
    """Measure making, filling and dropping arrays against NumPy and others.

    Parameters
    ----------
    seconds : float, optional
        About how long to take.
    sizes : sequence of int, optional
        Bytes of an array.
    cold : int, optional
        Bytes of the array that is made with nothing kept from before.

    Returns
    -------
    list of Table
    """
    share = seconds / (len(sizes) + 1)
    found = []
    for nbytes in sizes:
        samples = interleave(rivals(nbytes // 8), share, batch=STEADY)
        found.append(Measurement.of("loop", nbytes, samples, YARDSTICK, target(nbytes)))
        sharedarray.empty_cache()
    loop = compare(
        "Make, fill and drop an array, again and again",
        found,
        YARDSTICK,
        {nbytes: binary(nbytes) for nbytes in sizes},
    )
    return [loop, measure_cold(share, cold)]


def measure_cold(seconds: float, nbytes: int) -> Table:
    """Measure one array made of memory that the system has to provide.

    Both sides pay for giving the memory back as well.
    """
    found = []
    for case, cycle in (("empty, fill", array_cycle), ("full", full_cycle)):
        names = {"n": nbytes // 8, "cycle": cycle, "xp": sharedarray}
        names["give_back"] = sharedarray.empty_cache
        samples = interleave(
            {
                STDLIB: Contestant("cycle(n)", {"n": nbytes // 8, "cycle": stdlib_cycle}),
                OURS: Contestant("cycle(xp, n); give_back()", names),
            },
            seconds / 2,
        )
        found.append(Measurement.of(case, nbytes, samples, STDLIB, 1.0))
    title = "Make, fill, drop and give back to the system"
    return compare(title, found, STDLIB, {nbytes: binary(nbytes)})
