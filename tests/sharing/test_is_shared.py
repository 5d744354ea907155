"""`is_shared` is True exactly where a child process sees what is written, and the reverse."""

import multiprocessing

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import join


def private(value=1.0):
    """Four elements in private memory."""
    with xp.memory("private"):
        return xp.full(4, value)


def in_a_capture():
    """A NumPy array born in shared memory."""
    with xp.capture_numpy():
        return np.ones(4)


def rebound_view():
    """A view whose storage was shared afterwards, through another array."""
    x = private()
    view = x[1:]
    x.share_memory_()
    return view


def _dlpack_of(a):
    return xp.from_dlpack(a)


ROWS = {  # how it was made: (maker, whether it is shared)
    "own": (lambda: xp.ones(4), True),
    "result": (lambda: xp.ones(4) + 1, True),
    "function's result": (lambda: xp.sin(xp.ones(4)), True),
    "NumPy's result": (lambda: np.sin(xp.ones(4)), True),
    "view": (lambda: xp.ones(8)[::2], True),
    "transposed": (lambda: xp.ones((2, 2)).T, True),
    "readonly": (lambda: xp.ones(4).readonly(), True),
    "0-d": (lambda: xp.asarray(1.0), True),
    "reduction": (lambda: xp.sum(xp.ones(4)), True),
    "snapshot": (lambda: xp.ones(4)[1], True),
    "0-d view": (lambda: xp.ones(4)[1, ...], True),
    "empty": (lambda: xp.empty((0, 3)), True),
    "empty view": (lambda: xp.ones(4)[4:], True),
    "from a list": (lambda: xp.asarray([1.0, 2.0]), True),
    "from NumPy, copied": (lambda: xp.asarray(np.ones(4)), True),
    "from a capture, adopted": (lambda: xp.asarray(in_a_capture()), True),
    "from a capture, borrowed": (lambda: xp.asarray(in_a_capture(), copy=False), True),
    "from its own NumPy view": (lambda: xp.asarray(np.asarray(xp.ones(4)), copy=False), True),
    "from its own DLPack": (lambda: _dlpack_of(xp.ones(4)), True),
    "from its NumPy view's DLPack": (lambda: _dlpack_of(np.asarray(xp.ones(4))), True),
    "from its own buffer": (lambda: xp.frombuffer(memoryview(xp.ones(4))), True),
    "from a storage": (lambda: xp.from_storage(xp.Storage(32), float, (4,)), True),
    "NumPy borrowed": (lambda: xp.asarray(np.ones(4), copy=False), False),
    "view of NumPy borrowed": (lambda: xp.asarray(np.ones(4), copy=False)[1:], False),
    "empty NumPy borrowed": (lambda: xp.asarray(np.ones(0), copy=False), False),
    "DLPack borrowed": (lambda: _dlpack_of(np.ones(4)), False),
    "buffer borrowed": (lambda: xp.frombuffer(bytearray(np.ones(4).tobytes())), False),
    "private": (private, False),
    "private view": (lambda: private()[::2], False),
    "private 0-d": (lambda: private()[1, ...], False),
    "private after share_memory_": (lambda: private().share_memory_(), True),
    "view of private, shared through its base": (rebound_view, True),
    "NumPy borrowed after share_memory_": (
        lambda: xp.asarray(np.ones(4), copy=False).share_memory_(),
        True,
    ),
    "DLPack borrowed after share_memory_": (lambda: _dlpack_of(np.ones(4)).share_memory_(), True),
    "shared, again share_memory_": (lambda: xp.ones(4).share_memory_(), True),
}


@pytest.mark.parametrize("row", ROWS)
def test_it_says_so(row):
    maker, shared = ROWS[row]
    x = maker()
    assert x.is_shared() is shared
    assert xp.is_shared(x) is shared
    if x.size:
        assert xp.is_shared(np.asarray(x)) is shared
        assert xp.is_shared(memoryview(x)) is shared
    assert x.storage().is_shared() is shared
    assert ("shared" in repr(x)) is shared
    assert ("private" in repr(x)) is not shared


