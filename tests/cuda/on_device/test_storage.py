"""Storage on a device, the bytes of handles, and what operations leave as it was."""

import contextlib
import ctypes
import pickle

import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _device

from .compare import SECOND


@pytest.fixture
def storage():
    s = xp.Storage(100, device="cuda:0")
    s.fill_(7)
    return s


def test_new_memory_is_zero_and_lies_on_the_device_in_force():
    assert xp.Storage(10, device=SECOND)[:] == bytes(10)
    with xp.Device(SECOND):
        s = xp.Storage(10)
        assert s.device == SECOND
        assert xp.from_storage(s, xp.uint8, (10,)).device == SECOND
        with xp.Device("cpu"):
            assert xp.Storage(10).device == "cpu"
    with xp.memory("private"):  # of the CPU alone
        assert xp.Storage(10, device="cuda:0").is_shared()


@pytest.mark.parametrize(
    "arguments",
    [(1, 101), (1, 0, 101), (1, 50, 51), (1, -1), (1, 0, -1), (1, 2**63), (256,), (-1,)],
)
def test_filling_out_of_bounds_is_an_error(storage, arguments):
    with pytest.raises(ValueError, match=r"reach outside|no byte"):
        storage.fill_(*arguments)
    assert storage[:] == b"\7" * 100


@pytest.mark.parametrize(
    ("shape", "strides"),
    [((0, 2**62), (8, 8)), ((2**40, 2**40), (0, 0)), ((2**62,), (0,)), ((2**62, 0, 2), (0, 0, 0))],
)
def test_an_array_of_it_whose_bytes_cannot_be_counted(storage, shape, strides):
    """NumPy counts them with no regard to strides and to axes of length 0."""
    with pytest.raises(ValueError, match=r"from_storage: .* is too big"):
        xp.from_storage(storage, xp.float64, shape, strides=strides)


@pytest.mark.parametrize("index", [100, -101, 1000])
def test_bytes_outside_of_it_are_an_index_error(storage, index):
    with pytest.raises(IndexError, match="outside its 100 bytes"):
        storage[index]
    with pytest.raises(IndexError, match="outside its 100 bytes"):
        storage[index] = 1
    for key, value in ((slice(0, 3), b"ab"), (slice(98, 120), b"abc"), (0, 256), (0, -1)):
        with pytest.raises(ValueError):
            storage[key] = value
    assert storage[:] == b"\7" * 100


def test_items_and_slices(storage):
    storage[2], storage[-1] = 5, 255
    storage[4:7] = b"abc"
    assert (storage[2], storage[-1], storage[4:7]) == (5, 255, b"abc")
    assert type(storage[2]) is int and type(storage[4:7]) is bytes
    assert len(storage) == storage.nbytes == 100
    assert not hasattr(storage, "resize") and not hasattr(storage, "resize_")


@pytest.mark.parametrize(
    ("dtype", "shape", "strides", "offset"),
    [
        ("f8", (13,), None, 0),
        ("f8", (12,), None, 8),
        ("u1", (1,), None, -1),
        ("f8", (2,), (-8,), 0),
        ("f8", (2, 2), (2**62, 2**62), 0),
        ("f8", (2**62,), (8,), 0),
    ],
)
def test_arrays_outside_of_it_are_refused(storage, dtype, shape, strides, offset):
    with pytest.raises(ValueError):
        xp.from_storage(storage, dtype, shape, strides, offset)


def test_it_refuses_plain_pickle(storage):
    with pytest.raises(TypeError, match="handle"):
        pickle.dumps(storage)


@pytest.mark.parametrize("dtype", ["u1", "f8", "c16"])
@pytest.mark.parametrize("dimensions", range(9))
def test_handles_have_at_most_512_bytes(dimensions, dtype):
    x = xp.empty((2,) * dimensions, dtype=np.dtype(dtype), device=SECOND)
    for one in (x, x.T, x.storage()):
        handle = one.handle()
        assert len(bytes(handle)) <= 512
        xp.from_handle(handle)


def test_a_closed_handle_cannot_be_sent():
    handle = xp.ones(3, device="cuda:0").handle()
    handle.close()
    for send in (bytes, pickle.dumps):
        with pytest.raises(ValueError, match="closed"):
            send(handle)


def test_a_handle_pickles_as_its_bytes():
    x = xp.ones(3, device=SECOND)
    for one in (x, x.storage()):
        again = pickle.loads(pickle.dumps(one.handle()))
        assert isinstance(again, xp.Handle)
        opened = xp.from_handle(again)
        assert (opened if one is x.storage() else opened.storage()) is x.storage()


def test_dtypes_that_hold_objects_are_refused():
    for make in (xp.empty, xp.zeros, xp.ones):
        with pytest.raises(TypeError, match="objects"):
            make(3, dtype=object, device="cuda:0")


def test_the_figures_have_the_names_of_those_of_the_cpu():
    x = xp.ones(3, device=SECOND)
    stats = xp.memory_stats()
    assert stats[SECOND].keys() == stats["cpu"].keys()
    assert all(type(value) is int and value >= 0 for value in stats[SECOND].values())
    rows = [line.split()[0] for line in xp.memory_summary().splitlines()]
    assert rows[0] == "device" and set(stats) == set(rows[1:])
    del x


@contextlib.contextmanager
def current_context(index):
    """Make the primary context of a device current; gives a function that tells the current one."""
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    assert driver.cuInit(0) == 0
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), index) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0

    def now():
        found = ctypes.c_void_p()
        assert driver.cuCtxGetCurrent(ctypes.byref(found)) == 0
        return found.value

    try:
        assert now() == context.value
        yield now
    finally:
        assert driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
        assert driver.cuDevicePrimaryCtxRelease_v2(index) == 0


def use_device(device):
    """Yield after each of many operations on a device."""
    x = xp.arange(6.0, device=device)
    yield "creation"
    with xp.Device(device):
        xp.zeros(3)
        yield "creation in a context"
    yield "leaving a context"
    x += xp.sin(x) * 2
    xp.linalg.norm(x)
    x[1:3], x[0] = 5, x[1]
    yield "computing"
    float(x[0]), x.tolist(), x.to_device("cpu"), x.to_device("cuda:0"), xp.ones(2).cuda()
    yield "copying"
    x.storage().fill_(1)
    x.storage()[0:4] = b"abcd"
    x.storage()[::2], x.storage().id
    yield "storage"
    xp.from_handle(xp.Handle.from_bytes(bytes(x[::2].handle())))
    pickle.loads(pickle.dumps(x))
    xp.from_dlpack(x), x.__cuda_array_interface__
    yield "sending"
    for wrong in (lambda: x + xp.ones(6), lambda: x + xp.ones(7, device=device), lambda: x[9]):
        with pytest.raises((ValueError, IndexError)):
            wrong()
    with pytest.raises(MemoryError):
        xp.empty(1 << 50, device=device)
    yield "failing"
    xp.cuda.synchronize(device), xp.cuda.memory_summary(device), xp.memory_stats()
    x = None
    xp.empty_cache(), xp.collect()
    yield "letting go"


@pytest.mark.parametrize("index", [0, _device.count() - 1])
@pytest.mark.parametrize("device", ["cuda:0", SECOND])
def test_operations_leave_the_threads_device_as_they_found_it(device, index):
    with current_context(index) as now:
        before = now()
        for what in use_device(device):
            assert now() == before, what
