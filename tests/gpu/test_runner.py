"""Checks that raise, hang, die or say nothing fail, and leave the others running."""

import json
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

from tests.harness import procfs

from . import __main__ as command
from . import page, planted, registry, runner, suite
from .registry import Check
from .table import Row, Section, status

PLANTED = f"{__package__}.planted"


def run(name, timeout=30.0):
    said = []
    section = runner.run_check(name, name, timeout, {}, said.append, PLANTED)
    return section, "\n".join(said)


def test_a_good_check():
    section, said = run("fine")
    assert section == Section("fine", [Row("a figure", "1 s")])
    assert said == ""


@pytest.mark.parametrize(
    ("name", "timeout", "reason"),
    [
        ("raises", 30.0, "exit status 1: RuntimeError: planted"),
        ("hangs", 1.5, "no end after 2 s"),
        ("dies", 30.0, "ended by SIGKILL"),
        ("stops_in_a_line", 30.0, "ended by SIGKILL"),
    ],
)
def test_a_failure_is_a_row_beside_those_before_it(name, timeout, reason, monkeypatch):
    class Popen(subprocess.Popen):
        """Its time-out begins with the first row, however long the process took to start."""

        def wait(self, timeout=None):
            if timeout == 1.5:
                assert procfs.wait_until(pathlib.Path(self.args[-1]).read_text)
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", Popen)
    section, said = run(name, timeout)
    assert section.rows[0] == Row("before", "1 s")
    assert section.rows[1].verdict == "FAILED"
    assert reason in section.rows[1].found
    assert len(section.rows) == 2
    assert status([section]) == 1
    assert name != "hangs" or "in hangs" in said  # where it was


def test_silence_is_a_failure():
    section, _ = run("says_nothing")
    assert [row.verdict for row in section.rows] == ["FAILED"]


def test_a_row_that_cannot_be_read_is_a_failure():
    section, _ = run("reports_rubbish")
    assert [row.verdict for row in section.rows] == ["FAILED"]
    assert "cannot be read" in section.rows[0].found


def test_what_is_not_begun_is_a_failure():
    section, _ = run("fine", 0.0)
    assert section.rows[0].verdict == "FAILED"
    assert "not begun" in section.rows[0].found


def test_processes_of_a_check_end_with_it():
    section, _ = run("leaves_a_process")
    (row,) = section.rows
    assert procfs.wait_until(lambda: procfs.state(row.found) in ("", "Z"))


@pytest.fixture
def machine(monkeypatch):
    """The command over planted checks, on a machine whose facts are given."""
    found = {"facts": {"card": "none", "date": "2026-01-01"}, "used": 1 << 30, "double": False}
    answers = [found, dict(found)]
    monkeypatch.setattr(
        command, "facts", lambda extra: answers.pop(0) if len(answers) > 1 else answers[0]
    )
    monkeypatch.setattr(command.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: object())

    def run_check(*arguments):
        return original(*arguments, PLANTED)

    original = runner.run_check
    monkeypatch.setattr(runner, "run_check", run_check)

    def plant(*names):
        checks = {name: Check(name, name, 5.0, (), getattr(planted, name)) for name in names}
        monkeypatch.setattr(registry, "all_checks", lambda: checks)
        return answers

    return plant


def test_the_command_writes_the_page_and_ends_with_0(machine, tmp_path, capsys):
    machine("fine", "leaves_a_process")
    target, rows = tmp_path / "page.md", tmp_path / "rows.json"
    words = ["--no-build", "--no-tests", "--page", str(target), "--json", str(rows)]
    assert command.main(words) == 0
    text = target.read_text()
    assert page.has_run(text)
    assert "| card | none |" in text
    assert "## fine" in text
    assert "All that was to hold, held" in text
    assert json.loads(rows.read_text())["rows"][0][0] == "fine"
    assert "without a target" in capsys.readouterr().out
    assert sorted(os.listdir(tmp_path)) == ["page.md", "rows.json"]


@pytest.mark.parametrize("bad", ["missed", "raises", "dies", "says_nothing"])
def test_one_bad_check_leaves_the_others_running_and_tells_by_the_status(machine, tmp_path, bad):
    machine(bad, "fine")
    target = tmp_path / "page.md"
    assert command.main(["--no-build", "--no-tests", "--page", str(target)]) == 1
    assert "Not all of it held" in target.read_text()
    assert "| a figure | 1 s |" in target.read_text()


