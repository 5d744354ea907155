"""The namespace beside NumPy: the same expression on the same values."""

import numpy

import sharedarray

from .table import OURS, Measurement, Table, compare
from .timing import Contestant, interleave

YARDSTICK = "NumPy"
SIZES = (1, 100, 10_000, 1_000_000, 16_000_000)
EXPRESSIONS = ("x + y", "x * 2", "xp.sin(x)", "xp.sum(x)", "x @ x")
LAZY = frozenset({"x + y", "x * 2"})  # bound by memory, so recycled memory shows
SLICE = "x[1:]"


def target(expression: str, size: int) -> float | None:
    """Return what the ratio to NumPy may be at most, None where nothing is promised."""
    if expression == SLICE:
        return 1.8
    if size <= 100:
        return 1.2
    if size <= 1_000_000:
        return 1.05
    return 0.9 if expression in LAZY else None


def measure(seconds: float = 15.0, sizes=SIZES, expressions=EXPRESSIONS) -> list[Table]:
    """Measure expressions on float64 arrays against NumPy.

    Parameters
    ----------
    seconds : float, optional
        About how long to take.
    sizes : sequence of int, optional
        Numbers of elements.
    expressions : sequence of str, optional
        What to measure, in terms of ``xp``, ``x`` and ``y``.

    Returns
    -------
    list of Table
    """
    share = seconds / (len(sizes) * len(expressions) + 1)
    found = []
    for size in sizes:
        values = numpy.linspace(0.1, 1.0, size)
        names = {
            YARDSTICK: {"xp": numpy, "x": values, "y": values + 1.0},
            OURS: {
                "xp": sharedarray,
                "x": sharedarray.asarray(values),
                "y": sharedarray.asarray(values + 1.0),
            },
        }
        asked = [*expressions, SLICE] if size == 100 else expressions
        for expression in asked:
            rivals = {who: Contestant(expression, names[who]) for who in names}
            samples = interleave(rivals, share)
            goal = target(expression, size)
            found.append(Measurement.of(expression, size, samples, YARDSTICK, goal))
    order = [*expressions, SLICE]
    found.sort(key=lambda one: (order.index(one.case), one.size))
    labels = {size: f"{size:,}" for size in sizes}
    return [compare("Expressions on float64 arrays", found, YARDSTICK, labels)]
