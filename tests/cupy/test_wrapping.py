"""CuPy's arrays over Blocks: layout, device, and who keeps what alive."""

import gc
import os
import re
import types
import weakref

import cupy
import numpy as np
import pytest

from sharedarray import _cuda, _cuda_cupy

DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]


class Elements:
    """The memory of a CuPy array as NumPy takes it: the double's devices are host memory."""

    def __init__(self, b):
        self.kept = b
        self.__array_interface__ = {
            "version": 3,
            "shape": b.shape,
            "typestr": b.dtype.str,
            "strides": b.strides,
            "data": (b.data.ptr, False),
        }


def elements(b):
    """What stands in a CuPy array, as an ndarray over it."""
    return np.asarray(Elements(b))


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_layout_and_device(backend, blocks, index, dtype):
    itemsize = np.dtype(dtype).itemsize
    block = blocks.allocate(index, 1024)
    strides = (8 * itemsize, 2 * itemsize)
    b = backend.array(block, 64, (3, 4), strides, np.dtype(dtype))
    assert type(b) is cupy.ndarray
    assert (b.shape, b.strides, b.dtype) == ((3, 4), strides, np.dtype(dtype))
    assert b.data.ptr == backend.pointer(b) == block.pointer + 64
    assert b.device.id == backend.device_of(b) == index == block.index
    assert b.data.mem.ptr == block.pointer
    assert b.data.mem.size == block.nbytes
    values = (np.arange(12) % 2).reshape(3, 4).astype(dtype)
    elements(b)[...] = values
    assert (elements(b[1:, ::2]) == values[1:, ::2]).all()


def test_negative_strides(backend, blocks):
    block = blocks.allocate(0, 80)
    b = backend.array(block, 72, (10,), (-8,), np.dtype("f8"))
    elements(b)[...] = np.arange(10.0)
    forward = backend.array(block, 0, (10,), (8,), np.dtype("f8"))
    assert elements(forward).tolist() == list(range(9, -1, -1))
    assert backend.pointer(b) == block.pointer + 72
    assert elements(b[::-1]).tolist() == elements(forward).tolist()


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2)])
def test_without_dimensions_and_without_elements(backend, blocks, shape):
    block = blocks.allocate(1, max(1, 8 * int(np.prod(shape))))
    layout = np.empty(shape)
    b = backend.array(block, 0, shape, layout.strides, layout.dtype)
    assert (b.shape, b.ndim, b.size, b.nbytes) == (shape, len(shape), layout.size, layout.nbytes)
    assert b.strides == layout.strides
    assert backend.block_of(b) is block
    assert b.device.id == 1


def test_views_keep_the_block_and_the_last_one_lets_go(backend, blocks):
    block = blocks.allocate(0, 12 * 4)
    pointer, gone = block.pointer, weakref.ref(block)
    b = backend.array(block, 0, (3, 4), (16, 4), np.dtype("f4"))
    views = [
        b[1:],
        b[::2, 1],
        b.T,
        b[None, ..., None],
        b.reshape(2, 6),
        b.view("i4"),
        cupy.broadcast_to(b, (2, 3, 4)),
        cupy.squeeze(b),
        b.diagonal(),
        b[0, 0],
        b[:0],
        backend.frozen(b),
    ]
    for view in views:
        assert backend.block_of(view) is block
        assert backend.memory_of(view) is b.data.mem
        assert backend.device_of(view) == 0
        assert pointer <= backend.pointer(view) < pointer + 48
    assert blocks.allocated(0) == 48
    del block, b
    while views:
        gc.collect()
        assert gone() is not None
        assert blocks.allocated(0) == 48
        view = views.pop()
        del view
    gc.collect()
    assert gone() is None
    assert blocks.allocated(0) == 0


def test_two_arrays_over_one_block_are_of_one_block(backend, blocks):
    block = blocks.allocate(0, 64)
    first, second = (backend.array(block, k, (4,), (8,), np.dtype("f8")) for k in (0, 32))
    assert backend.block_of(first) is backend.block_of(second) is block
    elements(first)[...] = 1
    elements(second)[...] = 2
    whole = backend.array(block, 0, (8,), (8,), np.dtype("f8"))
    assert elements(whole).tolist() == [1] * 4 + [2] * 4


