"""The part of the test suite that needs a card, as one check."""

import importlib.util
import os
import re
import sys
from collections.abc import Callable

from . import runner
from .table import Row, Section

TITLE = "The tests marked gpu"
# With what each needs beside pytest.
PLACES = {
    "tests/cuda": (),
    "tests/seeds/test_cuda.py": (),
    "tests/cli/test_demo_cuda.py": ("matplotlib", "PIL"),
}
NO_TESTS = 5  # pytest's exit status
FAILURE = re.compile(r"^(?:FAILED|ERROR) (\S+?(?:\[.*?\])?)(?: - (.*))?$", re.M)
CLOSING = re.compile(r"(?:\d+ [a-z]+(?:, )?)+ in [\d.]+s")


def command(jobs: int) -> list[str]:
    """What runs them; side by side where that can be."""
    places = [
        place
        for place, needs in PLACES.items()
        if all(importlib.util.find_spec(name) is not None for name in needs)
    ]
    found = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "--tb=short"]
    # Skips for what is not installed are no failures here, nor are warnings of newer packages.
    found += ["-p", "no:cacheprovider", "-p", "no:tests.skips", "-W", "default", *places]
    if importlib.util.find_spec("xdist") is not None:
        found += ["-n", str(jobs), "--dist", "worksteal"]
    return found


def run(seconds: float, say: Callable[[str], None]) -> Section:
    """
    Run them.

    Parameters
    ----------
    seconds : float
        Time-out; with none they are not begun.
    say : callable
        Told what failed.
    """
    if importlib.util.find_spec("pytest") is None:
        return Section(TITLE, [Row.left_out("pytest", "pytest is not installed")])
    if seconds <= 0:
        return Section(TITLE, [Row.failed("pytest", "not begun: the time of the run was up")])
    jobs = min(8, len(os.sched_getaffinity(0)))
    extra = {"SHAREDARRAY_TEST_CARD": "1"}
    status, output = runner.run(command(jobs), extra, seconds)
    return Section(TITLE, rows_of(status, output, seconds, say))


def rows_of(status, output, seconds, say) -> list[Row]:
    """The rows that an ended run of pytest amounts to: its outcome, and each test that failed."""
    closing = CLOSING.findall(output)
    if status == 0 and closing:
        return [Row.held("pytest", True, closing[-1])]
    say("\n".join(output.strip().splitlines()[-200:]))
    if status == NO_TESTS:
        return [Row.failed("pytest", "no test is marked gpu")]
    why = closing[-1] if closing and status is not None else runner.ending(status, output, seconds)
    failed = dict.fromkeys(FAILURE.findall(output))
    return [
        Row.failed("pytest", why),
        *(Row.failed(name, " ".join(reason.split())[:120]) for name, reason in failed),
    ]
