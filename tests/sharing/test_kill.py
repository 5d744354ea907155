"""kill -9 of the creator, a receiver, or both: values stay for whoever is left, memory returns."""

import contextlib
import itertools
import os
import signal
import time

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Worker, procfs, returns_to_start

MIB = 1 << 20
SIZES = [64, 16 * MIB, *(pytest.param(n, marks=pytest.mark.slow) for n in (4096, MIB))]

MAKE = """
keep['x'] = xp.arange(n, dtype=xp.float64)
keep['h'] = keep['x'].handle()
return bytes(keep['h'])
"""
OPEN = "keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))"
INTACT = "bool(xp.all(keep['x'] == xp.arange(keep['x'].size)))"


@pytest.fixture
def pair(method):
    """A creator and a receiver; the test may kill them."""
    with returns_to_start(slack=MIB):
        known = set(procfs.segments(["self"]))  # a fork inherits them
        two = [Worker(method), Worker(method)]
        yield two
        names = set(procfs.segments([one.pid for one in two])) - known
        for one in two:
            one.kill()

        def nobody():
            xp.empty_cache()
            return procfs.holders(names) == {}

        assert procfs.wait_until(nobody)


@pytest.mark.parametrize("nbytes", SIZES)
def test_the_creator(pair, nbytes):
    creator, receiver = pair
    blob = creator.run(MAKE, n=nbytes // 8)
    receiver.run(OPEN, b=blob)
    creator.kill()
    assert receiver.get(INTACT)
    receiver.run("keep['x'] += 1\nkeep['x'] -= 1")
    assert receiver.get("keep['x'].is_shared()")
    x = receiver.get("keep['x']")  # it can still be sent on
    assert (np.asarray(x) == np.arange(nbytes // 8)).all()


@pytest.mark.parametrize("nbytes", SIZES)
def test_the_receiver(pair, nbytes):
    creator, receiver = pair
    for _ in range(3):
        blob = creator.run(MAKE, n=nbytes // 8)
        receiver.run(OPEN, b=blob)
    receiver.kill()
    assert creator.get(INTACT)
    creator.run("keep['x'][0] = 5\nassert float(keep['x'][0]) == 5")
    with Worker(creator.method) as other:
        other.run(OPEN, b=creator.run("return bytes(keep['h'])"))
        assert other.get("float(keep['x'][0])") == 5


@pytest.mark.parametrize("nbytes", SIZES)
def test_both(pair, nbytes):
    creator, receiver = pair
    receiver.run(OPEN, b=creator.run(MAKE, n=nbytes // 8))
    names = set(procfs.segments([creator.pid, receiver.pid])) - set(procfs.segments(["self"]))
    assert names
    creator.kill()
    receiver.kill()
    assert procfs.wait_until(lambda: procfs.holders(names) == {})


@pytest.mark.parametrize("nbytes", SIZES)
def test_with_the_array_held_here(pair, nbytes):
    creator, receiver = pair
    creator.run(MAKE, n=nbytes // 8)
    x = creator.get("keep['x']")
    receiver.run("keep['x'] = x", x=x)
    creator.kill()
    receiver.kill()
    assert (np.asarray(x) == np.arange(nbytes // 8)).all()
    x += 1
    with Worker(creator.method) as other:
        assert other.get("float(x[0])", x=x) == 1


def test_a_killed_receiver_costs_the_creator_nothing(own_worker):
    """What only the dead held is given back by whoever made it."""
    n = 16 * MIB
    with Worker("spawn") as creator:
        creator.run("xp.ones(10)")
        own_worker.run(OPEN, b=creator.run(MAKE, n=n // 8))
        own_worker.kill()
        creator.run("keep.clear()\ngc.collect()\nxp.empty_cache()")

        def returned():
            creator.run("xp.empty_cache()")
            return sum(procfs.segments([creator.pid]).values()) < n

        assert procfs.wait_until(returned)


def stream(outbox, inbox):
    """Send fresh arrays for ever."""
    with contextlib.suppress(EOFError, OSError):
        for i in itertools.count():
            outbox.send(xp.full((8, 1000, 5000, 200000)[i % 4], 1.0))
            inbox.recv()
    signal.pause()  # the other one was killed


def take(inbox, outbox):
    """Answer arrays by fresh arrays for ever."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            x = inbox.recv()
            assert bool(xp.all(x == 1))
            outbox.send(x + 1)
    signal.pause()


@pytest.mark.parametrize("first", [0, 1])
def test_in_the_middle_of_traffic(context, first):
    """Two processes exchange fresh arrays; one is killed, then the other."""
    with returns_to_start(slack=MIB):
        known = set(procfs.segments(["self"]))
        (there, inbox), (answers, back) = context.Pipe(), context.Pipe()
        pair = [
            context.Process(target=stream, args=(there, answers)),
            context.Process(target=take, args=(inbox, back)),
        ]
        for process in pair:
            process.start()
        for end in (there, inbox, answers, back):
            end.close()
        pids = [process.pid for process in pair]
        assert procfs.wait_until(lambda: set(procfs.segments(pids)) - known)
        time.sleep(0.3)
        names = set(procfs.segments(pids)) - known
        for process in (pair[first], pair[1 - first]):
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            process.close()
        assert procfs.wait_until(lambda: procfs.holders(names) == {})
