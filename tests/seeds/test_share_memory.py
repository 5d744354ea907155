"""`UntypedStorage.share_memory_`: what PyTorch users know of it, row by row."""

import pickle

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import join


def run(context, target, *arguments):
    """Run the function in a process and wait for it."""
    process = context.Process(target=target, args=arguments)
    process.start()
    join(process)


def fill_storage(storage, byte):
    """Fill the whole memory."""
    storage.fill_(byte)


def fill_storage_slice(storage, offset, size):
    """Fill a slice of the memory."""
    storage[offset : offset + size] = b"\1" * size


def fill_part(storage, offset, size):
    """Fill a slice of the memory by `fill_`."""
    storage.fill_(1, offset, size)


def fill(x, value):
    """Fill an array."""
    x.fill_(value)


def fill_slice(x, offset, size):
    """Fill a slice of an array."""
    x[offset : offset + size] = 1


def test_it_puts_a_storage_into_shared_memory_and_gives_a_handle():
    with xp.memory("private"):
        x = xp.zeros(10)
    storage = x.storage()
    assert storage.is_shared() is False
    storage.share_memory_()
    assert storage.is_shared() is True
    assert x.is_shared() is True
    assert xp.from_handle(storage.handle()) is storage


def test_and_so_does_an_array():
    with xp.memory("private"):
        x = xp.zeros(10)
    assert x.share_memory_().storage().is_shared()
    assert xp.from_handle(x.handle()).storage() is x.storage()


def test_a_child_fills_the_storage_with_1_and_the_parent_sees_it(context):
    storage = xp.Storage(10)
    storage.fill_(0)
    run(context, fill_storage, storage, 1)
    assert list(storage[:]) == [1] * 10


def test_a_storage_shared_afterwards_is_filled_too(context):
    with xp.memory("private"):
        x = xp.zeros(10, dtype=xp.uint8)
    storage = x.storage()
    storage.share_memory_()
    run(context, fill_storage, storage, 1)
    assert x.tolist() == [1] * 10


def test_a_child_fills_the_array_and_the_parent_sees_it(context):
    x = xp.zeros((3, 4))
    run(context, fill, x, 1)
    assert (np.asarray(x) == 1).all()


@pytest.mark.parametrize("function", [fill_storage_slice, fill_part])
def test_a_child_fills_only_a_slice_of_the_storage(context, function):
    storage = xp.Storage(10)
    storage.fill_(0)
    run(context, function, storage, 2, 5)
    assert list(storage[:]) == [0, 0, 1, 1, 1, 1, 1, 0, 0, 0]


def test_a_child_fills_a_slice_given_by_indices(context):
    x = xp.zeros(10)
    run(context, fill_slice, x, 2, 5)
    assert x.tolist() == [0, 0, 1, 1, 1, 1, 1, 0, 0, 0]


def test_a_child_fills_the_slice_itself(context):
    x = xp.zeros(10)
    run(context, fill, x[2:7], 1)
    assert x.tolist() == [0, 0, 1, 1, 1, 1, 1, 0, 0, 0]


def test_a_message_is_a_handle_whatever_the_size():
    from multiprocessing.reduction import ForkingPickler

    sizes = {len(ForkingPickler.dumps(xp.empty(1 << k))) for k in (4, 10, 20, 27)}
    assert max(sizes) < 1000
    assert max(sizes) - min(sizes) < 32


def test_by_value_between_machines():
    x = xp.arange(1000)
    blob = pickle.dumps(x)
    assert len(blob) > x.nbytes
    assert pickle.loads(blob).storage() is not x.storage()
