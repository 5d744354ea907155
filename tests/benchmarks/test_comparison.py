"""The table beside other libraries: its programs tell what happens, and its page has all cells."""

import importlib.util
import pathlib
import sys

import pytest

from tests.core.native import may_unshare

ROOT = pathlib.Path(__file__).parents[2]
HERE = pathlib.Path(sys.prefix)  # an environment that has what ours and the standard library need


@pytest.fixture(scope="module")
def comparison():
    path = ROOT / "benchmarks" / "comparison.py"
    spec = importlib.util.spec_from_file_location("comparison", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(comparison):
    """Runs one experiment and returns its cell."""
    if not may_unshare(*comparison.namespaces()[1:]):
        pytest.skip("new namespaces are refused here")
    return lambda *which: comparison.cell(comparison.run(HERE, *which))


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["ended_opened", "killed_opened", "passed_on", "small_shm"])
def test_ours_survives(run, experiment):
    assert run("sharedarray", experiment) == "ok"


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["held", "forgotten"])
def test_ours_leaves_nothing(run, experiment):
    assert run("sharedarray", experiment) == "nothing"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("experiment", "cell"),
    [
        ("ended_opened", "ok"),
        ("small_shm", "bus error"),
        ("many", "OSError"),
        ("held", "100 MB in `/dev/shm`"),
    ],
)
def test_failures_are_seen(run, experiment, cell):
    assert run("multiprocessing.shared_memory", experiment) == cell


def found(outcome, **left):
    left = {"processes": {}, "shm": {}, "tmp": {}} | left
    return {"outcome": outcome, "details": "", "stderr": "", "left": left}


def test_cells(comparison):
    cell = comparison.cell
    assert cell({"outcome": "ok", "left": None}) == "ok"
    assert cell(found("held")) == "nothing"
    assert cell(found("hangs", shm={"a": 1 << 30})) == "hangs"
    assert cell(found("ok", shm={"a": 5 << 20, "b": 5 << 20})) == "10 MB in `/dev/shm`"
    assert cell(found("ok", shm={"a": 0, "b": 9})) == "2 small files in `/dev/shm`"
    assert cell(found("ok", tmp={"log": 1000})) == "1 small file in `/tmp`"
    assert cell(found("held", tmp={"a": 2_000_000}, processes={1: "x", 2: "y"})) == (
        "2 MB in `/tmp`, 2 processes"
    )


def test_table(comparison):
    cells = {"a": {"many": {"outcome": "ok", "left": None}}, "b": {}}
    text = comparison.markdown(cells, {"a": "1.0", "b": "2.0"})
    assert "| | a<br>1.0 | b<br>2.0 |" in text
    assert f"| {comparison.ROWS['many']} | ok |  |" in text


def test_a_library_that_cannot_be_installed_is_named(comparison, tmp_path, monkeypatch):
    monkeypatch.setitem(comparison.PEERS, "nothing", ("./not-there",))
    missing = comparison.install(HERE, ["nothing", "multiprocessing.shared_memory"])
    assert list(missing) == ["nothing"]
    assert "not-there" in missing["nothing"]


def test_the_page_has_every_cell(comparison):
    page = comparison.PAGE.read_text()
    table = page[page.index(comparison.BEGIN) : page.index(comparison.END)]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    head = rows[0].split(" | ")[1:] if rows else []
    assert [name.partition("<br>")[0].strip("| ") for name in head] == list(comparison.PEERS)
    assert [row.split(" | ")[0].strip("| ") for row in rows[2:]] == list(comparison.ROWS.values())
    for row in rows[2:]:
        assert all(cell.strip() for cell in row.strip("|").split("|")), row
