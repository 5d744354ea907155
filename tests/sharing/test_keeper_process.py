"""What a keeper is, and how long it stays."""

import fcntl
import multiprocessing
import os
import pathlib
import queue
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import sharedarray as xp
from sharedarray import _limits
from tests.harness import (
    Footprint,
    WorkerError,
    join,
    keepers,
    no_keeper,
    procfs,
    run_script,
)
from tests.harness.fixtures import check_processes

from .senders import HEAD, KEPT, MIB, full_of, keepers_end, opened, sent  # noqa: F401
from .test_keeper import put

# ---- what a keeper is ----


@pytest.fixture
def keeper():
    """A keeper and the message that it keeps."""
    (blob,) = sent("x = [xp.ones(1 << 20) for _ in range(20)]\nsend(1000, 1)")
    (pid,) = keepers()
    yield pid
    assert full_of(opened(blob), 1)
    assert no_keeper()


def test_it_has_nothing_but_what_it_keeps(keeper):
    assert procfs.wait_until(lambda: len(procfs.descriptors(keeper)) == 7)
    targets = sorted(target.split("[")[0] for target in procfs.descriptors(keeper).values())
    assert targets[:3] == ["/dev/null"] * 3
    assert all(target.startswith("/memfd:sharedarray-") for target in targets[3:5])
    assert targets[5:] == ["socket:"] * 2  # of its listener, one for its refusals
    fields = procfs.stat(keeper)
    session, terminal = int(fields[3]), int(fields[4])
    assert session == keeper
    assert terminal == 0
    assert os.readlink(f"/proc/{keeper}/cwd") == "/"
    assert procfs.name(keeper) == "sharedarray-kee"
    assert pathlib.Path(f"/proc/{keeper}/environ").read_bytes() == b""


def test_it_takes_little_memory(keeper):
    assert procfs.proportional([keeper], "Private_Dirty") < MIB
    assert procfs.proportional([keeper], "Private_Clean") < MIB
    private = sum(procfs.proportional([keeper], f"Private_{kind}") for kind in ("Dirty", "Clean"))
    assert private < MIB


def test_its_memory_for_many_messages():
    """Its tables, without the pages of its sender's ledger, which only it maps by then."""
    sent("for i in range(10_000): print(bytes(xp.full(10, 1.0).handle()).hex())")
    (pid,) = keepers()
    assert procfs.proportional([pid], "Anonymous") < MIB
    os.kill(pid, signal.SIGTERM)
    assert no_keeper()


def test_it_keeps_no_more_than_what_others_may_reach(keeper):
    """The sender's other arrays lie in the same arena."""
    assert procfs.wait_until(lambda: sum(procfs.segments([keeper]).values()) < 2 * MIB)


def test_neighbours_that_others_hold_are_kept(worker):
    code = """
        x = [xp.full(1 << 17, float(i)) for i in range(20)]
        for i in (3, 11):
            print(bytes(x[i].handle()).hex(), flush=True)
        sys.stdin.read(1)
        send(1000, 1)
        """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HEAD) + textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    blobs = [bytes.fromhex(process.stdout.readline()) for _ in range(2)]
    worker.run("keep['x'] = [xp.from_handle(xp.Handle.from_bytes(b)) for b in blobs]", blobs=blobs)
    last = bytes.fromhex(process.communicate("x")[0])
    assert process.returncode == 0
    (pid,) = keepers()
    assert procfs.wait_until(lambda: sum(procfs.segments([pid]).values()) < 5 * MIB)
    assert worker.get("[float(x[0]) == float(x[-1]) == i for i, x in zip((3, 11), keep['x'])]") == [
        True,
        True,
    ]
    assert full_of(opened(last), 1)
    worker.run("keep.clear()\ngc.collect()\nxp.empty_cache()")


def test_children_that_live_on_keep_what_they_inherited():
    code = """
        x = xp.full(1 << 20, 3.0)
        y = xp.full(1 << 20, 5.0)
        if os.fork() == 0:
            os.close(1)
            time.sleep(1.5)      # the parent ends, and its keeper has time to make mistakes
            os._exit(0 if float(xp.sum(x)) == 3 << 20 else 1)
        send(1000, 1)
        with open(sys.argv[1], "w") as file:
            file.write(str(os.getpid()))
        """
    (blob,) = sent(code, "pid", leaves=False, grace=10)
    assert full_of(opened(blob), 1)


def test_whoever_waits_for_the_sender_does_not_wait_for_the_keeper():
    code = textwrap.dedent(HEAD) + "send(1000, 1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(keepers()) == 1
    assert full_of(opened(bytes.fromhex(done.stdout.decode())), 1)


def test_the_end_of_a_child_is_seen_at_once(context):
    inbox = context.Queue()
    process = context.Process(target=put, args=(inbox, [8]))
    process.start()
    assert multiprocessing.connection.wait([process.sentinel], timeout=60)
    join(process)
    assert len(keepers(process.pid)) == 1
    assert full_of(inbox.get(timeout=60), 0)
    inbox.close()