@pytest.mark.parametrize("row", [row for row in ROWS if not row.startswith("empty")])
def test_what_a_child_writes(worker, row):
    maker, shared = ROWS[row]
    x = maker()
    if not np.asarray(x).flags.writeable:
        writer = np.asarray(x.storage()).view("f8")
        worker.run("keep['x'] = x", x=x)
        writer[...] = 99
        assert worker.get("bool(xp.all(keep.pop('x') == 99))") is shared
        return
    worker.run("np.asarray(x)[...] = 99", x=x)
    assert bool((np.asarray(x) == 99).all()) is shared
    assert x.is_shared() is shared


@pytest.mark.parametrize("row", ROWS)
def test_what_a_child_calls_it(worker, row):
    maker, shared = ROWS[row]
    x = maker()
    assert worker.get("x.is_shared()", x=x)  # by handle, or a copy made in shared memory there
    if shared:
        assert worker.get("x.storage().id", x=x) == x.storage().id
        back = worker.get("x", x=x)
        assert back.is_shared()
        assert back.storage() is x.storage()
        assert x.handle()
    else:
        with pytest.raises(ValueError, match="share_memory_"):
            x.handle()


@pytest.mark.parametrize("row", [row for row in ROWS if not row.startswith("empty")])
def test_what_a_fork_sees(row):
    """Shared memory is one for both after a fork, private memory is copied on write."""
    maker, shared = ROWS[row]
    x = maker()
    written = x
    if not np.asarray(x).flags.writeable:
        written = xp.from_storage(x.storage(), x.dtype, x.shape)
    process = multiprocessing.get_context("fork").Process(target=stamp, args=(written,))
    process.start()
    join(process)
    assert bool((np.asarray(x) == 99).all()) is shared


def stamp(x):
    """Write every element."""
    np.asarray(x)[...] = 99


def test_share_memory_():
    x = private()
    view = x[2:]
    assert x.share_memory_() is x
    assert x.is_shared()
    assert view.is_shared()
    assert view.storage() is x.storage()
    x[2] = 5
    assert view.tolist() == [5, 1]
    assert x.share_memory_() is x


EXPORTS = {
    "numpy": lambda x: x.numpy(),
    "np.asarray": lambda x: np.asarray(x)[1:],
    "memoryview": memoryview,
    "DLPack": np.from_dlpack,
    "capsule": lambda x: x.__dlpack__(max_version=(1, 0)),
    "storage's memoryview": lambda x: memoryview(x.storage()),
    "np.frombuffer": lambda x: np.frombuffer(x, dtype=x.dtype),
    "np.frombuffer of the storage": lambda x: np.frombuffer(x.storage(), dtype=x.dtype),
}


@pytest.mark.parametrize("of_view", [False, True])
@pytest.mark.parametrize("kind", EXPORTS)
def test_share_memory_with_exports_alive_changes_nothing(kind, of_view):
    x = private()
    view = x[1:]
    export = EXPORTS[kind](view if of_view and "storage" not in kind else x)
    with pytest.raises(BufferError):
        x.share_memory_()
    assert not x.is_shared()
    assert not view.is_shared()
    view[0] = 3
    assert x.tolist() == [1, 3, 1, 1]
    del export
    x.share_memory_()
    assert view.is_shared()
    assert x.tolist() == [1, 3, 1, 1]


def test_the_lender_of_a_borrowed_array_keeps_its_own_memory():
    lender = np.ones(4)
    x = xp.asarray(lender, copy=False)
    x[0] = 2
    assert lender[0] == 2
    x.share_memory_()
    x[1] = 3
    assert lender.tolist() == [2, 1, 1, 1]
    assert x.tolist() == [2, 3, 1, 1]


@pytest.mark.parametrize("other", [b"bytes", "text", 5, None, [1.0], object()])
def test_other_objects_are_refused(other):
    with pytest.raises(TypeError):
        xp.is_shared(other)


def test_numpy_arrays_are_told_by_address():
    x = xp.ones(4)
    assert xp.is_shared(np.asarray(x)[1:])
    assert not xp.is_shared(np.asarray(x).copy())
    assert not xp.is_shared(np.ones(4))
    assert not xp.is_shared(memoryview(bytearray(8)))
    assert xp.is_shared(in_a_capture())
