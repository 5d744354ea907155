"""Every benchmark runs with tiny sizes and its figures are sane (times are never asserted)."""

import json
import math
import os
import pathlib
import subprocess
import sys

import pytest

from sharedarray._bench import calling, importing, making, many, namespace, sending, streaming
from sharedarray._bench.table import Measurement, Table, compare, machine
from sharedarray._bench.timing import Contestant, Samples, interleave
from sharedarray._bench.yardstick import Kept
from sharedarray._cli import bench
from sharedarray._cli.errors import UsageError

SCRIPTS = pathlib.Path(__file__).parents[2] / "benchmarks"


def sane(table: Table, contestants: set[str]) -> None:
    """Check that every contestant has a time in every line, and every line its ratio."""
    assert table.records
    for record in table.records:
        assert contestants <= set(record["seconds"])
        assert all(math.isfinite(s) and s > 0 for s in record["seconds"].values())
        assert math.isfinite(record["ratio"]) and record["ratio"] > 0
    assert all(len(row) == len(table.columns) for row in table.rows)


class TestTiming:
    def test_contestants_take_turns(self):
        calls = []
        rivals = {
            who: Contestant("add(who)", {"add": calls.append, "who": who}, before=list)
            for who in "abc"
        }
        samples = interleave(rivals, 0.0, at_least=3)
        assert "".join(calls) == "abcbcacab"
        assert [len(samples.seconds[who]) for who in "abc"] == [3, 3, 3]

    def test_before_runs_once_before_each_single_run(self):
        calls = []
        one = Contestant("add('run')", {"add": calls.append}, before=lambda: calls.append("before"))
        interleave({"one": one}, 0.0, at_least=2)
        assert calls == ["before", "run", "before", "run"]

    def test_a_slow_contestant_can_be_measured_fewer_times(self):
        rivals = {"slow": Contestant("pass", at_most=1), "other": Contestant("pass", before=list)}
        samples = interleave(rivals, 0.0, at_least=4)
        assert len(samples.seconds["slow"]) == 1
        assert len(samples.seconds["other"]) == 4

    def test_fast_statements_are_repeated(self):
        calls = []
        for _ in range(10):  # whoever is interrupted amid the first run is taken for a slow one
            calls.clear()
            interleave({"one": Contestant("add(0)", {"add": calls.append})}, 0.0, at_least=1)
            if len(calls) > 100:
                break
        assert len(calls) > 100

    def test_ratio_is_the_median_of_pairs(self):
        samples = Samples({"ours": [2.0, 30.0, 4.0], "theirs": [1.0, 10.0, 4.0]})
        assert samples.ratio("ours", "theirs") == 2.0
        assert samples.median("ours") == 4.0

    def test_an_error_of_the_statement_comes_out(self):
        with pytest.raises(ZeroDivisionError):
            interleave({"one": Contestant("1 / 0")}, 0.0)


class TestTable:
    MET = Measurement("a", 4096, {"yardstick": 1e-6, "sharedarray": 5e-7}, 0.5, 0.6)
    MISSED = Measurement("b", 4096, {"yardstick": 1e-6, "sharedarray": 2e-6}, 2.0, 0.6)

    def test_verdict(self):
        assert self.MET.verdict == "met"
        assert self.MISSED.verdict == "missed"
        assert Measurement("c", 1, {}, 2.0).verdict == ""

    def test_text_and_markdown_have_every_value(self):
        table = compare("Title", [self.MET, self.MISSED], "yardstick", {4096: "4 KiB"}, ["Note."])
        for text in (table.as_text(), table.as_markdown()):
            for value in ("Title", "4 KiB", "500 ns", "2 us", "0.50", "2.00", "Note."):
                assert value in text
        assert "missed" in table.as_text()
        assert "missed" not in table.as_markdown()

    def test_json(self):
        table = compare("Title", [self.MET], "yardstick", {4096: "4 KiB"})
        found = json.loads(json.dumps(table.as_json()))
        assert found["records"][0]["seconds"] == self.MET.seconds

    def test_machine(self):
        assert set(machine()) == {"cpus", "system", "machine", "python", "numpy"}


def test_namespace():
    (table,) = namespace.measure(0.0, sizes=(1, 100))
    sane(table, {"NumPy", "sharedarray"})
    assert {record["case"] for record in table.records} == {*namespace.EXPRESSIONS, "x[1:]"}


def test_namespace_targets():
    assert namespace.target("x + y", 100) == 1.2
    assert namespace.target("xp.sum(x)", 10_000) == 1.05
    assert namespace.target("x * 2", 16_000_000) == 0.9
    assert namespace.target("x @ x", 16_000_000) is None


def test_importing():
    (table,) = importing.measure(0.0)
    sane(table, {"interpreter", "NumPy", "sharedarray"})
    assert [record["target"] for record in table.records] == [1.35]


def test_importing_tells_when_a_program_fails():
    with pytest.raises(RuntimeError, match="ended with status 3"):
        importing.cost("raise SystemExit(3)")


