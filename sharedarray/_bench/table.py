"""What a benchmark found: printed as a table, written as JSON."""

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy

from .timing import Samples

OURS = "sharedarray"


@dataclass(frozen=True)
class Measurement:
    """The times of one line of a table.

    Parameters
    ----------
    case : str
        What was done.
    size : int
        Number of elements or bytes.
    seconds : dict of str to float
        Median time of each contestant.
    ratio : float
        Ours over the yardstick's, the median over the rounds.
    target : float or None
        What the ratio may be at most; None where nothing was promised.
    """

    case: str
    size: int
    seconds: dict[str, float]
    ratio: float
    target: float | None = None

    @classmethod
    def of(
        cls, case: str, size: int, samples: Samples, yardstick: str, target: float | None = None
    ) -> "Measurement":
        """Return the measurement that samples of all contestants amount to."""
        return cls(case, size, samples.medians(), samples.ratio(OURS, yardstick), target)

    @property
    def verdict(self) -> str:
        """Whether the target was met: ``met``, ``missed`` or nothing."""
        if self.target is None:
            return ""
        return "met" if self.ratio <= self.target else "missed"


@dataclass(frozen=True)
class Table:
    """A titled table of text, with the values it was made of.

    Parameters
    ----------
    title : str
        What was measured.
    columns : sequence of str
        The heads.
    rows : sequence of sequence of str
        The cells.
    records : list of dict
        The values, for JSON.
    notes : sequence of str
        Sentences that belong below.
    inner : int
        Number of columns at the end that pages leave out: what was aimed at.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: list[dict] = field(default_factory=list)
    notes: Sequence[str] = ()
    inner: int = 0

    def as_text(self) -> str:
        """Return the table for a terminal."""
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        out = [self.title, "=" * len(self.title)]
        for number, line in enumerate(lines):
            cells = [line[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
            out.append("  ".join(cells).rstrip())
            if number == 0:
                out.append("  ".join("-" * width for width in widths))
        return "\n".join([*out, *self.notes, ""])

    def as_markdown(self) -> str:
        """Return the table for a page of Markdown."""
        shown = len(self.columns) - self.inner
        out = [f"**{self.title}**", "", "| " + " | ".join(self.columns[:shown]) + " |"]
        out.append("| --- |" + " ---: |" * (shown - 1))
        out += ["| " + " | ".join(row[:shown]) + " |" for row in self.rows]
        return "\n".join([*out, "", *self.notes, ""])

    def as_json(self) -> dict:
        """Return what :func:`json.dump` takes."""
        return {
            "title": self.title,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "notes": list(self.notes),
            "inner": self.inner,
            "records": self.records,
        }


def compare(
    title: str,
    measurements: Sequence[Measurement],
    yardstick: str,
    size: Mapping[int, str],
    notes: Sequence[str] = (),
) -> Table:
    """Return the table that sets ours beside a yardstick and others.

    Parameters
    ----------
    title : str
        What was measured.
    measurements : sequence of Measurement
        The lines; all with the same contestants.
    yardstick : str
        The contestant that ratios refer to.
    size : mapping of int to str
        How to write a size.
    notes : sequence of str, optional
        Sentences that belong below.

    Returns
    -------
    Table
    """
    names = list(measurements[0].seconds)
    rows = []
    for one in measurements:
        row = [one.case, size[one.size]]
        row += [duration(one.seconds[name]) if name in one.seconds else "-" for name in names]
        row += [f"{one.ratio:.2f}", "" if one.target is None else f"{one.target:.2f}", one.verdict]
        rows.append(row)
    heads = ["", "size", *names, f"ratio to {yardstick}", "at most", ""]
    return Table(title, heads, rows, [asdict(one) for one in measurements], notes, inner=2)


def duration(seconds: float) -> str:
    """Return a time with its unit.

    Examples
    --------
    >>> duration(4.26e-08), duration(0.0123), duration(2)
    ('42.6 ns', '12.3 ms', '2.00 s')
    """
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 999.5 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.2f} s"


def binary(nbytes: int) -> str:
    """Return a number of bytes with its unit.

    Examples
    --------
    >>> binary(4096), binary(64 << 20), binary(1 << 30), binary(100)
    ('4 KiB', '64 MiB', '1 GiB', '100 B')
    """
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if nbytes >= 1 << shift:
            return f"{nbytes / (1 << shift):.4g} {unit}"
    return f"{nbytes} B"


def machine() -> dict[str, str]:
    """Return what the figures depend on, in a few words."""
    return {
        "cpus": str(len(os.sched_getaffinity(0))),
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "machine": platform.machine(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": numpy.__version__,
    }
