"""What one process writes every other one reads, whoever made, sent and forwarded the array."""

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Worker, procfs

MIB = 1 << 20
SIZES = [8, 4096, 64 << 10, MIB, 16 * MIB]


@pytest.mark.parametrize("nbytes", SIZES)
def test_made_here(worker, nbytes):
    x = xp.zeros(nbytes // 8)
    worker.run("keep['x'] = x", x=x)
    x[...] = 1
    assert worker.get("bool(xp.all(keep['x'] == 1))")
    worker.run("keep['x'] += 1")
    assert (np.asarray(x) == 2).all()
    np.asarray(x)[-1] = 9
    assert worker.get("float(keep.pop('x')[-1])") == 9


@pytest.mark.parametrize("nbytes", SIZES)
def test_made_there(worker, nbytes):
    x = worker.run("keep['x'] = xp.ones(n)\nreturn keep['x']", n=nbytes // 8)
    assert x.is_shared()
    assert (np.asarray(x) == 1).all()
    x += 1
    assert worker.get("bool(xp.all(keep['x'] == 2))")
    worker.run("keep.pop('x')[-1] = 5")
    assert float(x[-1]) == 5


@pytest.mark.parametrize("nbytes", SIZES)
def test_kept_by_the_receiver_alone(worker, nbytes):
    x = xp.full(nbytes // 8, 3.0)
    worker.run("keep['x'] = x", x=x)
    del x
    junk = [xp.full(nbytes // 8, -1.0) for _ in range(4)]
    assert worker.get("bool(xp.all(keep.pop('x') == 3))")
    del junk


@pytest.mark.parametrize("nbytes", SIZES)
def test_kept_by_the_sender_alone(worker, nbytes):
    x = xp.full(nbytes // 8, 3.0)
    worker.run("x += 1", x=x)
    worker.run("for _ in range(4): xp.full(n, -1.0)", n=nbytes // 8)
    assert (np.asarray(x) == 4).all()


@pytest.mark.parametrize("nbytes", [8, 4096, MIB])
def test_views_that_arrive_separately_share_storage_and_mapping(worker, nbytes):
    x = xp.zeros(nbytes // 8)
    worker.run("keep['a'] = x", x=x[:1])
    before = worker.call(regions, worker.pid)
    worker.run("keep['b'] = x", x=x[::-1])
    assert worker.get("keep['a'].storage() is keep['b'].storage()")
    assert worker.call(regions, worker.pid) == before
    worker.run("keep['a'][0] = 4\nassert float(keep['b'][-1]) == 4\nkeep.clear()")
    assert float(x[0]) == 4


def regions(pid):
    """Number of mappings of shared segments."""
    return len(procfs.mappings(pid))


@pytest.mark.parametrize("nbytes", [8, 4096, MIB])
def test_a_storage_and_its_arrays_meet(worker, nbytes):
    x = xp.zeros(nbytes // 8)
    worker.run(
        """
        assert x.storage() is s
        s[0] = 255
        """,
        s=x.storage(),
        x=x,
    )
    assert x.storage()[0] == 255


@pytest.mark.parametrize("nbytes", [8, 4096, MIB])
def test_passed_on_by_receivers_after_the_creator_dropped_it(method, nbytes):
    with Worker(method) as first, Worker(method) as second, Worker(method) as third:
        first.run("keep['x'] = xp.arange(n)", n=nbytes // 8)
        x = first.run("return keep['x']")
        identity = x.storage().id
        second.run("keep['x'] = x", x=x)
        first.run("keep.clear()")
        del x
        blob = second.get("bytes(keep['x'].handle())")
        third.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
        second.run("keep['x'][-1] = 77")
        assert third.get("float(keep['x'][-1])") == 77
        assert third.get("keep['x'].storage().id") == identity
        second.run("keep.clear()")
        x = third.get("keep['x']")
        third.run("keep.clear()")
        assert float(x[-1]) == 77
        assert (np.asarray(x)[:-1] == np.arange(nbytes // 8 - 1)).all()


def test_several_processes_write_one_array(method):
    x = xp.zeros((4, 1000))
    workers = [Worker(method) for _ in range(4)]
    for i, one in enumerate(workers):
        one.send("for i in range(100): x[k, :] += k + 1", x=x, k=i)
    for one in workers:
        one.receive()
    assert (np.asarray(x) == 100 * np.arange(1, 5)[:, None]).all()
    for one in workers:
        one.stop()


def test_an_sgd_step_is_seen_by_all(worker):
    weights = xp.asarray([1.0, 2.0, 3.0])
    gradient = xp.asarray([0.5, 0.5, 0.5])
    worker.run("keep['w'] = w", w=weights)
    worker.run("w -= 0.1 * g", w=weights, g=gradient)
    expected = np.array([1.0, 2.0, 3.0]) - 0.1 * np.array([0.5] * 3)
    assert (np.asarray(weights) == expected).all()
    weights -= 0.1 * gradient
    assert worker.get("keep.pop('w').tolist()") == weights.tolist()


def test_numpy_views_alias_too(worker):
    x = xp.zeros(1000)
    a = np.asarray(x)
    worker.run("keep['a'] = np.asarray(x)\nkeep['a'][0] = 1", x=x)
    assert a[0] == 1
    a[1] = 2
    assert worker.get("float(keep.pop('a')[1])") == 2


@pytest.mark.parametrize("nbytes", [8, 4096, MIB])
def test_storage_ids_are_equal_everywhere_and_never_used_again(worker, nbytes):
    seen = set()
    for _ in range(50):
        x = xp.zeros(nbytes // 8)
        identity = x.storage().id
        assert isinstance(identity, str)
        assert identity not in seen
        assert x[:1].storage().id == identity
        assert worker.get("x.storage().id", x=x) == identity
        seen.add(identity)
        del x
