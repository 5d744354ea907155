"""Pickles and copies hold the elements: by value, compact, deterministic, writable."""

import copy
import pickle

import cloudpickle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import sharedarray as xp

from .conftest import HELD, STANDARD

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
NESTED = np.dtype([("a", "i1"), ("b", [("x", "f8", (2,)), ("y", "longdouble")])], align=True)


def sample(dtype, shape=(2, 3)):
    """Return an ndarray with some elements of any dtype."""
    raw = np.arange(np.prod(shape, dtype=int) * np.dtype(dtype).itemsize) % 3 + 48
    return np.frombuffer(raw.astype(np.uint8).tobytes(), dtype).reshape(shape).copy()


def same_values(a, b):
    """Whether all fields are equal."""
    if a.dtype.names is None:
        return a.tolist() == b.tolist()
    return all(same_values(a[name], b[name]) for name in a.dtype.names)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("dtype", [*STANDARD, *HELD, NESTED])
def test_round_trips(dtype, protocol):
    """Every dtype and protocol."""
    a = sample(dtype) if np.dtype(dtype).kind not in "bfcV" else np.ones((2, 3)).astype(dtype)
    x = xp.asarray(a, dtype=dtype)
    y = pickle.loads(pickle.dumps(x, protocol))
    assert type(y) is xp.Array
    assert (y.dtype, y.shape, y.strides) == (x.dtype, x.shape, x.strides)
    assert same_values(y.numpy(), x.numpy())
    assert y.is_shared()
    assert y.flags.writeable


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_views_pickle_their_own_elements(data):
    """Any basic view round-trips; other strides than C's and Fortran's are compacted."""
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    x = xp.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape))
    if data.draw(st.booleans()):
        x = x.T
    view = x[data.draw(hnp.basic_indices(x.shape, allow_newaxis=True))]
    y = pickle.loads(pickle.dumps(view, data.draw(st.sampled_from(PROTOCOLS))))
    assert y.tolist() == view.tolist()
    assert y.shape == view.shape
    if view.flags.c_contiguous:
        assert y.flags.c_contiguous
    elif view.flags.f_contiguous:
        assert y.flags.f_contiguous
    else:
        assert y.flags.c_contiguous


def test_a_view_does_not_pickle_its_neighbours():
    """A small view of a large array is a small pickle."""
    x = xp.zeros(1_000_000)
    assert len(pickle.dumps(x[:3])) < 300
    assert len(pickle.dumps(x[::100_000])) < 400
    assert len(pickle.dumps(xp.broadcast_to(xp.zeros(1), (3,)))) < 300


def assign(target, source):
    """Copy the values, field by field; what lies between them stays."""
    for name in source.dtype.names or ():
        assign(target[name], source[name])
    if not source.dtype.names:
        target[...] = source


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("dtype", ["float64", "longdouble", "S5", ">f8", NESTED, "bool"])
def test_equal_arrays_pickle_to_equal_bytes(dtype, protocol):
    """Content, dtype, shape and layout decide, and nothing else does."""
    a = np.ones((2, 3)).astype(dtype)
    dirty = np.full(a.nbytes, 255, np.uint8).view(dtype).reshape(2, 3)
    assign(dirty, a)
    spaced = xp.zeros((4, 6), dtype=a.dtype)[::2, ::2]
    spaced[...] = a
    with xp.memory("private"):
        private = xp.asarray(dirty)
    equal = [
        xp.asarray(a),
        xp.asarray(dirty),
        xp.asarray(a).readonly(),
        spaced,
        private,
        pickle.loads(pickle.dumps(xp.asarray(a), protocol)),
    ]
    assert len({pickle.dumps(x, protocol) for x in equal}) == 1
    assert len({pickle.dumps([x, x[0]], protocol) for x in equal}) == 1
    assert pickle.dumps(xp.asarray(a), protocol) != pickle.dumps(xp.asarray(a).T, protocol)


def test_out_of_band_buffers():
    """Protocol 5 hands the memory out without a copy, for each layout, and takes any buffer."""
    for x in (xp.arange(6), xp.arange(6).reshape(2, 3).T, xp.asarray(5), xp.zeros((0, 3))):
        buffers = []
        data = pickle.dumps(x, 5, buffer_callback=buffers.append)
        assert len(buffers) == 1
        assert np.shares_memory(np.frombuffer(buffers[0], np.uint8), x.numpy()) == (x.size > 0)
        assert buffers[0].raw().nbytes == x.nbytes
        for received in (buffers, [bytes(buffers[0])], [bytearray(buffers[0])]):
            y = pickle.loads(data, buffers=received)
            assert y.tolist() == x.tolist()
            assert y.flags.writeable
            assert y.is_shared()
            y[...] = 9
        assert x.size == 0 or x.tolist() != y.tolist()


def test_what_is_loaded_follows_the_memory_mode(mode):
    """Private in ``memory("private")``, whatever it was."""
    x = xp.arange(3)
    loaded = [
        pickle.loads(pickle.dumps(x)),
        copy.copy(x),
        copy.deepcopy(x),
        x.copy(),
        x.clone(),
        cloudpickle.loads(cloudpickle.dumps(x)),
    ]
    for y in loaded:
        assert y.is_shared() == (mode == "shared")
        assert y.tolist() == [0, 1, 2]


def test_copies_are_new_memory():
    """``copy.copy`` too; read-only arrays are copied writable; layout stays."""
    x = xp.arange(6).reshape(2, 3).T.readonly()
    for y in (copy.copy(x), copy.deepcopy(x), x.clone()):
        assert y.flags.f_contiguous
        y[0, 0] = 9
        assert int(x[0, 0]) == 0
    both = copy.deepcopy([x, x])
    assert type(both[0]) is xp.Array


def test_bytes_that_do_not_fit_are_refused():
    """Another number of bytes than the shape takes, or a dtype of objects."""
    restore, arguments = xp.arange(3).__reduce_ex__(4)
    with pytest.raises(pickle.UnpicklingError, match="24"):
        restore(b"abc", *arguments[1:])
    with pytest.raises(TypeError):
        restore(b"12345678", "|O", (1,), "C")


def test_the_class_pickles_by_name():
    """As any class."""
    assert pickle.loads(pickle.dumps(xp.Array)) is xp.Array
    assert (xp.Array.__module__, xp.Array.__qualname__) == ("sharedarray", "Array")


def test_iterators_are_copied_where_they_stand():
    x = iter(xp.arange(3))
    next(x)
    for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert [int(i) for i in again] == [1, 2]
    assert int(next(x)) == 1
    list(x)
    assert list(copy.copy(x)) == []


def test_methods_and_handles_pickle():
    for one in (xp.Storage.fill_, xp.Handle.close, xp.Handle.from_bytes, xp.Array.sum):
        assert pickle.loads(pickle.dumps(one)) is one
