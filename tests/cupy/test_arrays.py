"""Arrays of ours over CuPy's: views, storages, handles, copies to and from the host."""

import gc

import cupy
import numpy as np
import pytest

import sharedarray as xp
from sharedarray._cuda_foreign import owned


@pytest.fixture
def there(backend, blocks):
    """Bring an ndarray to a device."""

    def bring(values, device="cuda:1"):
        return xp.asarray(np.asarray(values)).to_device(device)

    return bring


def test_an_array_is_cupys_array_below(there):
    x = there(np.arange(12.0).reshape(3, 4))
    b = x.cupy()
    assert type(b) is cupy.ndarray
    assert (b.shape, b.strides, b.dtype, b.device.id) == ((3, 4), (32, 8), np.float64, 1)
    assert b.data.ptr == x.storage().data_ptr()
    assert x.is_shared() and x.is_cuda and isinstance(x, xp.Array)


@pytest.mark.parametrize("values", [np.float32(3), np.empty((0, 3)), np.ones((2, 0), "i1")])
def test_without_dimensions_and_without_elements(there, values):
    x = there(values)
    assert (x.shape, x.dtype) == (values.shape, values.dtype)
    assert x.cupy().shape == values.shape
    assert x.to_device("cpu").tolist() == values.tolist()
    assert x.is_shared()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "c16"])
def test_to_the_device_and_back(there, dtype, order):
    values = np.asarray(np.arange(24).reshape(2, 3, 4) % 2, dtype=dtype, order=order)
    x = there(values)
    assert x.strides == values.strides
    back = x.to_device("cpu")
    assert back.device == "cpu" and back.is_shared()
    np.testing.assert_array_equal(back.numpy(), values)


def test_views_are_cupys_views_over_one_storage(there):
    values = np.arange(24).reshape(4, 6)
    x = there(values)
    ways = {
        "row": lambda a: a[1],
        "steps": lambda a: a[1:, ::2],
        "backwards": lambda a: a[::-1, ::-3],
        "new axis": lambda a: a[None, ..., 2],
        "transposed": lambda a: a.T,
        "reshaped": lambda a: a.reshape(8, 3),
        "other dtype": lambda a: a.view("i4"),
        "empty": lambda a: a[:0],
        "permuted": lambda a: a.transpose(1, 0),
        "whole": lambda a: a[...],
    }
    for name, way in ways.items():
        view, wanted = way(x), way(values)
        assert (view.shape, view.strides, view.dtype) == (
            wanted.shape,
            wanted.strides,
            wanted.dtype,
        ), name
        assert view.storage() is x.storage(), name
        assert view.is_shared() and view.device == "cuda:1", name
        if wanted.size:
            offset = wanted.__array_interface__["data"][0] - values.__array_interface__["data"][0]
            assert view.cupy().data.ptr == x.cupy().data.ptr + offset, name


def test_a_handle_brings_a_view_back_as_one(there):
    x = there(np.arange(24.0).reshape(4, 6))
    for view in (x, x[1:, ::2], x.T, x[::-1], x[:0], x[2, 3:4].reshape(())):
        again = xp.from_handle(xp.Handle.from_bytes(bytes(view.handle())))
        assert again.storage() is x.storage()
        assert (again.shape, again.dtype) == (view.shape, view.dtype)
        assert type(again.cupy()) is cupy.ndarray
        if view.size:
            assert again.strides == view.strides
            assert again.cupy().data.ptr == view.cupy().data.ptr
    assert not xp.from_handle(x.readonly().handle()).flags.writeable


def test_what_cupy_holds_keeps_the_memory(there, blocks):
    x = there(np.ones(100))
    assert blocks.allocated(1) == 800
    b = x.cupy()[50:]
    del x
    gc.collect()
    assert blocks.allocated(1) == 800
    c = b.reshape(5, 10).T
    del b
    assert blocks.allocated(1) == 800
    del c
    assert blocks.allocated(1) == 0


def test_a_view_of_ours_keeps_the_memory(there, blocks):
    x = there(np.ones(100))
    views = [x[3:], x[::7].T, x.storage()]
    del x
    while views:
        assert blocks.allocated(1) == 800
        views.pop()
    assert blocks.allocated(1) == 0


def test_arrays_are_born_in_blocks_on_the_device_asked_for(there, blocks, runtime):
    x = xp.empty((3, 2), dtype=xp.float32, device="cuda:1")
    with xp.Device("cuda:0"):
        y = xp.empty(5)
    assert (x.device, y.device) == ("cuda:1", "cuda:0")
    assert (x.cupy().device.id, y.cupy().device.id) == (1, 0)
    assert blocks.allocated(1) == 24 and blocks.allocated(0) == 40
    assert runtime.current == 0


def test_dlpack_gives_the_same_memory(there):
    x = there(np.arange(4))
    y = xp.from_dlpack(x)
    assert y.storage() is x.storage()
    assert x.__dlpack_device__() == (2, 1)


def test_whose_memory_cupys_arrays_have_goes_by_the_address(there, blocks):
    """What `is_shared` asks; where an array of CuPy's lies, CuPy asks the runtime."""
    b = there(np.arange(4)).cupy()
    assert owned(b) and owned(b[1:]) and owned(b[:0])
    memory = cupy.cuda.UnownedMemory(1 << 20, 64, None, 0)
    assert not owned(cupy.ndarray((4,), "f8", cupy.cuda.MemoryPointer(memory, 0)))


def test_numpy_is_refused_with_a_hint(there):
    x = there(np.arange(4))
    for use in (x.numpy, lambda: np.asarray(x), lambda: memoryview(x)):
        with pytest.raises(TypeError, match="to_device"):
            use()
