"""Measuring: contestants take turns, after a warm-up; medians, and ratios round by round."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Samples:
    """
    Seconds of each contestant, one for each round.

    Attributes
    ----------
    seconds : dict of str to list of float
    """

    seconds: Mapping[str, list[float]]

    def median(self, name: str) -> float:
        """The median of one contestant."""
        return statistics.median(self.seconds[name])

    def ratio(self, ours: str, theirs: str) -> float:
        """The median over the rounds of ours divided by theirs."""
        pairs = zip(self.seconds[ours], self.seconds[theirs], strict=True)
        return statistics.median(a / b for a, b in pairs)


def interleave(
    contestants: Mapping[str, Callable[[], float]],
    *,
    rounds: int = 15,
    warm: int = 2,
    budget: float = 20.0,
) -> Samples:
    """
    Let contestants take turns.

    Parameters
    ----------
    contestants : mapping of str to callable
        Each runs once and returns the seconds it took.
    rounds : int
        How many samples each gives.
    warm : int
        Rounds before those, which do not count.
    budget : float
        Seconds after which no further round starts; three are made in any case.

    Returns
    -------
    Samples
    """
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    order = list(contestants)
    end = time.perf_counter() + budget
    for turn in range(-warm, rounds):
        if turn >= 3 and time.perf_counter() > end:
            break
        for name in order:
            seconds = contestants[name]()
            if turn >= 0:
                taken[name].append(seconds)
        order.append(order.pop(0))  # who follows whom matters for caches and clocks
    return Samples(taken)


def clock(call: Callable[[], object], wait: Callable[[], object], count: int = 1):
    """
    Return a contestant: `count` calls by the clock on the wall, the device idle at both ends.

    Parameters
    ----------
    call : callable
        What is measured.
    wait : callable
        Waits for the device.
    count : int
        Calls in a sample; its seconds are those of one.
    """

    def sample() -> float:
        wait()
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        return (time.perf_counter() - start) / count

    return sample


def fill(call: Callable[[], object], wait: Callable[[], object], seconds: float = 0.01) -> int:
    """How many calls fill a sample of so many seconds."""
    clock(call, wait)()
    count = 1
    while True:
        taken = clock(call, wait, count)() * count
        if taken >= seconds / 2 or count >= 1 << 20:
            return max(1, round(count * seconds / max(taken, 1e-9)))
        count *= 4


def duration(seconds: float) -> str:
    """A time with its unit."""
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.2f} s"


def rate(nbytes: float, seconds: float) -> str:
    """A bandwidth with its unit."""
    per_second = nbytes / max(seconds, 1e-12)
    for unit, scale in (("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6)):
        if per_second >= scale:
            return f"{per_second / scale:.3g} {unit}"
    return f"{per_second:.3g} B/s"


def binary(nbytes: int) -> str:
    """A number of bytes with its unit."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if abs(nbytes) >= 1 << shift:
            return f"{nbytes / (1 << shift):.4g} {unit}"
    return f"{nbytes} B"
