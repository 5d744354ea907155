"""Pytest plugin: skips are counted by reason, and none may hide something that could be installed.

A test may be skipped for what this machine cannot have (no GPU, an older kernel). A reason that
says that a package or a program is not installed fails the run: ``make`` installs what tests need.
"""

import collections
import re

import pytest

INSTALLABLE = re.compile(
    r"could not import|no module named|not installed|(pip|apt|apt-get) install"
    r"|install (it|them)\b|not found on PATH|missing (package|module|program|dependency)",
    re.IGNORECASE,
)


def reason_of(report):
    """Return the reason of a skipped report, without pytest's ``Skipped: ``."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ").strip()


class Skips:
    """Collects the skips of one run."""

    def __init__(self):
        self.places = collections.defaultdict(list)

    def avoidable(self):
        """Return the reasons that name something that could have been installed."""
        return [reason for reason in self.places if INSTALLABLE.search(reason)]

    def note(self, report):
        """Remember a report if it is a skip (and not an expected failure)."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self.places[reason_of(report)].append(report)

    def pytest_runtest_logreport(self, report):
        """Note skipped tests."""
        self.note(report)

    def pytest_collectreport(self, report):
        """Note modules that are skipped whole."""
        self.note(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        """Fail a run that would have passed, if a skip could have been avoided."""
        if self.avoidable() and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        """Print the table, which stands before pytest's closing line."""
        if not self.places:
            return
        terminalreporter.section("skipped, by reason")
        for reason, places in sorted(self.places.items(), key=lambda item: -len(item[1])):
            terminalreporter.write_line(f"{len(places):6d}  {reason}")
        for reason in self.avoidable():
            terminalreporter.write_line(
                f"ERROR: {self.places[reason][0].nodeid} was skipped for want of something that "
                f"can be installed ({reason}): add it to an extra of pyproject.toml",
                red=True,
            )
            terminalreporter.stats.setdefault("error", []).extend(self.places[reason])


def pytest_configure(config):
    """Register the counter."""
    config.pluginmanager.register(Skips(), "skips-by-reason")
