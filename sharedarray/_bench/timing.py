"""Times that can be compared: everything measured in turns, in one run."""

import statistics
import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

STEADY = 2e-3
"""Seconds of one measurement of what programs do in a loop.

Many runs one after the other: what another contestant left in the caches weighs little.
"""


@dataclass(frozen=True)
class Contestant:
    """One way of doing the thing that is measured.

    Parameters
    ----------
    statement : str
        What is timed.
    names : mapping
        What the statement refers to; local variables while it runs.
    before : callable, optional
        Called, untimed, before each single run of the statement.
    at_most : int, optional
        Measure this often, ahead of the rounds: for what takes seconds (default: each round).
    """

    statement: str
    names: Mapping[str, object] = field(default_factory=dict)
    before: Callable[[], object] | None = None
    at_most: int | None = None

    def timer(self) -> timeit.Timer:
        """Return the timer of the statement."""
        setup = "; ".join(f"{name} = _names[{name!r}]" for name in self.names) or "pass"
        return timeit.Timer(self.statement, setup, globals={"_names": dict(self.names)})


@dataclass(frozen=True)
class Samples:
    """Seconds per run of each contestant, one value per round.

    Parameters
    ----------
    seconds : dict of str to list of float
        The values, one per round; fewer of what was measured ahead.
    """

    seconds: dict[str, list[float]]

    def median(self, name: str) -> float:
        """Return the median time of one contestant in seconds."""
        return statistics.median(self.seconds[name])

    def medians(self) -> dict[str, float]:
        """Return the median time of every contestant in seconds."""
        return {name: self.median(name) for name in self.seconds}

    def ratio(self, name: str, other: str) -> float:
        """Return the median over the rounds of one contestant's time over the other's.

        The two values of a round were measured one right after the other, so what the
        machine does besides falls on both.
        """
        pairs = zip(self.seconds[name], self.seconds[other], strict=False)
        return statistics.median(mine / theirs for mine, theirs in pairs)


def interleave(
    contestants: Mapping[str, Contestant],
    seconds: float,
    *,
    at_least: int = 5,
    at_most: int = 2000,
    batch: float = 2e-4,
) -> Samples:
    """Measure contestants in turns until the time is up.

    Parameters
    ----------
    contestants : mapping of str to Contestant
        What is measured.
    seconds : float
        How long to go on; the first rounds may take longer.
    at_least, at_most : int, optional
        Number of rounds, whatever the time.
    batch : float, optional
        Seconds that one measurement should take; what is faster is repeated.

    Returns
    -------
    Samples
        Seconds per run.
    """
    timers = {name: one.timer() for name, one in contestants.items()}
    counts = {}
    for name, one in contestants.items():
        counts[name] = 1 if one.before or one.at_most else _count(timers[name], batch)
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for name, one in contestants.items():
        for _ in range(one.at_most or 0):
            taken[name].append(timers[name].timeit(1))
    order = [name for name, one in contestants.items() if not one.at_most]
    end = time.perf_counter() + seconds
    for turn in range(at_most):
        if turn >= at_least and time.perf_counter() > end:
            break
        for name in order:
            one = contestants[name]
            if one.before:
                one.before()
            taken[name].append(timers[name].timeit(counts[name]) / counts[name])
        order.append(order.pop(0))
    return Samples(taken)


def _count(timer: timeit.Timer, batch: float) -> int:
    """Return how often to repeat a statement to fill a batch.

    The first run warms up; only where it takes long is its time taken for what all will take.
    """
    if timer.timeit(1) >= max(batch, 0.05):
        return 1
    count = 1
    while True:
        taken = timer.timeit(count)
        if taken >= batch / 2:
            return max(1, round(count * batch / taken))
        count = max(2 * count, min(100 * count, round(count * batch / max(taken, 1e-9))))
