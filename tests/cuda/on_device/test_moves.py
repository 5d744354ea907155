"""Memory that another library lent, and that moves to shared memory while somebody uses it."""

import contextlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sharedarray as xp

from .test_exchange import Memory


@pytest.fixture
def x():
    return xp.asarray(Memory(np.zeros((4, 6))))


class Moving:
    """A number, and the memory of `x` moves when it is asked for."""

    def __init__(self, x, value):
        self.x, self.value = x, value

    def __index__(self):
        self.x.share_memory_()
        return self.value


@pytest.mark.parametrize(
    "select",
    [lambda x, one: x[one], lambda x, one: x[one:][0], lambda x, one: x[None, one:][0, 0]],
    ids=["integer", "slice", "axis"],
)
def test_a_view_is_one_of_the_memory_after_the_move(x, select):
    y = select(x, Moving(x, 1))
    y[2] = 5
    assert x[1].tolist() == [0, 0, 5, 0, 0, 0]
    assert y.storage() is x.storage()


def test_elements_are_written_to_the_memory_after_the_move(x):
    x[Moving(x, 1)] = 5
    assert x.is_shared()
    assert x.tolist() == [[0] * 6, [5] * 6, [0] * 6, [0] * 6]


def test_a_new_shape_stays_over_the_memory_after_the_move(x):
    view = x[1:]
    view.shape = (Moving(x, 2), 9)
    view[0, 0] = 5
    assert view.is_shared()
    assert x[1, 0] == 5


def test_threads_that_send_and_make_views_while_one_shares():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(15):
            x = xp.asarray(Memory(np.zeros((8, 100))))
            rows, barrier = [x[i] for i in range(8)], threading.Barrier(5)

            def sends(rows=rows, barrier=barrier):
                found = []
                barrier.wait(60)
                while len(found) < 10:
                    with contextlib.suppress(ValueError):  # it is private yet
                        found.append(rows[5].handle())
                return found

            def views(x=x, barrier=barrier):
                barrier.wait(60)
                return [x[2:] for _ in range(10)]

            def fixed(x=x, barrier=barrier):
                barrier.wait(60)
                return [xp.flip(x.readonly()) for _ in range(10)]

            def shares(x=x, barrier=barrier):
                barrier.wait(60)
                x.share_memory_()
                return x[7].handle()

            with ThreadPoolExecutor(5) as pool:
                sent, seen, read, *ends = [
                    pool.submit(f) for f in (sends, views, fixed, shares, shares)
                ]
            for message in sent.result():
                y = xp.from_handle(xp.Handle.from_bytes(bytes(message)))
                y[0] = y[0] + 1
            for y in seen.result():
                y[0, 0] = y[0, 0] + 1
            for end in ends:
                y = xp.from_handle(xp.Handle.from_bytes(bytes(end.result())))
                y[1] = y[1] + 1
            assert [float(x[place]) for place in ((5, 0), (2, 0), (7, 1))] == [10.0, 10.0, 2.0]
            assert all(float(y[0, 98]) == 2.0 for y in read.result())
    finally:
        sys.setswitchinterval(before)
