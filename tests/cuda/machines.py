"""Processes on a machine with the driver double; in `make gpu` on a card."""

import contextlib
import os
from multiprocessing import forkserver

import pytest

from tests.cuda_double import environment
from tests.harness.worker import Worker

ON_CARD = "SHAREDARRAY_TEST_CARD" in os.environ
# What the driver double has of this process, besides what lasts: contexts, pinned chunks, events.
COUNTS = """
from tests.cuda_double import control
found = control().counts()
return {k: found.get(k, 0) for k in
        ("memory", "handles", "mappings", "reservations", "allocations", "imports", "faults")}
"""
# In a process: hand out the array `y`; take the one that `message` names.
SEND = "keep['y'] = y\nreturn bytes(y.handle())"
OPEN = "z = keep['z'] = xp.from_handle(xp.Handle.from_bytes(message))\n"
DESCRIPTORS = "return len(os.listdir('/proc/self/fd'))"


@contextlib.contextmanager
def surroundings(**settings):
    """Let processes that start inside find the double, and no setting of this library's."""
    before = dict(os.environ)
    if not ON_CARD:
        os.environ.update(environment(**settings))
    elif settings:
        pytest.skip("a card cannot be set to what the driver double can")
    os.environ["SHAREDARRAY_LINGER"] = "20"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def process(method="spawn", **settings):
    """Start a process with CUDA devices; a `Worker`."""
    with surroundings(**settings):
        return Worker(method)


@contextlib.contextmanager
def server_of_our_own():
    """Let the fork server start anew, in the surroundings of now, and end afterwards."""
    forkserver._forkserver._stop()
    try:
        yield
    finally:
        forkserver._forkserver._stop()


@contextlib.contextmanager
def processes(*settings, method="spawn"):
    """Start one process for each dictionary of settings."""
    with contextlib.ExitStack() as stack:
        if method == "forkserver":
            stack.enter_context(server_of_our_own())
        yield [stack.enter_context(process(method, **one)) for one in settings]


def left(worker):
    """Return what the driver has of a process after it let go of all that it caches."""
    if ON_CARD:
        pytest.skip("the driver double counts, a driver does not")
    worker.run("keep.clear(); gc.collect(); xp.collect(); xp.empty_cache()")
    return worker.run(COUNTS)