def test_memory_left_on_the_device_is_a_failure(machine, tmp_path):
    answers = machine("fine")
    answers[1]["used"] += 128 << 20
    target = tmp_path / "page.md"
    assert command.main(["--no-build", "--no-tests", "--page", str(target)]) == 1
    assert "| 128 MiB more than before the first check |" in target.read_text()


def test_memory_that_comes_back_late_is_none(machine, tmp_path):
    answers = machine("fine")
    answers.insert(1, {**answers[1], "used": answers[1]["used"] + (128 << 20)})
    assert command.main(["--no-build", "--no-tests", "--page", str(tmp_path / "page.md")]) == 0


@pytest.mark.parametrize("words", [["--double"], ["--only", "fi*"]], ids=" ".join)
def test_the_double_and_parts_write_no_page(machine, tmp_path, monkeypatch, words):
    monkeypatch.setattr(command, "double", lambda stack: {})
    machine("fine")[0]["double"] = "--double" in words
    target = tmp_path / "page.md"
    assert command.main(["--no-build", "--page", str(target), *words]) == 0
    assert not target.exists()


def test_only_those_named_are_run(machine, tmp_path):
    machine("fine", "missed")
    assert command.main(["--no-build", "--only", "fi*"]) == 0


def test_the_double_is_not_taken_for_a_card(machine, capsys):
    machine("fine")[0]["double"] = True
    assert command.main(["--no-build"]) == 1
    assert "driver double" in capsys.readouterr().out


def test_wheels_are_imported_as_they_are(machine, tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "wheeled_thing-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("wheeled_thing.py", "answer = 42\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    command.use_wheels(tmp_path)
    status, output = runner.run(
        [sys.executable, "-c", "import wheeled_thing; print(wheeled_thing.answer)"], {}, 30
    )
    assert (status, output) == (0, "42\n")


def test_without_a_driver_it_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(registry, "all_checks", dict)
    monkeypatch.setattr(command, "facts", lambda extra: "the driver cannot be used: no card")
    target = tmp_path / "page.md"
    assert command.main(["--no-build", "--page", str(target)]) == 1
    assert "no card" in capsys.readouterr().out
    assert not target.exists()


class TestSuite:
    """The run of pytest as a row."""

    def test_good(self):
        (row,) = suite.rows_of(0, "....\n34 passed, 2 skipped in 12.3s", 100, print)
        assert (row.verdict, row.found) == ("holds", "34 passed, 2 skipped in 12.3s")

    def test_bad(self):
        said = []
        output = (
            "F.\nFAILED tests/a.py::test[x - y] - assert 1 == 2\nERROR tests/b.py\n"
            "ERROR tests/b.py\n1 failed, 33 passed, 2 errors in 9.00s"
        )
        rows = suite.rows_of(1, output, 100, said.append)
        assert [row.verdict for row in rows] == ["FAILED"] * 3
        assert rows[0].found == "1 failed, 33 passed, 2 errors in 9.00s"
        assert [row.what for row in rows[1:]] == ["tests/a.py::test[x - y]", "tests/b.py"]
        assert rows[1].found == "assert 1 == 2"
        assert "FAILED tests/a.py::test" in said[0]

    @pytest.mark.parametrize(
        ("status", "output", "reason"),
        [
            (5, "10 deselected in 0.10s", "no test is marked gpu"),
            (None, "....", "no end after 100 s"),
            (-11, "....", "ended by SIGSEGV"),
            (0, "", "exit status 0"),
        ],
    )
    def test_none_late_or_crashed(self, status, output, reason):
        (row,) = suite.rows_of(status, output, 100, lambda text: None)
        assert row.verdict == "FAILED"
        assert reason in row.found

    def test_the_command_chooses_by_the_marker(self):
        words = suite.command(4)
        assert words[:3] == [sys.executable, "-m", "pytest"]
        assert words[words.index("-m", 3) + 1] == "gpu"
        assert [place for place in words if place.startswith("tests/")] == list(suite.PLACES)
        assert all((runner.ROOT / place).exists() for place in suite.PLACES)

    def test_what_needs_a_package_that_is_missing_is_left_out(self, monkeypatch):
        monkeypatch.setattr(suite.importlib.util, "find_spec", lambda name: None)
        words = suite.command(4)
        assert "tests/cuda" in words
        assert "tests/cli/test_demo_cuda.py" not in words
        assert "-n" not in words
