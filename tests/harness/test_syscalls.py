"""The tracer counts what a process calls, in every thread, and lets go of it."""

import os
import queue
import signal
import subprocess
import threading

import pytest

from . import Worker, procfs
from .syscalls import TracerError, allow_tracing, names, traced


def call_parent(times):
    """Ask for the parent's pid so often."""
    for _ in range(times):
        os.getppid()


def call_parent_in_thread(times):
    """The same in a new thread."""
    thread = threading.Thread(target=call_parent, args=(times,))
    thread.start()
    thread.join()


requests, answers, signals = queue.Queue(), queue.Queue(), []


def start_thread():
    """Start a thread that serves `ask_thread`, until it is asked for nothing."""

    def work():
        while times := requests.get():
            call_parent(times)
            answers.put(times)

    threading.Thread(target=work).start()


def ask_thread(times):
    """Let the thread ask for the parent's pid so often."""
    requests.put(times)
    return times and answers.get()


def listen():
    """Note SIGUSR2."""
    signal.signal(signal.SIGUSR2, lambda number, frame: signals.append(number))


def heard():
    """Number of signals noted."""
    return len(signals)


@pytest.fixture
def tracee():
    """A worker that may be traced."""
    with Worker("spawn") as worker:
        worker.call(allow_tracing)
        try:
            with traced(worker.pid):
                pass
        except TracerError as error:
            if "Operation not permitted" not in str(error):
                raise
            pytest.skip(f"tracing other processes is not allowed here: {error}")
        yield worker


@pytest.mark.parametrize("function", [call_parent, call_parent_in_thread])
def test_counts_exactly(tracee, function):
    with traced(tracee.pid) as calls:
        tracee.call(function, 123)
        assert calls[tracee.pid]["getppid"] == 123
        tracee.call(function, 7)
        assert calls[tracee.pid]["getppid"] == 130
    tracee.call(function, 5)


def test_counts_a_thread_that_was_there_before(tracee):
    tracee.call(start_thread)
    with traced(tracee.pid) as calls:
        tracee.call(ask_thread, 50)
        assert calls[tracee.pid]["getppid"] == 50
    tracee.call(ask_thread, 0)


def test_processes_are_told_apart(tracee):
    with Worker("spawn") as other:
        other.call(allow_tracing)
        with traced(tracee.pid, other.pid) as calls:
            tracee.call(call_parent, 3)
            other.call(call_parent, 4)
            assert [calls[pid]["getppid"] for pid in (tracee.pid, other.pid)] == [3, 4]


def test_signals_still_arrive_and_the_process_is_let_go(tracee):
    tracee.call(listen)
    with traced(tracee.pid):
        os.kill(tracee.pid, signal.SIGUSR2)
        assert procfs.wait_until(lambda: tracee.call(heard) == 1)
    assert tracee.get("1 + 1") == 2
    with open(f"/proc/{tracee.pid}/status") as lines:
        assert "TracerPid:\t0\n" in lines


def test_no_such_process():
    child = subprocess.Popen(["true"])
    child.wait()
    with pytest.raises(TracerError, match="No such file"):
        with traced(child.pid):
            pass


def test_names():
    assert {"read", "write", "mmap", "futex"} <= set(names().values())
