"""Every fault made on purpose is seen, by the check that is there for it."""

import contextlib
import itertools
import json
import os
import pathlib
import re

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import join, no_keeper, procfs
from tests.harness.footprint import servants

from . import checks, patterns, plan, planted, report, table
from .running import perform

SEEN = {
    "content": r"content of array .*elements differ",
    "recycled": r"content of array .*elements differ",
    "lost": r"lost array .* although its sender 1\.\d+, process \d+, lives",
    "vanished": r"vanished",
    "leaked": r"worker 1\.\d+: allocated .* bytes left",
    "kept": r"worker 1\.\d+: attached .* bytes left",
    "descriptor": r"processes left: ",
    "process": r"processes left: .*sleep\(600\)",
    "entry": r"/dev/shm entries left: .*planted-",
    "crash": r"worker 1\.\d+ .*ended with -11",
    "murder": r"worker 1\.\d+ .*ended with -9",
    "code": r"worker 1\.\d+ .*ended with 3",
    "hang": r"worker 1\.\d+ hangs",
}


def test_each_fault_has_its_check():
    assert set(SEEN) == set(planted.FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEN)
def test_a_run_sees(name):
    before = set(procfs.descendants(os.getpid()))
    silence = 5.0 if name == "hang" else 60.0  # who only waits for the machine does not hang
    outcome = perform(2.0, seed=len(name), slots=3, plant=name, silence=silence)
    for pid in set(procfs.descendants(os.getpid())) - before - servants():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
    told = "\n".join(outcome.wrong)
    for left in re.findall(r"planted-\d+-stress", told):
        pathlib.Path("/dev/shm", left).unlink()
    assert re.search(SEEN[name], told), told
    assert f"FAILED, seed {len(name)}" in str(outcome)
    assert "steps; the last ones" in str(outcome)


@pytest.fixture
def known(tmp_path):
    """A table without a run."""
    one = table.Table(tmp_path / "table", create=True)
    yield one
    one.close()


def test_messages_that_vanish_are_counted(known):
    one, other = known.new_row(), known.new_row()
    one.sent, other.opened, other.lost = 10, 7, 2
    assert "1 vanished" in next(checks.messages_accounted(known))
    other.condemned = 1  # it may have had one in its hands
    assert list(checks.messages_accounted(known)) == []


def test_losses_need_a_cause(known):
    one = known.new_row()
    one.lost = 1
    assert list(checks.nothing_lost_without_a_cause(known))
    child = known.new_row()
    child.begin("0.0/3", os.getpid(), 1, one)
    assert list(checks.nothing_lost_without_a_cause(known))
    child.ended = 1
    assert not list(checks.nothing_lost_without_a_cause(known))
    child.ended = 0
    known.new_row().condemned = 1
    assert not list(checks.nothing_lost_without_a_cause(known))


def test_what_is_in_flight_must_have_been_abandoned(known, tmp_path):
    sender, receiver = known.new_row(), known.new_row()
    stats = {"allocated": 0, "attached": 0, "in_flight": 4096}
    path = tmp_path / "end.json"
    told = {"name": "0.0", "row": sender.number, "stats": stats, "collected": False}
    path.write_text(json.dumps(told))
    assert "in_flight 4,096" in next(checks.dropped(known, [path]))
    receiver.opening, receiver.opening_from, receiver.opening_bytes = 5, sender.number + 1, 4000
    receiver.opening_maker = sender.number + 1
    assert not list(checks.dropped(known, [path]))
    receiver.opening_bytes, receiver.opening_maker = 0, receiver.number + 1
    assert not list(checks.dropped(known, [path]))  # a segment of another process
    path.write_text(json.dumps(dict(told, collected=True)))
    assert "in_flight 4,096 bytes left, at most 0" in next(checks.dropped(known, [path]))


def test_a_living_process_is_found(known):
    row = known.new_row()
    row.begin("0.0", os.getpid(), int(procfs.stat(os.getpid())[19]))
    assert f"process {os.getpid()} (0.0) still runs" in list(checks.processes_left(known))
    row.start = 0  # killed before it had begun
    assert not list(checks.processes_left(known))