def test_no_lock_is_held():
    code = """
        import fcntl
        file = open(sys.argv[1], "w")
        fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file.fileno(), True)
        send(1000, 1)
        """
    path = pathlib.Path(os.environ.get("TMPDIR", "/tmp"), f"lock-{os.getpid()}")
    try:
        (blob,) = sent(code, path)
        assert len(keepers()) == 1
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        path.unlink()
    assert full_of(opened(blob), 1)


SIGNALS = ["HUP", "INT", "QUIT", "PIPE", "ALRM", "USR1", "USR2", "CHLD", "WINCH"]


@pytest.mark.parametrize("name", SIGNALS)
def test_it_survives_what_is_meant_for_its_sender(keeper, name):
    os.kill(keeper, getattr(signal, f"SIG{name}"))
    time.sleep(0.1)
    assert keepers() == [keeper]  # and its message can be opened: see the fixture


def test_what_a_stopped_one_has_is_found(keeper):
    """It answers nobody, but its descriptors can be seen."""
    os.kill(keeper, signal.SIGSTOP)
    try:
        (blob,) = sent("send(1000, 2)", env={"SHAREDARRAY_LINGER": "60"})
        (other,) = set(keepers()) - {keeper}
        os.kill(other, signal.SIGSTOP)
        assert full_of(opened(blob), 2)
    finally:
        for pid in keepers():
            os.kill(pid, signal.SIGCONT)


# ---- time ----


def test_linger_0_keeps_nothing():
    (blob,) = sent("send(1000, 1)", env={"SHAREDARRAY_LINGER": "0"})
    assert keepers() == []
    with pytest.raises(xp.HandleError, match=r"ended.*SHAREDARRAY_LINGER"):
        opened(blob)


def test_when_its_time_is_over(worker):
    (blob,) = sent("send(1000, 1)", env={"SHAREDARRAY_LINGER": "0.5"})
    assert no_keeper()
    with pytest.raises(xp.HandleError, match=r"ended.*SHAREDARRAY_LINGER"):
        opened(blob)
    with pytest.raises(WorkerError, match=r"HandleError.*SHAREDARRAY_LINGER"):
        worker.run("xp.from_handle(xp.Handle.from_bytes(b))", b=blob)


@pytest.mark.parametrize("wrong", ["soon", "-1", "nan", "inf", "1s"])
def test_a_wrong_time_is_refused_at_import(wrong):
    result = run_script("import sharedarray", env={"SHAREDARRAY_LINGER": wrong})
    assert result.rc == 1
    assert f"ValueError: SHAREDARRAY_LINGER: a number of seconds is needed, not '{wrong}'" in (
        result.stderr
    )


@pytest.mark.parametrize("right", ["7", "0.5", " 3 ", "1e30"])
def test_times(right):
    run_script("import sharedarray", env={"SHAREDARRAY_LINGER": right}).ok()


@pytest.mark.parametrize("unset", [None, ""])
def test_the_time_is_300_seconds_by_default(monkeypatch, unset):
    monkeypatch.delenv("SHAREDARRAY_LINGER", raising=False)
    if unset is not None:
        monkeypatch.setenv("SHAREDARRAY_LINGER", unset)
    assert _limits.linger() == 300.0


@pytest.mark.slow
def test_opened_after_minutes():
    (blob,) = sent("send(1 << 20, 1)")
    time.sleep(62)
    assert full_of(opened(blob), 1)


# ---- the watch itself ----


def test_a_keeper_that_is_left_over_is_reported():
    sent("send(1000, 1)")
    (pid,) = keepers()
    assert procfs.wait_until(lambda: procfs.state(pid) == "S")
    with pytest.raises(AssertionError, match=rf"left processes: {pid} S \(sharedarray-keeper"):
        check_processes(timeout=0.3)
    assert no_keeper()


def test_its_memory_is_seen_as_left_over():
    start = Footprint()
    (blob,) = sent("send(1 << 20, 1)")
    growth = list(Footprint().growth(start, slack=MIB))
    assert any("memory left" in line for line in growth)
    assert any("processes left" in line and "sharedarray-keeper" in line for line in growth)
    assert full_of(opened(blob), 1)


def test_a_queue_that_nobody_reads_is_let_go_of_by_its_sender(context):
    inbox = context.Queue()
    inbox.put(xp.full(MIB, 1.0))
    inbox.get(timeout=60)
    with pytest.raises(queue.Empty):
        inbox.get(timeout=1)
    inbox.close()


@pytest.mark.parametrize("hard", [64, 4096])
def test_no_descriptor_is_left_at_the_end(hard):
    """The limit is raised for the moment, or what needs its descriptor no more gives it up."""
    code = f"""
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, {hard}))
    send(10, 4)
    others = [xp.full(5 << 20, 1.0) for _ in range(3)]  # segments of their own
    kept = []
    try:
        while True:
            kept.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        print(end="", flush=True)
    """
    (blob,) = sent(textwrap.dedent(code))
    assert full_of(opened(blob), 4)
    assert no_keeper()
