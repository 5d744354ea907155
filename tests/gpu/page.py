"""The page of results, ``docs/gpu-results.md``."""

import pathlib
from collections.abc import Iterable, Mapping

from .runner import ROOT
from .table import Section, as_markdown, closing, status

PAGE = ROOT / "docs" / "gpu-results.md"
TITLE = "# Results on a card"
NOT_RUN = f"""{TITLE}

Not run yet.

`make gpu`, on a machine with an NVIDIA card, builds in place, measures, runs the tests that need a
card, and writes this page, with the date, the card, the driver and the versions (`make gpu CUDA=12`
where the driver is for CUDA 12). Until then, what the other pages say of CUDA arrays was tried on a
[double of the driver](testing.md#without-a-card) alone.
"""


def text(facts: Mapping[str, str], sections: Iterable[Section], seconds: float) -> str:
    """The page."""
    sections = list(sections)
    outcome = "All that was to hold, held" if status(sections) == 0 else "Not all of it held"
    return "\n".join(
        [
            TITLE,
            "",
            f"Written by `make gpu`, which took {seconds:.0f} seconds. {outcome}: "
            f"{closing(sections)}.",
            "",
            "| | |",
            "| --- | --- |",
            *(f"| {name} | {value} |" for name, value in facts.items()),
            "",
            "Figures are medians of several rounds; contestants of a line took turns, and ratios "
            "are of the rounds, ours over theirs.",
            "",
            as_markdown(sections),
        ]
    )


def has_run(page: str) -> bool:
    """Whether the page holds results."""
    return "Not run yet" not in page and "| card |" in page


def write(path: pathlib.Path, *args) -> None:
    """Write the page; what was there is replaced at once or not at all."""
    draft = path.with_name(path.name + ".new")
    draft.write_text(text(*args))
    draft.replace(path)
