"""Private memory that moves to shared memory while somebody uses it."""

import numpy as np
import pytest

import sharedarray as xp
from tests.harness.moving import send_and_slice_while_it_moves
from tests.harness.threads import hasty


class Moving:
    """A number, or values, and the memory of `x` moves when they are asked for."""

    def __init__(self, x, value):
        self.x, self.value = x, value

    def __index__(self):
        self.x.share_memory_()
        return self.value

    def __array__(self, dtype=None, copy=None):
        self.x.share_memory_()
        return np.asarray(self.value, dtype)


@pytest.fixture
def x():
    with xp.memory("private"):
        return xp.zeros((4, 6))


@pytest.mark.parametrize(
    "select",
    [
        lambda x, one: x[one],
        lambda x, one: x[one, :],
        lambda x, one: x[one:][0],
        lambda x, one: x[one:, ...][0],
        lambda x, one: x[None, one:][0, 0],
    ],
    ids=["integer", "tuple", "slice", "slices", "axis"],
)
def test_a_view_is_one_of_the_memory_after_the_move(x, select):
    y = select(x, Moving(x, 1))
    y[2] = 5
    assert x[1].tolist() == [0, 0, 5, 0, 0, 0]
    assert y.storage() is x.storage()


@pytest.mark.parametrize(
    "statement",
    [
        "x[Moving(x, 1)] = 5",
        "x[1] = Moving(x, [5.0] * 6)",
        "x += Moving(x, [[0.0] * 6, [5.0] * 6, [0.0] * 6, [0.0] * 6])",
        "x.real = Moving(x, [[0.0] * 6, [5.0] * 6, [0.0] * 6, [0.0] * 6])",
        "x.put(range(6, 12), Moving(x, 5.0))",
        "x.put(Moving(x, range(6, 12)), 5.0)",
        "x.setfield(Moving(x, [[0.0], [5.0], [0.0], [0.0]]), float)",
    ],
)
def test_values_are_written_to_the_memory_after_the_move(x, statement):
    view = x[1]
    exec(statement, {"x": x, "Moving": Moving})
    assert x.is_shared()
    assert x.tolist() == [[0] * 6, [5] * 6, [0] * 6, [0] * 6]
    assert view.tolist() == [5] * 6


def test_imaginary_parts_are_written_to_the_memory_after_the_move():
    with xp.memory("private"):
        z = xp.zeros(2, dtype=complex)
    z.imag = Moving(z, [1.0, 2.0])
    assert z.tolist() == [1j, 2j]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_new_shape_stays_over_the_memory_after_the_move(x):
    view = x[1:]
    view.shape = (Moving(x, 2), 9)
    assert view.storage() is x.storage()
    view[0, 0] = 5
    assert x[1, 0] == 5


def test_bytes_of_a_storage_are_those_after_the_move():
    with xp.memory("private"):
        s = xp.Storage(8)

    class Moves(Moving):
        def __index__(self):
            super().__index__()
            self.x[self.value] = 7
            return self.value

    assert s[Moves(s, 3)] == 7
    with xp.memory("private"):
        s = xp.Storage(8)
    assert s[Moves(s, 3) : 5] == b"\x07\x00"
    with xp.memory("private"):
        s = xp.Storage(8)
    s[Moving(s, 3)] = 5
    s[4] = Moving(s, 6)
    assert s[3:5] == b"\x05\x06"


def test_threads_that_send_and_slice_while_one_shares():
    with hasty():
        for _ in range(50):
            with xp.memory("private"):
                x = xp.zeros((8, 100))
            send_and_slice_while_it_moves(x)
