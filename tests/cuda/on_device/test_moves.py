"""Memory that another library lent, and that moves to shared memory while somebody uses it."""

import numpy as np
import pytest

import sharedarray as xp
from tests.harness.moving import send_and_slice_while_it_moves
from tests.harness.threads import hasty

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
    with hasty():
        for _ in range(15):
            x = xp.asarray(Memory(np.zeros((8, 100))))
            flipped = send_and_slice_while_it_moves(
                x, lambda x=x: [xp.flip(x.readonly()) for _ in range(10)]
            )
            assert all(float(y[0, 98]) == 2.0 for y in flipped)