def test_calling():
    (table,) = calling.measure(0.0)
    assert [record["case"] for record in table.records] == list(calling.CALLS)
    for record, row in zip(table.records, table.rows, strict=True):
        assert {"NumPy", "sharedarray"} == set(record["seconds"])
        assert all(s > 0 for s in record["seconds"].values())
        assert math.isfinite(record["difference"])
        assert row[-1] == ("met" if record["difference"] <= 120e-9 else "missed")


@pytest.mark.parametrize(("difference", "verdict"), [(119e-9, "met"), (121e-9, "missed")])
def test_calling_verdicts(difference, verdict):
    assert calling.Cost("xp.sin(x)", {"NumPy": 1e-7, "sharedarray": 2e-7}, difference).verdict == (
        verdict
    )


def test_making():
    loop, cold = making.measure(0.0, sizes=(4096, 65536), cold=1 << 20)
    sane(loop, {"np.empty", "sharedarray", "shared_memory"})
    sane(cold, {"shared_memory", "sharedarray"})
    assert [record["size"] for record in loop.records] == [4096, 65536]


def test_sending():
    same, fresh = sending.measure(0.0, sizes=(1024, 65536))
    for table in (same, fresh):
        sane(table, {"tuple", "sharedarray", "shared_memory", "pickle"})


def test_sending_notices_wrong_values():
    with sending.worker() as peer:
        peer.ask((0.5, 1.5))
        with pytest.raises(AssertionError, match=r"3\.0"):
            peer.ask((1.0, 2.0))


def test_sending_leaves_out_what_does_not_fit():
    assert sending.affordable([1024, 1 << 60]) == [1024]


def test_streaming():
    down, up, added = streaming.measure(0.0, sizes=(65536, 1 << 20))
    for table in (down, up):
        sane(table, {"kept mapping", "sharedarray", "shared_memory"})
        assert not table.records[0]["aims"]
        for record in table.records:
            assert {"shared_memory"} <= set(record["faster"]) == set(record["most"])
            assert all(times > 0 for times in record["faster"].values())
    sane(added, {"kept mapping", "sharedarray", "mapped anew"})


def test_streaming_verdicts():
    seconds = {"kept mapping": [1.0], "sharedarray": [1.2], "shared_memory": [20.0]}
    table = streaming.streams("Title", [(1 << 20, Samples(seconds))], [])
    assert table.rows[0][-1] == "met"
    for who, value in (("sharedarray", 1.4), ("shared_memory", 17.0)):
        worse = Samples(seconds | {who: [value]})
        assert streaming.streams("Title", [(1 << 20, worse)], []).rows[0][-1] == "missed"
        small = streaming.streams("Title", [(65536, worse)], []).rows[0][-1]
        assert small == ("missed" if who == "sharedarray" else "met")


@pytest.mark.parametrize("way", ["down", "up"])
@pytest.mark.parametrize("who", ["kept mapping", "sharedarray", "shared_memory"])
def test_streaming_notices_wrong_values(way, who):
    kept = Kept(1 << 16)
    with streaming.started(streaming.serve, kept) as (connection,):
        parent = streaming.Parent(connection, kept)
        getattr(parent, way)(who, 100)
        kept.array[0], kept.array[99] = 5.0, 1.0
        connection.send((0, 100))
        assert connection.recv() == 6.0
        with pytest.raises(AssertionError, match=r"6\.0"):
            parent.check(6.0)
    kept.close()


def test_many_under_a_limit_of_descriptors():
    (table,) = many.measure(cases=((300, 4096), (20, 1 << 20)), limit=64)
    for record in table.records:
        assert record["right"]
        assert record["descriptors"] < 64
        assert record["worker_descriptors"] < 64
        assert record["stdlib"] < 64
    assert [record["arrays"] for record in table.records] == [300, 20]


def test_many_tells_why_it_failed():
    with pytest.raises(RuntimeError, match=r"(?s)10 arrays of 4 KiB: .*OSError"):
        many.run(10, 4096, limit=1)


class TestCommand:
    def test_prints_tables_and_writes_values(self, tmp_path, capsys, monkeypatch):
        monkeypatch.setitem(bench.BENCHMARKS, "namespace", lambda seconds: [TestCommand.table()])
        out = tmp_path / "out.json"
        assert bench.main(["namespace", "--json", str(out)]) == 0
        assert "Title" in capsys.readouterr().out
        values = json.loads(out.read_text())
        assert values["found"]["namespace"][0]["records"][0]["ratio"] == 0.5
        assert values["machine"] == machine()

    @staticmethod
    def table() -> Table:
        return compare("Title", [TestTable.MET], "yardstick", {4096: "4 KiB"})

    def test_unknown_benchmark(self):
        with pytest.raises(UsageError, match="no such benchmark: nothing; there are importing, "):
            bench.main(["nothing"])

    def test_shares_cover_every_benchmark(self):
        assert set(bench.SHARES) == set(bench.BENCHMARKS)
        assert math.isclose(sum(bench.SHARES.values()), 1.0)


@pytest.mark.parametrize("name", sorted(bench.BENCHMARKS))
def test_there_is_a_script_for_every_benchmark(name):
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), "--help"]
    path = os.pathsep.join([str(SCRIPTS.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "--json" in done.stdout
