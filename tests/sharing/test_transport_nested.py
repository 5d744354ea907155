"""Arrays inside other objects go by handle; inside bytes of pickle and cloudpickle by value."""

import collections
import dataclasses
import pickle

import cloudpickle
import numpy as np
import pytest

import sharedarray as xp


@dataclasses.dataclass
class Model:
    """Parameters and what was measured."""

    name: str
    weights: xp.Array
    history: list = dataclasses.field(default_factory=list)


class Slots:
    """An object without a dictionary."""

    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


Pair = collections.namedtuple("Pair", "first second")


NESTS = {
    "list": (lambda x: [x], lambda n: n[0]),
    "nested lists": (lambda x: [[0, [x]], 1], lambda n: n[0][1][0]),
    "tuple": (lambda x: (1, x, "a"), lambda n: n[1]),
    "named tuple": (lambda x: Pair(1, x), lambda n: n.second),
    "dict": (lambda x: {"a": {"b": x}}, lambda n: n["a"]["b"]),
    "dataclass": (lambda x: Model("m", x), lambda n: n.weights),
    "list in a dataclass": (lambda x: Model("m", None, [1, x]), lambda n: n.history[1]),
    "slots": (Slots, lambda n: n.x),
    "object array": (lambda x: _object_array(x), lambda n: n[1]),
    "deque": (lambda x: collections.deque([x]), lambda n: n[0]),
    "exception": (lambda x: ValueError("with", x), lambda n: n.args[1]),
    "handle": (lambda x: [x.handle()], lambda n: xp.from_handle(n[0])),
}


def _object_array(x):
    found = np.empty(2, dtype=object)
    found[1] = x
    return found


def write(name, nest):
    """Write the array in the nest, and send the nest back."""
    x = NESTS[name][1](nest)
    x += 1
    return nest


@pytest.mark.parametrize("name", NESTS)
def test_both_ways(worker, name):
    x = xp.zeros((3, 4))
    put, take = NESTS[name]
    nest = worker.call(write, name, put(x))
    y = take(nest)
    assert (np.asarray(x) == 1).all()
    assert y.storage() is x.storage()
    y += 1
    assert (np.asarray(x) == 2).all()


def test_one_array_twice_in_one_message(worker):
    x = xp.zeros(1000)
    worker.run(
        """
        assert pair[0].storage() is pair[1].storage()
        pair[0][0] = 1
        assert float(pair[1][0]) == 1
        """,
        pair=(x, x),
    )
    assert float(x[0]) == 1


def test_hundreds_of_arrays_in_one_message(worker):
    arrays = [xp.full(i % 7 + 1, float(i)) for i in range(500)]
    worker.run("for x in arrays: x += 1", arrays=arrays)
    assert [float(x[-1]) for x in arrays] == [i + 1.0 for i in range(500)]


def test_arrays_beside_numpy_arrays(worker):
    x, a = xp.zeros(10), np.zeros(10)
    worker.run("x += 1\na += 1", x=x, a=a)
    assert float(x[0]) == 1
    assert a[0] == 0


def test_a_pickle_inside_a_message_is_a_copy(worker):
    x = xp.arange(10)
    worker.run(
        "import pickle\ny = pickle.loads(blob)\ny += 1\nassert y.tolist() == list(range(1, 11))",
        blob=pickle.dumps(x),
    )
    assert x.tolist() == list(range(10))


def test_closures_by_cloudpickle_are_copies(worker):
    x = xp.arange(10)

    def closure():
        x.__iadd__(1)
        return x.tolist()

    answer = worker.run(
        "import pickle\nreturn pickle.loads(blob)()", blob=cloudpickle.dumps(closure)
    )
    assert answer == list(range(1, 11))
    assert x.tolist() == list(range(10))


def test_private_arrays_inside_others_are_copies(worker):
    with xp.memory("private"):
        model = Model("m", xp.zeros(3))
    back = worker.run("model.weights += 1\nreturn model", model=model)
    assert back.weights.tolist() == [1, 1, 1]
    assert model.weights.tolist() == [0, 0, 0]
    assert not model.weights.is_shared()
