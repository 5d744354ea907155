"""Fixtures of all tests: workers of each start method, and a watch on processes left over."""

import contextlib
import ctypes
import faulthandler
import gc
import multiprocessing
import os
import resource
import signal
import sys

import pytest

from . import procfs
from .footprint import servants
from .keepers import end_keepers
from .worker import METHODS, Worker

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Make this process the parent of whatever its children leave behind."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def no_core_files():
    """Keep processes that are meant to crash from writing core files."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def hear_interrupts():
    """Let programs that tests start end by Ctrl-C, though a shell's background job ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


adopt_orphans()
no_core_files()
hear_interrupts()
# Its children then import this library alone, as those of a spawn do, and not NumPy each time.
multiprocessing.set_forkserver_preload(["numpy"])


class TimeOut(BaseException):
    """A test took too long; no `except Exception` takes it for its own."""


@contextlib.contextmanager
def time_out(seconds):
    """Raise `TimeOut` in the main thread, wherever it waits, after so many seconds."""

    def late(number, frame):
        faulthandler.dump_traceback(all_threads=True)
        raise TimeOut(f"not finished after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Give every test a time-out, 180 seconds unless a ``time_out`` mark says otherwise."""
    mark = item.get_closest_marker("time_out")
    with time_out(mark.args[0] if mark else 180.0):
        return (yield)


def pytest_collection_finish():
    """Leave what collection made out of the collections of garbage: there are hundreds of them."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish():
    """Let go of what tests of this process sent: it would keep a keeper, as some workers do."""
    if "sharedarray" in sys.modules:
        sys.modules["sharedarray"].collect()
    end_keepers()


@pytest.fixture(params=METHODS)
def method(request):
    """Name of a start method."""
    return request.param


@pytest.fixture
def context(method):
    """`multiprocessing` context of a start method."""
    return multiprocessing.get_context(method)


@pytest.fixture(scope="module", params=METHODS)
def worker(request):
    """A running worker that the tests of a module share; replaced when one of them killed it."""
    with Worker(request.param) as running:
        yield running


@pytest.fixture
def own_worker(method):
    """A worker for one test, free to be killed."""
    running = Worker(method)
    yield running
    running.kill()


def _left_over(allowed):
    """Living or unreaped processes below this one that nobody accounts for."""
    multiprocessing.active_children()  # reaps those that ended
    known = allowed | servants() | {worker.pid for worker in Worker.running}
    below = [pid for pid in procfs.descendants(os.getpid()) if pid not in known]
    for pid in below:
        if procfs.state(pid) == "Z":  # an orphan that ended, or a child never waited for
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return [pid for pid in below if procfs.state(pid) not in ("", "X")]


def reap(pid):
    """End the process and its orphans."""
    for one in [*procfs.descendants(pid), pid]:
        try:
            os.kill(one, signal.SIGKILL)
            os.waitpid(one, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def check_processes(allowed=frozenset(), timeout=procfs.PATIENCE):
    """Kill and report processes that were left over; raises `AssertionError`."""
    left = []

    def gone():
        left[:] = _left_over(set(allowed))
        return not left

    if not procfs.wait_until(gone, timeout=timeout, pause=0.05):
        told = [f"{pid} {procfs.state(pid)} ({procfs.command(pid)})" for pid in left]
        for pid in left:
            reap(pid)
        raise AssertionError("the test left processes: " + "; ".join(told))


@pytest.fixture(autouse=True)
def no_process_left():
    """Fail a test that leaves child processes."""
    before = set(procfs.descendants(os.getpid()))
    yield
    check_processes(before)
