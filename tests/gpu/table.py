"""What the checks found: rows with a verdict, as text, as a page, and as an exit status."""

import enum
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

COLUMNS = ("", "found", "beside it", "ratio", "target", "")


class Verdict(enum.StrEnum):
    """What became of a row."""

    MET = "met"  # the ratio is what was aimed at
    MISSED = "MISSED"
    HOLDS = "holds"  # what must be so is so
    FAILED = "FAILED"
    SEEN = ""  # a figure that nothing was promised of
    LEFT_OUT = "left out"  # for the reason that `found` gives; no failure


BAD = frozenset({Verdict.MISSED, Verdict.FAILED})


@dataclass(frozen=True)
class Row:
    """
    One line of the table.

    Attributes
    ----------
    what : str
        What was done.
    found : str
        What came out, with its unit; of failures the reason.
    beside : str
        The same of what it is compared with, named.
    ratio : float or None
        Ours over theirs, of one run.
    target : str
        What the ratio was to be.
    verdict : Verdict
    """

    what: str
    found: str
    beside: str = ""
    ratio: float | None = None
    target: str = ""
    verdict: Verdict = Verdict.SEEN

    @classmethod
    def compared(cls, what, found, beside, ratio, *, at_most=None, at_least=None):
        """A figure and its ratio to another one, with a bound of the ratio or without."""
        if not ratio > 0:  # NaN too
            return cls(what, found, f"{beside} (no ratio)", verdict=Verdict.FAILED)
        if at_most is not None:
            verdict = Verdict.MET if ratio <= at_most else Verdict.MISSED
            return cls(what, found, beside, ratio, f"at most {at_most:.2f}", verdict)
        if at_least is not None:
            verdict = Verdict.MET if ratio >= at_least else Verdict.MISSED
            return cls(what, found, beside, ratio, f"at least {at_least:.2f}", verdict)
        return cls(what, found, beside, ratio)

    @classmethod
    def held(cls, what, good, found):
        """Something that must be so."""
        return cls(what, found, verdict=Verdict.HOLDS if good else Verdict.FAILED)

    @classmethod
    def failed(cls, what, reason):
        """A check that did not come to its end."""
        return cls(what, reason, verdict=Verdict.FAILED)

    @classmethod
    def left_out(cls, what, reason):
        """A check that this machine cannot have."""
        return cls(what, reason, verdict=Verdict.LEFT_OUT)

    def as_json(self):
        """What `from_json` takes."""
        return asdict(self)

    @classmethod
    def from_json(cls, found):
        """The row that `as_json` gave."""
        return cls(**{**found, "verdict": Verdict(found["verdict"])})

    def cells(self):
        """What stands in the columns."""
        ratio = "" if self.ratio is None else f"{self.ratio:.3f}"
        return (self.what, self.found, self.beside, ratio, self.target, str(self.verdict))


@dataclass(frozen=True)
class Section:
    """The rows of one check, under its title."""

    title: str
    rows: Sequence[Row]


def status(sections: Iterable[Section]) -> int:
    """
    The exit status: 0 if every check was made and nothing was missed or failed.

    A section without rows is a check that said nothing, and no rows at all are no result.
    """
    rows = [section.rows for section in sections]
    if not rows or not all(rows):
        return 1
    return int(any(row.verdict in BAD for part in rows for row in part))


def closing(sections: Iterable[Section]) -> str:
    """One line: how many rows of each verdict there are."""
    rows = [row for section in sections for row in section.rows]
    names = {Verdict.SEEN: "without a target"}
    counts = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    return ", ".join(f"{n} {names.get(verdict, verdict)}" for verdict, n in counts.items() if n)


def as_text(sections: Iterable[Section]) -> str:
    """The table for a terminal."""
    sections = list(sections)
    lines = [COLUMNS, *(row.cells() for section in sections for row in section.rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    widths[1], widths[2] = min(widths[1], 60), min(widths[2], 44)

    def laid_out(cells):
        return "  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()

    out = [laid_out(COLUMNS), "  ".join("-" * width for width in widths)]
    for section in sections:
        out += ["", section.title, *(laid_out(row.cells()) for row in section.rows)]
    return "\n".join([*out, ""])


def as_markdown(sections: Iterable[Section]) -> str:
    """The table for a page: one for each section."""
    out = []
    for section in sections:
        out += [f"## {section.title}", "", "| " + " | ".join(COLUMNS) + " |"]
        out.append("|" + " --- |" * len(COLUMNS))
        for row in section.rows:
            cells = (cell.replace("|", "\\|").replace("\n", " ") for cell in row.cells())
            out.append("| " + " | ".join(cells) + " |")
        out.append("")
    return "\n".join(out)
