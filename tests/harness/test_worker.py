"""Workers answer, and their death, silence and errors are told."""

import math
import os
import signal
import subprocess
import threading

import pytest

from . import Worker, WorkerError, WorkerLost, procfs
from .fixtures import TimeOut, check_processes, time_out


def where_it_hangs(told):
    """Say so, and block for ever."""
    told.touch()
    signal.pause()


def test_call_by_name(worker):
    assert worker.call(math.hypot, 3, 4) == 5.0
    assert worker.call(os.getpid) == worker.pid != os.getpid()


def test_statements_and_expressions(worker):
    assert worker.run("y = x + 1\nreturn y * 2", x=1) == 4
    assert worker.get("x + 1", x=1) == 2


def test_what_is_kept_lasts_and_names_do_not(worker):
    worker.run("keep['a'] = x", x=7)
    assert worker.get("keep.pop('a')") == 7
    with pytest.raises(WorkerError, match="NameError"):
        worker.get("x")


def test_errors_carry_class_and_text(worker):
    with pytest.raises(WorkerError) as caught:
        worker.run("raise LookupError('lost it')")
    assert caught.value.kind == "LookupError"
    assert caught.value.message == "lost it"
    assert worker.get("1") == 1


def test_kill_and_death(own_worker):
    assert own_worker.death("os.kill(os.getpid(), 11)") == -signal.SIGSEGV
    with Worker(own_worker.method) as other:
        other.kill()
        assert other.exitcode == -signal.SIGKILL


def test_death_of_the_living_fails(worker):
    with pytest.raises(AssertionError, match="lived"):
        worker.death("return 1")


def test_silence_tells_the_stack(method, tmp_path):
    with Worker(method) as silent:
        silent.send(where_it_hangs, tmp_path / "told")
        assert procfs.wait_until((tmp_path / "told").exists)
        silent.timeout = 1.0
        with pytest.raises(WorkerLost, match="where_it_hangs"):
            silent.receive()
    assert procfs.wait_until(lambda: procfs.state(silent.pid) in ("", "Z"))


def test_stop_ends_it_by_itself(method):
    one = Worker(method)
    assert one.stop() == 0


def asleep(pid):
    """Wait until the process has become `sleep`, and sleeps; its id."""
    assert procfs.wait_until(
        lambda: procfs.command(pid).startswith("sleep") and procfs.state(pid) == "S"
    )
    return pid


def test_process_left_over_is_caught():
    before = set(procfs.descendants(os.getpid()))
    child = subprocess.Popen(["sleep", "62"])
    asleep(child.pid)
    with pytest.raises(AssertionError, match=rf"left processes: {child.pid} S \(sleep 62\)"):
        check_processes(before, timeout=0.2)
    assert child.poll() is not None


def test_orphan_left_over_is_caught():
    before = set(procfs.descendants(os.getpid()))
    orphan = asleep(int(subprocess.check_output(["sh", "-c", "sleep 63 >/dev/null & echo $!"])))
    with pytest.raises(AssertionError, match=rf"left processes: {orphan} S \(sleep 63\)"):
        check_processes(before, timeout=0.2)
    assert procfs.state(orphan) == ""


def test_a_test_that_never_ends_is_stopped(capfd):
    lock = threading.Lock()
    lock.acquire()
    with pytest.raises(TimeOut, match=r"after 0\.2 s"), time_out(0.2):
        lock.acquire()
    assert "test_a_test_that_never_ends" in capfd.readouterr().err
