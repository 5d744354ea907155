"""The plugins really run on Arrays, and what must fail a run does."""

import pathlib
import re
import sys

import pytest

from . import __main__ as runner
from . import suites
from .__main__ import command, run

HERE = pathlib.Path(__file__).parent
WHITEN = ["scipy.cluster.tests.test_vq", "-k", "whiten and not neg and not inf"]
UTILS = ["sklearn.utils.tests.test_array_api", "-k", "test_average or test_nan_reductions"]


def outcome(library, *arguments, cwd=None, plugins=(), **options):
    """Run a suite; return its exit status, its output, and the number of tests and Arrays."""
    more = [part for name, value in options.items() for part in (f"--{name}", value)]
    planted = [part for plugin in plugins for part in ("-p", plugin)]
    status, output = run([*command(library, *arguments), *more, *planted], path=cwd)
    found = re.search(r"(\d+) tests on sharedarray, (\d+) Arrays met", output)
    assert found, output
    return status, output, *map(int, found.groups())


@pytest.mark.parametrize(("library", "chosen"), [("scipy", WHITEN), ("sklearn", UTILS)])
def test_a_suite_runs_on_arrays(library, chosen):
    status, output, tests, arrays = outcome(library, *chosen)
    assert status == 0, output
    assert tests > 1
    assert arrays > 1
    assert f"{tests} passed" in output


PLANTED = {
    "scipy": (WHITEN, "std"),
    "sklearn": (UTILS, "mean"),
}


@pytest.mark.parametrize("library", PLANTED)
def test_a_fault_of_ours_fails_the_run(library, tmp_path):
    chosen, function = PLANTED[library]
    (tmp_path / "planted.py").write_text(
        "import sharedarray\n"
        f"right = sharedarray.{function}\n"
        f"sharedarray.{function} = lambda *args, **kwargs: right(*args, **kwargs) + 1\n"
    )
    status, output, *_ = outcome(library, *chosen, cwd=tmp_path, plugins=["planted"])
    assert status == 1, output
    assert re.search(r"\d+ failed", output)


def test_the_list_is_exact(tmp_path):
    """What is listed and passes fails the run, and so does what is listed and is no test."""
    module = "scipy.constants.tests.test_constants"
    listed = tmp_path / "list.txt"
    listed.write_text(
        f"# Said to fail.\n{module}::TestConvertTemperature::test_convert_temperature\n"
    )
    status, output, *_ = outcome("scipy", module, expected=listed)
    assert status == 1, output
    assert "XPASS(strict)" in output
    listed.write_text(f"# Was there once.\n{module}::test_of_old\n")
    status, output, *_ = outcome("scipy", module, expected=listed)
    assert status == 1, output
    assert f"lists {module}::test_of_old, which is no test" in output


def test_a_run_without_arrays_fails(tmp_path):
    (tmp_path / "test_empty.py").write_text("def test_nothing(xp): pass\n")
    status, output, tests, arrays = outcome(
        "scipy", str(tmp_path / "test_empty.py"), plugins=["scipy.conftest"]
    )
    assert (tests, arrays) == (1, 0)
    assert status == 1, output
    assert "met no sharedarray.Array" in output


def test_an_expected_failure_is_one(tmp_path):
    """A listed test that fails passes the run, and counts as such."""
    (tmp_path / "test_wrong.py").write_text(
        "from scipy._lib._array_api import xp_assert_equal\n"
        "def test_wrong(xp): xp_assert_equal(xp.ones(2), xp.zeros(2))\n"
    )
    listed = tmp_path / "list.txt"
    listed.write_text("# Wrong by intent.\ntest_wrong::test_wrong\n")
    path, plugins = str(tmp_path / "test_wrong.py"), ["scipy.conftest"]
    status, output, *_ = outcome("scipy", path, plugins=plugins, expected=listed)
    assert status == 0, output
    assert "1 xfailed" in output
    listed.write_text("")
    status, output, *_ = outcome("scipy", path, plugins=plugins, expected=listed)
    assert status == 1, output


def test_one_part_that_fails_fails_the_run(monkeypatch, capfd):
    python = {
        "good": [sys.executable, "-c", "print('well')"],
        "bad": [sys.executable, "-c", "raise SystemExit(3)"],
    }
    monkeypatch.setattr(runner, "parts", lambda full: python.items())
    assert runner.main(["--only", "good"]) == 0
    assert "all passed" in capfd.readouterr().out
    assert runner.main([]) == 1
    assert "failed: bad" in capfd.readouterr().out
    with pytest.raises(SystemExit):
        runner.main(["--only", "ugly"])


@pytest.mark.parametrize("name", ["scipy", "sklearn"])
def test_lists_give_reasons(name):
    for test, reason in suites.read(HERE / f"{name}_xfails.txt").items():
        assert test.startswith(f"{name}.")
        assert len(reason) > 40


@pytest.mark.parametrize("text", ["a.b::test\n", "# Reason.\na.b::test\na.b::test\n"])
def test_a_list_without_reason_or_with_doubles_is_refused(tmp_path, text):
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(ValueError, match=r"no reason|listed twice"):
        suites.read(tmp_path / "list.txt")
