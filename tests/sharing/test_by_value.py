"""Pickles hold values: they outlive every process, and loading one makes a copy."""

import copy
import io
import pickle

import cloudpickle
import numpy as np
import pytest

import sharedarray as xp
from tests.harness import run_script

from .facts import DTYPES, LAYOUTS, facts, of_dtype, writable

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, protocol):
    x = LAYOUTS[layout]()
    y = pickle.loads(pickle.dumps(x, protocol))
    assert isinstance(y, xp.Array)
    assert y.shape == x.shape
    assert y.dtype == x.dtype
    assert np.array_equal(np.asarray(y), np.asarray(x))
    assert writable(y)
    assert y.is_shared()
    assert y.storage() is not x.storage()


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name):
    x = xp.asarray(of_dtype(DTYPES[name]))
    y = pickle.loads(pickle.dumps(x))
    assert repr(np.asarray(y).tolist()) == repr(np.asarray(x).tolist())
    assert y.dtype.newbyteorder("=") == x.dtype.newbyteorder("=")


def test_a_view_pickles_its_own_elements_only():
    x = xp.zeros(1 << 20)
    for view in (x[:10], x[:: 1 << 17], xp.broadcast_to(x[0:1], (10,))):
        assert len(pickle.dumps(view, 5)) < 2000
    assert len(pickle.dumps(x[: 1 << 10], 5)) < (8 << 10) + 2000


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_equal_arrays_pickle_to_equal_bytes(order, protocol):
    values = np.arange(24.0).reshape(4, 6)
    with xp.memory("private"):
        private = xp.asarray(np.asarray(values, order=order))
    wide = xp.zeros((4, 9))
    wide[:, 1:7] = values
    forms = [
        xp.asarray(np.asarray(values, order=order)),
        private,
        xp.asarray(np.asarray(values, order=order), copy=False),
        xp.asarray(np.asarray(values, order=order)).readonly(),
    ]
    forms.append(pickle.loads(pickle.dumps(forms[0], protocol)))
    forms.append(copy.copy(forms[0]))
    assert len({pickle.dumps(x, protocol) for x in forms}) == 1


def test_another_content_dtype_shape_or_layout_makes_other_bytes():
    x = xp.reshape(xp.arange(24.0), (4, 6))
    others = [x + 1, xp.astype(x, xp.float32), xp.reshape(x, (6, 4)), x.T]
    dumped = {pickle.dumps(y) for y in [x, *others]}
    assert len(dumped) == 5


def test_out_of_band_buffers():
    x = xp.arange(1 << 16)
    buffers = []
    head = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(head) < 1000
    assert sum(b.raw().nbytes for b in buffers) == x.nbytes
    y = pickle.loads(head, buffers=[bytes(b.raw()) for b in buffers])
    assert y.tolist() == x.tolist()
    assert writable(y)
    assert y.is_shared()
    y[0] = 5
    assert int(x[0]) == 0


def test_what_is_loaded_follows_the_mode():
    for x in (xp.ones(3), private(3)):
        blob = pickle.dumps(x)
        assert pickle.loads(blob).is_shared()
        with xp.memory("private"):
            assert not pickle.loads(blob).is_shared()


def private(n):
    """An array in private memory."""
    with xp.memory("private"):
        return xp.ones(n)


def test_pickling_flips_nothing():
    for x, shared in ((xp.ones(3), True), (private(3), False)):
        pickle.dumps(x)
        cloudpickle.dumps(x)
        copy.deepcopy(x)
        assert x.is_shared() is shared


def test_sending_flips_nothing(worker):
    for x, shared in ((xp.ones(3), True), (private(3), False)):
        worker.run("x += 1", x=x)
        assert x.is_shared() is shared
        assert x.tolist() == [2 if shared else 1] * 3


def test_private_arrays_are_sent_by_value(worker):
    for nbytes in (8, 4096, 1 << 20):
        x = private(nbytes // 8)
        y = worker.run("x += 1\nreturn x", x=x)
        assert (np.asarray(x) == 1).all()
        assert (np.asarray(y) == 2).all()
        assert worker.get("x.is_shared()", x=x)  # a copy, made by the mode in force there


def test_files_outlive_the_program(tmp_path):
    path = tmp_path / "x.pickle"
    path.write_bytes(pickle.dumps({"x": xp.arange(10), "y": xp.ones((2, 3)).T}))
    code = """
        import pickle, sys
        held = pickle.load(open(sys.argv[1], "rb"))
        print(held["x"].tolist(), held["y"].shape, held["x"].is_shared())
        """
    assert run_script(code, path).ok() == f"{list(range(10))} (3, 2) True"
    made = run_script(
        "import pickle, sharedarray as xp, sys; sys.stdout.write(pickle.dumps(xp.arange(5)).hex())"
    ).ok()
    assert pickle.loads(bytes.fromhex(made)).tolist() == [0, 1, 2, 3, 4]


def test_cloudpickle_is_by_value():
    x = xp.arange(5)
    y = cloudpickle.loads(cloudpickle.dumps(x))
    y += 1
    assert x.tolist() == [0, 1, 2, 3, 4]
    assert len(cloudpickle.dumps(xp.zeros(1 << 17))) > 1 << 20


def test_pickler_objects_too():
    file = io.BytesIO()
    x = xp.arange(5)
    pickle.Pickler(file, 5).dump([x, x])
    a, b = pickle.loads(file.getvalue())
    assert a is b
    assert a.tolist() == x.tolist()


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_are_new_memory(layout, how):
    x = LAYOUTS[layout]()
    y = how(x)
    assert np.array_equal(np.asarray(y), np.asarray(x))
    assert y.storage() is not x.storage()
    assert y.is_shared()
    assert writable(y)
    with xp.memory("private"):
        assert not how(x).is_shared()


def test_a_storage_refuses_plain_pickle():
    with pytest.raises(TypeError):
        pickle.dumps(xp.Storage(10))
    with pytest.raises(TypeError):
        cloudpickle.dumps(xp.Storage(10))


def test_facts_of_a_loaded_array_hold_in_a_worker(worker):
    y = pickle.loads(pickle.dumps(xp.reshape(xp.arange(6), (2, 3))))
    assert worker.call(facts, y) == facts(y)
