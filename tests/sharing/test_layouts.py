"""Arrays of every layout arrive as they are, alias, and come home as themselves."""

import numpy as np
import pytest

import sharedarray as xp

from .facts import LAYOUTS, WRITABLE, address, facts, stamp, writable


@pytest.mark.parametrize("layout", LAYOUTS)
def test_facts_survive(worker, layout):
    x = LAYOUTS[layout]()
    assert worker.call(facts, x) == facts(x)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_writable(layout):
    assert writable(LAYOUTS[layout]()) == (layout in WRITABLE)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_receiver_sees_what_is_written_here(worker, layout):
    x = LAYOUTS[layout]()
    worker.run("keep['x'] = x", x=x)
    if writable(x):
        stamp(x, 9)
    assert worker.call(facts, x) == facts(x)
    assert worker.get("np.asarray(keep['x']).tobytes()") == np.asarray(x).tobytes()
    worker.run("keep.clear()")


@pytest.mark.parametrize("layout", WRITABLE)
def test_the_sender_sees_what_is_written_there(worker, layout):
    x = LAYOUTS[layout]()
    worker.call(stamp, x, 7)
    assert (np.asarray(x) == np.asarray(7, x.dtype)).all()


@pytest.mark.parametrize("layout", WRITABLE)
def test_elements_beside_a_view_are_left_alone(worker, layout):
    x = LAYOUTS[layout]()
    storage = x.storage()
    inside = np.zeros(len(storage), dtype=bool)
    start = address(x) - storage.data_ptr()
    picture = np.ndarray(x.shape, [("b", "u1", x.dtype.itemsize)], inside, start, x.strides)
    picture["b"] = 1
    before = np.frombuffer(storage[:], np.uint8)
    worker.call(stamp, x, 5)
    after = np.frombuffer(storage[:], np.uint8)
    assert (before[~inside] == after[~inside]).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_comes_home_is_the_same_memory(worker, layout):
    x = LAYOUTS[layout]()
    y = worker.get("x", x=x)
    assert facts(y) == facts(x)
    assert y.storage() is x.storage()
    if x.size:
        assert address(y) == address(x)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_worker_made_arrives_with_its_layout(worker, layout):
    x = worker.call(make, layout)
    local = LAYOUTS[layout]()
    assert facts(x) == facts(local)
    assert x.is_shared()


def make(layout):
    """Make an array of the layout in the worker."""
    return LAYOUTS[layout]()


def test_views_of_a_received_view(worker):
    x = xp.reshape(xp.arange(100.0), (10, 10))
    worker.run("x[2:8][::-2, 1:5].T[1, 0, ...] += 1000", x=x[:, ::2])
    expected = np.arange(100.0).reshape(10, 10)
    expected[:, ::2][2:8][::-2, 1:5].T[1, 0] += 1000
    assert (np.asarray(x) == expected).all()
