"""Arrays go by handle into managers and come back as the same memory."""

import multiprocessing

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import METHODS, join


@pytest.fixture(scope="module", params=METHODS)
def manager(request):
    with multiprocessing.get_context(request.param).Manager() as running:
        yield running


@pytest.mark.parametrize("nbytes", [16, 4096, 1 << 20])
def test_list(manager, nbytes):
    x = xp.zeros(nbytes // 8)
    held = manager.list([x])
    held.append(x[1:])
    held[0][...] = 3
    assert (np.asarray(x) == 3).all()
    assert held[0].storage() is held[1].storage() is x.storage()
    assert held[1].shape == (nbytes // 8 - 1,)


def test_dict(manager):
    x = xp.zeros((3, 4))
    held = manager.dict(a=x)
    held["b"] = x.T
    x[1, 2] = 5
    assert float(held["b"][2, 1]) == 5
    assert held["a"].is_shared()
    assert {name: y.shape for name, y in held.items()} == {"a": (3, 4), "b": (4, 3)}


def test_namespace(manager):
    held = manager.Namespace()
    held.x = xp.arange(5)
    held.x += 1  # sent there, back, and there again
    assert held.x.tolist() == [1, 2, 3, 4, 5]


def test_the_manager_keeps_what_its_maker_dropped(manager):
    held = manager.list()
    for i in range(20):
        held.append(xp.full(1000, float(i)))
    xp.full(1000, -1.0)
    assert [float(x[999]) for x in held] == list(range(20))


def test_queue(manager):
    queue = manager.Queue()
    x = xp.zeros(1000)
    queue.put(x)
    y = queue.get(timeout=60)
    y += 1
    assert float(x[0]) == 1


def test_private_arrays_are_copied(manager):
    with xp.memory("private"):
        x = xp.zeros(10)
    held = manager.list([x])
    x[0] = 7
    assert float(held[0][0]) == 0
    assert not x.is_shared()


def write_first(held):
    """Write the first array of a manager's list."""
    held[0][...] = 8


def test_other_processes_see_the_same(manager, context):
    x = xp.zeros(1000)
    held = manager.list([x])
    process = context.Process(target=write_first, args=(held,))
    process.start()
    join(process)
    assert (np.asarray(x) == 8).all()