def test_memory_that_stays_in_the_machine_is_seen(monkeypatch):
    monkeypatch.setattr(checks, "strangers", lambda own: [])
    start = checks.Machine()
    start.shmem -= 16 * checks.SLACK
    (told,) = checks.machine_returned(start, timeout=0.1)
    assert told.startswith(f"Shmem of the machine grew from {start.shmem:,} to ")
    monkeypatch.setattr(checks, "strangers", lambda own: [1])
    assert not list(checks.machine_returned(start, timeout=0.1))  # it may be theirs


def test_segments_that_stay_are_seen(monkeypatch):
    monkeypatch.setattr(procfs, "segments", lambda pids: {"one": 80 << 20})
    assert "83,886,080 bytes of segments" in next(checks.segments_small([1], 0))
    assert not list(checks.segments_small([1], 1000))


@pytest.mark.parametrize("dtype", patterns.DTYPES)
@pytest.mark.parametrize("n", [1, 2, 9, 100, 5000])
def test_every_element_counts(dtype, n):
    for u in (0.1, 0.3, 0.6, 0.9):
        shape, order = patterns.layout(n, u)
        spec = (7 << 32 | 3, dtype, shape, order)
        x = patterns.original(spec).copy(order="K")
        assert patterns.difference(x, spec, ()) == ""
        for name, view in patterns.VIEWS.items():
            seen = view(x)
            seen.flags.writeable = name != "locked"
            assert patterns.difference(seen, spec, (name,)) == ""
            seen.flags.writeable = name == "locked"
            assert patterns.difference(seen, spec, (name,)) in ("writable", "read-only")
            x.flags.writeable = True
        flat = x.reshape(-1, order="A").view(f"u{x.itemsize}" if x.itemsize < 16 else "u8")
        flat[-1] ^= 1
        x = x if np.shares_memory(x, flat) else flat.view(x.dtype).reshape(shape, order="A")
        assert patterns.difference(x, spec, ()) != ""


def test_patterns_of_two_arrays_differ():
    for dtype in patterns.DTYPES:
        one, other = (patterns.pattern(ident, 400, dtype) for ident in (5 << 32, 5 << 32 | 1))
        assert not np.array_equal(one, other)
        assert not np.array_equal(one[:200], one[200:])


def test_a_plan_is_its_seed_s_and_name_s():
    def first(*which):
        return list(itertools.islice(plan.decisions(*which), 200))

    assert first(1, "0.0") == first(1, "0.0")
    assert first(1, "0.0") != first(2, "0.0")
    assert first(1, "0.0") != first(1, "0.1")
    assert {d.action for d in first(1, "0.0+")} <= set(plan.THREAD)
    assert {d.action for d in first(1, "0.0/7")} <= set(plan.CHILD)
    assert next(plan.raids(3, 8)) == next(plan.raids(3, 8))


def test_rows_are_given_once_and_keep_the_last_actions(known):
    rows = [known.new_row() for _ in range(20)]
    assert [row.number for row in rows] == list(range(20))
    rows[3].begin("3.1/4", 77, 99, rows[2])
    for i in range(table.LINES + 5):
        rows[3].note(i, "make")
    again = table.Row(table.Table(known.path), 3)
    assert (again.name, again.pid, again.start, again.steps) == ("3.1/4", 77, 99, table.LINES + 5)
    assert again.journal()[-1] == f"#{table.LINES + 4} make"
    assert again.journal()[0] == "#5 make"
    assert rows[2].steps == rows[4].steps == 0


def leave_a_message(queue):
    """End with something in flight."""
    queue.put(bytes(xp.ones(1000).handle()))


def test_a_keeper_left_is_named_with_what_its_sender_did(context):
    queue = context.Queue()
    process = context.Process(target=leave_a_message, args=(queue,))
    process.start()
    message = queue.get()
    join(process)
    journals = {process.pid: "what it did", process.pid + 1: "what another one did"}
    (line,) = report.keepers_left(journals)
    assert re.fullmatch(rf"keeper \d+ of process {process.pid}: what it did", line)
    (line,) = report.keepers_left({})
    assert line.endswith("not of this run")
    xp.from_handle(xp.Handle.from_bytes(message))
    assert no_keeper(process.pid)
    assert list(report.keepers_left(journals)) == []
