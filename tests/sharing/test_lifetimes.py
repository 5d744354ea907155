"""When the last holder lets go, in whatever order, descriptors, mappings and memory return."""

import gc
import itertools

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Footprint, Worker, procfs, returns_to_start, stays_level

MIB = 1 << 20
SLACK = 4 * MIB  # an arena of small blocks may stay

SENT = {  # bytes: how many of them in a round
    64: 400,
    4096: 400,
    64 << 10: 100,
    MIB: 20,
    16 * MIB: 2,
}


def taken():
    """Mappings, mapped bytes and descriptors of segments in this process, without its caches."""
    gc.collect()
    xp.empty_cache()
    regions = procfs.mappings()
    fds = [target for target in procfs.descriptors().values() if procfs.SEGMENT in target]
    return len(regions), sum(m.end - m.start for m in regions), len(fds)


def check_level(worker, action, rounds=5, slack=SLACK):
    """Check that repeating the action takes nothing more here, nor in the worker."""

    def settle():
        taken()
        worker.call(taken)  # the receiver lets go of retired mappings at its next operation

    action()
    before = worker.call(taken)
    stays_level(action, rounds=rounds, slack=slack, settle=settle)
    after = worker.call(taken)
    assert after[0] <= before[0] + 1
    assert after[1] <= before[1] + slack
    assert after[2] <= before[2] + 1


@pytest.mark.parametrize("nbytes", SENT)
def test_sent_and_dropped(worker, nbytes):
    def action():
        for _ in range(SENT[nbytes]):
            x = xp.full(nbytes // 8, 1.0)
            worker.run("x += 1", x=x)
            assert float(x[-1]) == 2

    check_level(worker, action)


@pytest.mark.parametrize("nbytes", SENT)
def test_made_by_the_worker_and_dropped(worker, nbytes):
    def action():
        for _ in range(SENT[nbytes]):
            assert float(worker.get("xp.full(n, 1.0)", n=nbytes // 8)[-1]) == 1

    check_level(worker, action)


@pytest.mark.parametrize("nbytes", SENT)
def test_many_held_together_and_dropped(worker, nbytes):
    def action():
        arrays = [xp.full(nbytes // 8, float(i)) for i in range(SENT[nbytes])]
        worker.run("keep['arrays'] = arrays", arrays=arrays)
        assert worker.get("sum(float(x[0]) for x in keep.pop('arrays'))") == sum(range(len(arrays)))

    check_level(worker, action)


def test_never_sent(worker):
    def action():
        for nbytes, count in SENT.items():
            for _ in range(count):
                xp.full(nbytes // 8, 1.0)

    check_level(worker, action)


HOLDERS = {
    "array": lambda x: x,
    "view": lambda x: x[5:6],
    "storage": lambda x: x.storage(),
    "handle": lambda x: x.handle(),
    "numpy": lambda x: x.numpy(),
    "numpy view": lambda x: np.asarray(x)[3:4],
    "memoryview": memoryview,
    "storage's memoryview": lambda x: memoryview(x.storage()),
    "dlpack": np.from_dlpack,
    "capsule": lambda x: x.__dlpack__(max_version=(1, 0)),
    "readonly": lambda x: x.readonly(),
    "iterator": lambda x: iter(xp.reshape(x, (-1, 1))),
    "exception": lambda x: ValueError(x),
}


def held_memory():
    """Bytes behind the segments that this process and those below it hold, without caches."""
    gc.collect()
    xp.empty_cache()
    return Footprint().memory


def goes_with(let_go, nbytes):
    """
    Whether so much memory is there until its holder lets go, and no longer.

    What others let go of before comes back when its maker next looks: the memory from before the
    array was made is no measure.
    """
    held = held_memory()
    let_go()
    return procfs.wait_until(lambda: held_memory() <= held - nbytes + MIB)


@pytest.mark.parametrize("holder", HOLDERS)
def test_each_kind_of_holder_keeps_it_and_lets_go(worker, holder):
    nbytes = 8 * MIB
    worker.run("xp.ones(10) + x", x=xp.ones(10))
    with returns_to_start(slack=MIB):
        x = xp.full(nbytes // 8, 1.0)
        held = [HOLDERS[holder](x)]
        del x
        junk = xp.full(nbytes // 8, 2.0)
        del junk
        assert goes_with(held.clear, nbytes)


@pytest.mark.parametrize("holder", HOLDERS)
def test_each_kind_of_holder_keeps_it_in_the_receiver(worker, holder):
    nbytes = 8 * MIB
    worker.run("xp.ones(10) + x", x=xp.ones(10))
    with returns_to_start(slack=MIB):
        worker.run("keep['held'] = hold(x)", x=xp.full(nbytes // 8, 1.0), hold=Holder(holder))
        clear = "keep.clear()\ngc.collect()\nxp.empty_cache()"
        assert goes_with(lambda: worker.run(clear), nbytes)


class Holder:
    """One of `HOLDERS`, sent by name."""

    def __init__(self, name):
        self.name = name

    def __call__(self, x):
        """Make the object that holds `x`."""
        return HOLDERS[self.name](x)


def slow(value):
    """A parameter of the slow tests."""
    return pytest.param(value, marks=pytest.mark.slow)


ORDERS = list(itertools.permutations(["maker", "first", "second"]))


@pytest.mark.parametrize("order", [ORDERS[0], *map(slow, ORDERS[1:-1]), ORDERS[-1]], ids="-".join)
def test_every_order_of_death(method, order):
    """Three processes hold a block, two from the maker; each lets go or ends in turn."""
    nbytes = 8 * MIB
    with returns_to_start(slack=MIB):
        known = set(procfs.segments(["self"]))  # a fork inherits them
        people = {name: Worker(method) for name in ("maker", "first", "second")}
        blob = people["maker"].run(
            "keep['x'] = xp.full(n, 7.0)\nkeep['h'] = h = keep['x'].handle()\nreturn bytes(h)",
            n=nbytes // 8,
        )
        for name in ("first", "second"):
            people[name].run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
        names = set(procfs.segments([people[name].pid for name in people])) - known
        for i, name in enumerate(order):
            for other in order[i:]:
                assert people[other].get("bool(xp.all(keep['x'] == 7))")
            if i % 2:
                people[name].run("keep.clear()\ngc.collect()\nxp.empty_cache()")
                people[name].stop()
            else:
                people[name].kill()
        assert procfs.wait_until(lambda: procfs.holders(names) == {})


def test_what_was_sent_and_not_opened_is_kept_and_given_back_when_opened(worker):
    nbytes = 8 * MIB
    worker.run("xp.ones(10) + x", x=xp.ones(10))
    bytes(xp.ones(10).handle())
    with returns_to_start(slack=MIB):
        blob = bytes(xp.full(nbytes // 8, 5.0).handle())
        use = "assert float(xp.from_handle(xp.Handle.from_bytes(b))[-1]) == 5\nxp.empty_cache()"
        assert goes_with(lambda: worker.run(use, b=blob), nbytes)


def test_cycles_are_collected(worker):
    def action():
        x = xp.ones(MIB)
        cycle = [x]
        cycle.append(cycle)
        worker.run("a = [x]\na.append(a)", x=x)
        del x
        worker.run("gc.collect()")

    check_level(worker, action)


def test_workers_that_come_and_go(method):
    def action():
        x = xp.full(MIB, 1.0)
        with Worker(method) as one:
            assert one.get("float(xp.sum(x + x))", x=x) == 2 * MIB
            y = one.get("x[::2]", x=x)
        assert float(y[-1]) == 1

    stays_level(action, rounds=3, slack=SLACK)