class Owner:
    """Something that holds memory of another library."""


def test_foreign_memory_is_no_block(backend, blocks):
    block = blocks.allocate(0, 256)  # as memory that belongs to somebody else
    owner = Owner()
    owner.block, gone = block, weakref.ref(owner)
    b = backend.foreign(owner, block.pointer + 16, 1, (4,), (8,), "f8")
    assert backend.block_of(b) is None
    assert backend.block_of(b[1:]) is None
    assert backend.pointer(b) == block.pointer + 16
    assert backend.device_of(b) == 1
    backwards = backend.foreign(owner, block.pointer + 16 + 24, 1, (4,), (-8,), "f8")
    elements(b)[...] = [1, 2, 3, 4]
    assert elements(backwards).tolist() == [4, 3, 2, 1]
    assert backwards.data.mem.ptr == block.pointer + 16
    del owner, b, block
    gc.collect()
    assert gone() is not None
    del backwards
    gc.collect()
    assert gone() is None


def test_memory_of_cupys_own_kind_is_no_block(backend, blocks):
    memory = cupy.cuda.UnownedMemory(1 << 20, 64, None, 0)
    b = cupy.ndarray((4,), "f8", cupy.cuda.MemoryPointer(memory, 0))
    assert backend.block_of(b) is None
    assert backend.memory_of(b) is memory


def test_what_is_writable(backend, blocks):
    block = blocks.allocate(0, 64)
    b = backend.array(block, 0, (8,), (8,), np.dtype("f8"))
    assert backend.is_writable(b)
    assert backend.is_writable(b[::-1])
    assert backend.is_writable(b[:1].reshape(1, 1))
    assert not backend.is_writable(cupy.broadcast_to(b, (3, 8)))
    assert backend.frozen(b) is not b


def test_a_result_in_a_block_stays_where_it_is(backend, blocks):
    block = blocks.allocate(0, 64)
    b = backend.array(block, 0, (8,), (8,), np.dtype("f8"))
    assert backend.place(b, 0) is b
    view = b[2:]
    assert backend.place(view, 0) is view


def test_what_cupy_allocates_inside_the_scope_is_a_block(backend, blocks, runtime):
    outside = cupy.cuda.get_allocator()
    with backend.scope(1):
        assert runtime.current == 1
        b = cupy.ndarray((4, 4), "f4")
        with backend.scope(0):
            assert runtime.current == 0
            c = cupy.ndarray((0,), "f4")
        assert runtime.current == 1
    assert runtime.current == 0
    assert cupy.cuda.get_allocator() == outside
    assert (backend.block_of(b).index, backend.block_of(c).index) == (1, 0)
    assert backend.block_of(b).nbytes >= 64
    assert b.device.id == 1


def test_the_scope_ends_after_exceptions(backend, blocks, runtime):
    outside = cupy.cuda.get_allocator()
    with pytest.raises(LookupError), backend.scope(1):
        raise LookupError
    assert runtime.current == 0
    assert cupy.cuda.get_allocator() == outside


def test_no_room_in_the_scope_is_the_memory_error_with_figures(backend, blocks):
    with pytest.raises(MemoryError, match=r"cuda:0: the device has .* left"), backend.scope(0):
        cupy.ndarray((1 << 50,), "u1")


def test_the_stream_is_cupys_current_one(monkeypatch):
    """That of the fixture is not: it stands for the runtime, which is not there."""
    monkeypatch.setattr(
        cupy.cuda, "get_current_stream", lambda index: types.SimpleNamespace(ptr=40 + index)
    )
    assert _cuda_cupy.CupyBackend().stream(1) == 41


def test_in_a_forked_child_the_stream_tells_of_spawn(blocks):
    real, found = _cuda_cupy.CupyBackend(), os.pipe()
    _cuda.start()
    child = os.fork()
    if not child:
        try:
            real.stream(0)
        except BaseException as error:
            os.write(found[1], f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(found[1])
    with open(found[0], "rb") as answer:
        assert re.match(rb"RuntimeError: .*spawn", answer.read())
    os.waitpid(child, 0)
