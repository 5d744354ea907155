"""
What the plugins for the suites of SciPy and scikit-learn share.

A plugin adds ``sharedarray`` to the backends of a suite before its modules are collected, and
changes nothing on disk. Of what is collected, the tests on that backend are kept. The list of what
must fail is exact: a listed test that passes fails the run, and so does one that is not there any
more although its module was collected. A run in which the suite met no Array fails as well.
"""

import collections
import json
import pathlib

import pytest

import sharedarray

NAME = sharedarray.__name__
OUTCOMES = ("passed", "failed", "xfailed", "skipped")


def read(path):
    """
    Map the tests of a list to their reasons.

    A line that starts with ``#`` is a reason (several in a row are one), and holds for the lines
    below it: ``module::test[parameters]``, or ``module::test`` for all parameters.
    """
    found, reason, fresh = {}, [], True
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        line = line.strip()
        if line.startswith("#"):
            reason = [line[1:].strip()] if fresh else [*reason, line[1:].strip()]
            fresh = False
        elif line:
            if not reason:
                raise ValueError(f"{path}:{number}: no reason above {line}")
            if line in found:
                raise ValueError(f"{path}:{number}: {line} is listed twice")
            found[line] = " ".join(reason)
            fresh = True
    return found


def name_of(item):
    """Return ``module::test[parameters]``, the same wherever the suite is installed."""
    return f"{item.module.__name__}::{item.nodeid.split('::', 1)[1]}"


def without_parameters(name):
    """Return the name of a test for all its parameters."""
    return name.split("[", 1)[0]


def package_of(name):
    """Return the package of a test: ``scipy.signal``, or ``sklearn`` for what lies above them."""
    parts = name.split("::")[0].split(".")
    return ".".join(parts[: 1 if "tests" in parts[:2] else 2])


class Suite:
    """Keeps the tests on our backend, marks what must fail, and counts the Arrays that it meets."""

    def __init__(self, config):
        self.path = config.getoption("expected")
        self.figures = config.getoption("figures")
        self.expected = read(self.path)
        self.kept = 0
        self.arrays = 0
        self.gone = []
        self.outcomes = collections.defaultdict(dict)  # of a package: test -> outcome

    def count(self, *arrays):
        """Count those that are Arrays."""
        self.arrays += sum(type(array) is sharedarray.Array for array in arrays)

    def ours(self, item):
        """Return whether a test runs on our backend."""
        raise NotImplementedError

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        """Deselect the other backends; what is listed must fail."""
        kept = [item for item in items if self.ours(item)]
        chosen = set(map(id, kept))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
        items[:] = kept
        self.kept = len(kept)
        met = set()
        for item in kept:
            name = name_of(item)
            item.user_properties.append(("name", name))
            for listed in {name, without_parameters(name)} & self.expected.keys():
                met.add(listed)
                item.add_marker(pytest.mark.xfail(reason=self.expected[listed], strict=True))
        whole = not (config.option.keyword or config.option.markexpr)
        modules = {item.module.__name__ for item in kept} if whole else set()
        self.gone = sorted(
            listed for listed in self.expected.keys() - met if listed.split("::")[0] in modules
        )

    def pytest_runtest_logreport(self, report):
        """Note the outcome of a test: that of its worst phase."""
        name = dict(report.user_properties)["name"]
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "xfailed" if report.skipped else "passed"
        tests = self.outcomes[package_of(name)]
        if report.when == "call" or outcome != "passed":
            tests[name] = outcome

    def faults(self):
        """Yield what is wrong with the run itself."""
        for listed in self.gone:
            yield f"{self.path} lists {listed}, which is no test"
        if self.kept and not self.arrays:
            yield f"the suite met no {NAME}.Array: its tests ran on something else"

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        """Fail a run that would have passed, if something is wrong with it; write the figures."""
        collected = not session.config.option.collectonly
        if collected and session.exitstatus == pytest.ExitCode.OK and any(self.faults()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.figures:
            counted = {
                package: {
                    outcome: sum(found == outcome for found in tests.values())
                    for outcome in OUTCOMES
                }
                for package, tests in sorted(self.outcomes.items())
            }
            pathlib.Path(self.figures).write_text(json.dumps(counted))

    def pytest_terminal_summary(self, terminalreporter):
        """Print how many Arrays there were, and what is wrong."""
        terminalreporter.section(NAME)
        terminalreporter.write_line(f"{self.kept} tests on {NAME}, {self.arrays} Arrays met")
        for fault in self.faults():
            terminalreporter.write_line(f"ERROR: {fault}", red=True)


def add_options(parser, default):
    """Add the options that name another list, and a file for the figures."""
    parser.addoption("--expected", default=default, help="list of the tests that must fail")
    parser.addoption("--figures", help="file to write the number of outcomes to, as JSON")
