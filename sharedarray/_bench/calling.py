"""What a call of a function costs beyond NumPy's own, on arrays of ten elements.

Differences of tens of nanoseconds drown in what else a machine does, so the least times over the
rounds are compared.
"""

from dataclasses import asdict, dataclass

import numpy

import sharedarray

from .table import OURS, Table, duration
from .timing import Contestant, interleave

YARDSTICK = "NumPy"
CALLS = (
    "xp.sin(x)",
    "xp.add(x, y)",
    "xp.sum(x)",
    "xp.reshape(x, (2, 5))",
    "xp.concat((x, y))",
    "xp.where(c, x, y)",
    "xp.astype(x, xp.float32)",
    "xp.matmul(a, b)",
    "xp.sin(x, out=y)",
    "x += y",
    "x[1:]",
)
TARGET = 120e-9  # seconds, for functions of the namespace


@dataclass(frozen=True)
class Cost:
    """What one call costs.

    Parameters
    ----------
    case : str
        The call.
    seconds : dict of str to float
        Least time of each contestant.
    difference : float
        Ours less NumPy's, in seconds.
    target : float
        What the difference may be at most.
    """

    case: str
    seconds: dict[str, float]
    difference: float
    target: float = TARGET

    @property
    def verdict(self) -> str:
        """Whether the target was met: ``met`` or ``missed``."""
        return "met" if self.difference <= self.target else "missed"


def names(xp) -> dict[str, object]:
    """Return what the calls refer to, made by one of the namespaces.

    Parameters
    ----------
    xp : module
        NumPy or this library.

    Returns
    -------
    dict of str to object
        Arrays of ten elements.
    """
    values = numpy.linspace(0.1, 1.0, 10)
    return {
        "xp": xp,
        "x": xp.asarray(values),
        "y": xp.asarray(values + 1.0),
        "c": xp.asarray(values > 0.5),
        "a": xp.asarray(values.reshape(2, 5)),
        "b": xp.asarray(values.reshape(5, 2)),
    }


def measure(seconds: float = 6.0, calls=CALLS) -> list[Table]:
    """Measure calls against NumPy's.

    Parameters
    ----------
    seconds : float, optional
        About how long to take.
    calls : sequence of str, optional
        What to measure, in terms of ``xp``, ``x``, ``y``, ``c``, ``a`` and ``b``.

    Returns
    -------
    list of Table
    """
    found = []
    for call in calls:
        rivals = {
            who: Contestant(call, names(xp))
            for who, xp in ((YARDSTICK, numpy), (OURS, sharedarray))
        }
        samples = interleave(rivals, seconds / len(calls))
        least = {who: min(times) for who, times in samples.seconds.items()}
        found.append(Cost(call, least, least[OURS] - least[YARDSTICK]))
    rows = [
        [
            one.case,
            *(duration(one.seconds[who]) for who in (YARDSTICK, OURS)),
            f"{one.difference * 1e9:+.0f} ns",
            duration(one.target),
            one.verdict,
        ]
        for one in found
    ]
    heads = ["", YARDSTICK, OURS, "beyond NumPy", "at most", ""]
    title = "Calls on arrays of ten elements"
    notes = ["Least times over the rounds."]
    return [Table(title, heads, rows, [asdict(one) for one in found], notes, inner=2)]
