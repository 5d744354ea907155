"""To and from the host, other devices, other libraries, and pickles."""

import contextlib
import copy
import ctypes
import functools
import gc
import importlib.util
import operator
import pickle
import weakref

import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _backends, _cuda
from tests.harness.threads import COUNT, at_once, hasty, together

from .compare import ON_CARD, SECOND, same, two


class Lent:
    """An array of another library on a device, known by its CUDA array interface alone."""

    def __init__(self, x, **changes):
        self.kept = x
        self.__cuda_array_interface__ = {**x.__cuda_array_interface__, **changes}


class Tensor:
    """An array of another library on a device, known by DLPack alone."""

    def __init__(self, x, old=False):
        self.x, self.old, self.streams = x, old, []

    def __dlpack__(self, *, stream=None, **options):
        if self.old and options:
            raise TypeError("unexpected keyword argument")
        self.streams.append(stream)
        return self.x.__dlpack__(stream=stream, **options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def reshaped(x):
    """A view whose shape was set."""
    y = x.view()
    y.shape = (2, 2)
    return y


class Memory:
    """Device memory that is not this library's."""

    def __init__(self, values, index=0):
        self.index = index
        self.values = np.asarray(values)
        if ON_CARD:
            import cupy

            with cupy.cuda.Device(index):
                self.keep = cupy.asarray(self.values)
            self.pointer = self.keep.data.ptr
            return
        driver = ctypes.CDLL("libcuda.so.1")
        context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
        assert driver.cuInit(0) == 0
        assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), index) == 0
        assert driver.cuCtxPushCurrent_v2(context) == 0
        assert driver.cuMemAlloc_v2(ctypes.byref(pointer), self.values.nbytes) == 0
        assert driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
        self.pointer = pointer.value
        _cuda.copy_in(index, self.pointer, self.values)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.values.shape,
            "typestr": self.values.dtype.str,
            "data": (self.pointer, False),
            "strides": self.values.strides,
            "version": 3,
            "stream": 1,
        }

    def read(self):
        """What lies there now."""
        found = np.empty_like(self.values)
        _cuda.copy_out(self.index, found, self.pointer)
        return found


LAYOUTS = {
    "c": lambda x: x,
    "fortran": lambda x: x.T,
    "steps": lambda x: x[:, ::2],
    "backwards": lambda x: x[::-1],
    "scalar": lambda x: x[0, :1].reshape(()),
    "empty": lambda x: x[:0],
    "repeated": lambda x: xp.broadcast_to(x[0], (3, 4)),
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("dtype", [xp.float64, xp.int8, xp.bool, xp.complex64, np.float16])
def test_to_device_and_back(layout, dtype):
    x = LAYOUTS[layout](xp.astype(xp.asarray(np.arange(12).reshape(3, 4)), dtype))
    y = x.to_device("cuda:0")
    z = y.to_device(SECOND)
    w = LAYOUTS[layout](
        xp.astype(xp.asarray(np.arange(12).reshape(3, 4)), dtype).to_device("cuda:0")
    )
    same(y, x)
    same(z, x, SECOND)
    same(w.to_device(SECOND), x, SECOND)
    assert w.cpu().tolist() == x.tolist()
    assert y.to_device("cuda:0") is y
    assert x.to_device("cpu") is x
    if layout == "fortran":
        assert y.flags.f_contiguous and z.flags.f_contiguous and z.cpu().flags.f_contiguous


def test_what_numpy_has_besides_numbers_travels_too():
    for values in (
        np.asarray(["2020-01-01"], dtype="M8[D]"),
        np.asarray([b"abc", b"d"]),
        np.asarray([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
    ):
        x = xp.asarray(values)
        try:
            y = x.to_device("cuda:0")
        except (TypeError, ValueError):
            assert ON_CARD
            continue
        assert y.dtype == values.dtype
        assert np.array_equal(y.to_device("cpu").numpy(), values)


def test_to_device_follows_memory_mode():
    x = xp.ones(2, device="cuda:0")
    assert x.to_device("cpu").is_shared()
    with xp.memory("private"):
        assert not x.to_device("cpu").is_shared()


def test_a_stream_of_its_own():
    """Copies on another stream see what the current one does, and the other way round."""
    x = xp.asarray(np.arange(300_000.0))
    with new_stream(0) as stream:
        for _ in range(3):
            y = x.to_device("cuda:0", stream=stream)
            y += 1
            assert xp.all(y.to_device("cpu", stream=stream) == x + 1)
            assert xp.all((y + 1).to_device(SECOND, stream=stream).cpu() == x + 2)
            del y


@contextlib.contextmanager
def new_stream(index):
    """A stream of the device, as a pointer."""
    if ON_CARD:
        import cupy

        with cupy.cuda.Device(index):
            stream = cupy.cuda.Stream(non_blocking=True)
        yield stream.ptr
        return
    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    stream = ctypes.c_void_p()
    assert driver.cuInit(0) == 0
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), index) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0
    assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0  # CU_STREAM_NON_BLOCKING
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
    yield stream.value
    assert driver.cuCtxPushCurrent_v2(context) == 0
    assert driver.cuStreamDestroy_v2(stream) == 0
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0


def test_streams():
    class Stream:
        ptr = 0

    class Protocol:
        def __cuda_stream__(self):
            return (0, 0)

    x = xp.asarray([1.0, 2.0])
    for stream in (None, 0, Stream(), Protocol()):
        y = x.to_device("cuda:0", stream=stream)
        assert y.to_device("cpu", stream=stream).tolist() == [1.0, 2.0]
        assert y.to_device(SECOND, stream=stream).tolist() == [1.0, 2.0]
    for stream in ("a", 1.5, True):
        with pytest.raises(TypeError, match="stream"):
            x.to_device("cuda:0", stream=stream)
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=0)


class TestDlpack:
    def test_device(self):
        assert xp.ones(2, device=SECOND).__dlpack_device__() == (2, xp.Device(SECOND).index)

    @pytest.mark.parametrize("old", [False, True])
    def test_there_and_back_is_the_same_memory(self, old):
        x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=SECOND)
        y = xp.from_dlpack(Tensor(x[:, ::-1], old))
        assert y.device == SECOND
        assert y.is_shared()
        y[0, 0] = 9
        assert x.tolist() == [[1.0, 9.0], [3.0, 4.0]]
        assert y.strides == (16, -8)
        del x
        assert y.tolist() == [[9.0, 1.0], [4.0, 3.0]]

    @two
    def test_of_our_own(self):
        x = xp.asarray([1.0, 2.0], device="cuda:0")
        y = xp.from_dlpack(x)
        y[0] = 5
        assert x.tolist() == [5.0, 2.0]
        z = xp.from_dlpack(x, copy=True)
        z[0] = 6
        assert x.tolist() == [5.0, 2.0]
        assert xp.from_dlpack(x, device="cpu").tolist() == [5.0, 2.0]
        assert xp.from_dlpack(x, device=SECOND).device == SECOND
        assert xp.from_dlpack(np.ones(2), device=SECOND).device == SECOND
        for kwargs in ({"device": "cpu"}, {"device": SECOND}):
            with pytest.raises(BufferError, match="copy=False"):
                xp.from_dlpack(x, copy=False, **kwargs)
        with pytest.raises(BufferError, match="copy=False"):
            xp.from_dlpack(np.ones(2), device="cuda:0", copy=False)
        assert xp.from_dlpack(Tensor(x), device="cpu").tolist() == [5.0, 2.0]
        assert xp.from_dlpack(Tensor(x, old=True), device="cpu").tolist() == [5.0, 2.0]
        assert xp.from_dlpack(Tensor(x), device=SECOND).device == SECOND
        assert not xp.from_dlpack(Tensor(x), copy=True).flags.owndata

    def test_to_numpy(self):
        x = xp.asarray([1.0, 2.0], device="cuda:0")
        a = np.from_dlpack(x, device="cpu")
        a[0] = 7
        assert x.tolist() == [1.0, 2.0]
        with pytest.raises((BufferError, RuntimeError)):
            np.from_dlpack(x)
        with pytest.raises(BufferError, match="copy=False"):
            np.from_dlpack(x, device="cpu", copy=False)
        with pytest.raises(BufferError, match="cannot be exported"):
            x.__dlpack__(dl_device=(2, 7))

    def test_read_only(self):
        x = xp.ones(2, device="cuda:0").readonly()
        y = xp.from_dlpack(Tensor(x))
        with pytest.raises(ValueError, match="read-only"):
            y[0] = 1
        with pytest.raises(BufferError, match="read-only"):
            x.__dlpack__()

    def test_the_consumers_stream_waits_for_ours(self, monkeypatch):
        waited = []
        library = _backends.loaded()
        monkeypatch.setattr(_cuda, "wait_stream", lambda *args: waited.append(args))
        ours = library.stream(0)
        x = xp.ones(2, device="cuda:0")
        for stream in (-1, None, 1):
            x.__dlpack__(stream=stream)
        assert waited == ([] if ours in (0, 1) else [(0, 1, ours), (0, 1, ours)])
        waited.clear()
        x.__dlpack__(stream=2)
        x.__dlpack__(stream=1 << 40)
        assert waited == [(0, 2, ours), (0, 1 << 40, ours)]
        for stream in (0, -2):
            with pytest.raises(ValueError, match="stream"):
                x.__dlpack__(stream=stream)
        with pytest.raises(TypeError, match="stream"):
            x.__dlpack__(stream="a")
        tensor = Tensor(x)
        xp.from_dlpack(tensor)
        assert tensor.streams == [ours or 1]


class TestInterface:
    def test_contents(self):
        x = xp.asarray([[1, 2], [3, 4]], dtype=xp.int32, device="cuda:0")
        about = x.__cuda_array_interface__
        assert about["version"] == 3
        assert about["shape"] == (2, 2)
        assert about["typestr"] == "<i4"
        assert about["strides"] is None
        assert about["stream"] == (_backends.loaded().stream(0) or 1)
        pointer, readonly = about["data"]
        assert not readonly
        assert x.readonly().__cuda_array_interface__["data"] == (pointer, True)
        assert x[1:, ::-1].__cuda_array_interface__["strides"] == (8, -4)
        assert x[1:, ::-1].__cuda_array_interface__["data"][0] == pointer + 12
        assert not hasattr(xp.ones(2), "__cuda_array_interface__")

    def test_there_and_back(self):
        x = xp.asarray([1.0, 2.0], device=SECOND)
        y = xp.asarray(Lent(x[::-1]))
        assert y.device == SECOND
        assert y.is_shared()
        y[0] = 5
        assert x.tolist() == [1.0, 5.0]
        z = xp.asarray(Lent(x.readonly()))
        with pytest.raises(ValueError, match="read-only"):
            z[0] = 1
        with xp.Device("cuda:0"):
            assert xp.asarray(Lent(x)).device == SECOND
        assert xp.asarray(Lent(x), device="cpu").tolist() == [1.0, 5.0]
        assert xp.asarray(Lent(x), device="cuda:0").device == "cuda:0"
        assert xp.asarray(Lent(x), dtype=xp.int8).tolist() == [1, 5]
        with pytest.raises(ValueError, match="copy=False"):
            xp.asarray(Lent(x), device="cpu", copy=False)
        copied = xp.asarray(Lent(x), copy=True)
        copied[0] = 3
        assert x.tolist() == [1.0, 5.0]

    def test_masked_arrays_are_refused(self):
        with pytest.raises(BufferError, match="mask"):
            xp.asarray(Lent(xp.ones(2, device="cuda:0"), mask=1))


class TestForeignMemory:
    @pytest.mark.parametrize("copy", [None, False, True])
    def test_empty_arrays_have_no_address(self, copy):
        x = Lent(xp.zeros((0, 3), device="cuda:0"))
        assert x.__cuda_array_interface__["data"][0] == 0
        y = xp.asarray(x, copy=copy)
        assert (y.shape, y.dtype, y.device.type) == ((0, 3), xp.float64, "cuda")
        assert xp.asarray(x, device="cpu").shape == (0, 3)

    def test_it_is_borrowed(self):
        memory = Memory([1.0, 2.0, 3.0], xp.Device(SECOND).index)
        x = xp.asarray(memory)
        assert x.device == SECOND
        assert not x.is_shared()
        assert not xp.is_shared(memory)
        assert repr(x) == f"Array([1., 2., 3.], dtype=float64, device='{SECOND}', private)"
        x[0] = 9
        assert memory.read().tolist() == [9.0, 2.0, 3.0]
        assert (x + 1).is_shared()
        assert not x[1:].is_shared()
        assert x.storage() is x[1:].storage()
        assert not x.storage().is_shared()
        with pytest.raises(ValueError, match="share_memory_"):
            x.handle()

    def test_is_shared_of_anybodys_arrays(self):
        x = xp.ones(2, device="cuda:0")
        assert xp.is_shared(x)
        assert xp.is_shared(Lent(x))
        assert xp.is_shared(Tensor(x))
        assert xp.is_shared(x.storage())

    def test_share_memory_moves_all_along(self):
        memory = Memory([[1.0, 2.0], [3.0, 4.0]])
        x = xp.asarray(memory)
        row, back, fixed = x[1], x[::-1, ::-1], x.readonly()
        again, storage = xp.asarray(memory), x.storage()
        assert x.share_memory_() is x
        for y in (x, row, back, fixed, again):
            assert y.is_shared()
        x[1, 0] = 7
        assert row.tolist() == [7.0, 4.0]
        assert back.tolist() == [[4.0, 7.0], [2.0, 1.0]]
        assert fixed.tolist() == again.tolist() == [[1.0, 2.0], [7.0, 4.0]]
        assert memory.read().tolist() == [[1.0, 2.0], [3.0, 4.0]]
        with pytest.raises(ValueError, match="read-only"):
            fixed[0] = 1
        assert x.storage() is row.storage()
        assert x.share_memory_() is x
        assert back.strides == (-16, -8)
        borrowed = xp.asarray(memory)
        assert not borrowed.is_shared()
        assert borrowed.storage() is not storage
        borrowed[0, 0] = 8
        assert (x.tolist()[0][0], memory.read().tolist()[0][0]) == (1.0, 8.0)

    def test_threads_share_it_once(self):
        with hasty():
            for _ in range(20):
                memory = Memory([1.0, 2.0, 3.0])
                arrays = together(lambda _, memory=memory: xp.asarray(memory))
                storages = [x.storage() for x in arrays]
                assert len(set(map(id, storages))) == 1
                where = together(lambda i, s=storages: s[i].share_memory_().data_ptr())
                assert set(where) == {storages[0].data_ptr()}
                arrays[0][2] = 5
                assert [float(x[2]) for x in arrays] == [5.0] * COUNT

    def test_threads_that_use_it_while_it_moves_see_all_of_it_move(self):
        uses = [
            lambda x: x.share_memory_(),
            lambda x: x[1:],
            lambda x: x.T,
            lambda x: x.reshape(2, -1),
            lambda x: xp.from_dlpack(x),
            lambda x: xp.from_handle(xp.Handle.from_bytes(bytes(x.handle()))),
            reshaped,
            lambda x: x.readonly(),
        ]
        with hasty():
            for _ in range(30):
                x, found = xp.asarray(Memory([1.0, 2.0, 3.0, 4.0])), []

                def run(use, x=x, found=found):
                    for _ in range(6):
                        try:
                            found.append(use(x))
                        except (BufferError, ValueError) as error:  # one is exported; not yet
                            assert "drop them first" in str(error) or "private" in str(error)

                at_once(*[functools.partial(run, use) for use in uses])
                if not x.is_shared():
                    continue
                x[3] = 7
                assert {float(y.reshape(-1)[-1]) for y in found} == {7.0}
                assert all(y.is_shared() and y.storage() is x.storage() for y in found)

    @pytest.mark.parametrize(
        ("call", "use"),
        [
            ("fill", lambda s: s.fill_(1)),
            ("copy_in", lambda s: s.__setitem__(slice(0, 2), b"ab")),
            ("copy_out", lambda s: s[0:2]),
        ],
    )
    def test_the_old_memory_stays_while_it_is_used(self, monkeypatch, call, use):
        memory = Memory([1.0, 2.0])
        storage, owner = xp.asarray(memory).storage(), weakref.ref(memory)
        before, alive = getattr(_cuda, call), []
        del memory

        def moving(*args):
            monkeypatch.undo()
            storage.share_memory_()  # as another thread may: the GIL is released there
            gc.collect()
            alive.append(owner() is not None)
            return before(*args)

        monkeypatch.setattr(_cuda, call, moving)
        use(storage)
        assert alive == [True]
        assert storage.is_shared()
        gc.collect()
        assert owner() is None

    def test_not_while_exports_live(self):
        x = xp.asarray(Memory([1.0, 2.0]))
        capsule = x.__dlpack__(max_version=(1, 0))
        with pytest.raises(BufferError, match="drop them first"):
            x.share_memory_()
        assert not x.is_shared()
        del capsule
        assert x.share_memory_().is_shared()


def test_cupy():
    x = xp.asarray([1.0, 2.0], device="cuda:0")
    if importlib.util.find_spec("cupy") is None:
        with pytest.raises(ImportError, match="sharedarray-xp"):
            x.cupy()
        return
    import cupy

    y = x[::-1].cupy()
    assert isinstance(y, cupy.ndarray)
    assert y.data.ptr == x.__cuda_array_interface__["data"][0] + 8
    assert (y.shape, y.strides, y.dtype) == ((2,), (-8,), np.float64)
    with pytest.raises(TypeError, match="read-only"):
        x.readonly().cupy()


class TestPickle:
    @pytest.mark.parametrize("protocol", range(2, 6))
    def test_by_value(self, protocol):
        x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=SECOND)
        for y in (x, x.T, x[:, ::-1], x[0], x[:0], x[0, 0]):
            z = pickle.loads(pickle.dumps(y, protocol))
            assert z.device == SECOND
            assert z.tolist() == y.tolist()
            assert z.dtype == y.dtype
            assert z.flags.writeable
        assert pickle.loads(pickle.dumps(x, protocol)).storage() is not x.storage()
        assert len(pickle.dumps(xp.zeros(100_000, device="cuda:0")[:2], protocol)) < 1000

    def test_equal_arrays_have_equal_bytes(self):
        x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device="cuda:0")
        assert pickle.dumps(x) == pickle.dumps(x.copy())
        assert pickle.dumps(x) == pickle.dumps(xp.asarray([[1.0, 2.0], [3.0, 4.0]]).cuda(0))
        assert pickle.dumps(x) != pickle.dumps(x.copy("F"))

    def test_buffers(self):
        x = xp.asarray([1.0, 2.0], device="cuda:0")
        buffers = []
        data = pickle.dumps(x, 5, buffer_callback=buffers.append)
        assert len(buffers) == 1
        assert pickle.loads(data, buffers=buffers).tolist() == [1.0, 2.0]

    def test_where_the_device_is_not_it_comes_to_the_cpu(self):
        restore, (_, *state) = xp.asarray([1.0, 2.0], device="cuda:0").__reduce__()
        x = restore("cuda:7", *state)
        assert x.device == "cpu"
        assert x.tolist() == [1.0, 2.0]

    def test_copies(self):
        x = xp.asarray([[1.0, 2.0]], device=SECOND)
        for y in (copy.copy(x), copy.deepcopy(x), x.copy(), x.clone(), copy.copy(x.T).T):
            y[0, 0] = 9
            assert y.device == SECOND
            assert y.storage() is not x.storage()
        assert x.tolist() == [[1.0, 2.0]]
        kept = {"a": x, "b": [x]}
        new = copy.deepcopy(kept)
        assert new["a"].device == SECOND


class TestSharing:
    def test_everything_made_here_is_shared(self):
        x = xp.zeros((2, 3), device="cuda:0")
        for y in (x, x[0], x[:0], x.T, x + 1, x.sum(), x[0, 0], xp.empty((), device="cuda:0")):
            assert y.is_shared()
            assert y.share_memory_() is y

    def test_storage(self):
        x = xp.asarray([1, 2], dtype=xp.uint8, device=SECOND)
        s = x.storage()
        assert s is x[1:].storage()
        assert s.device == SECOND
        assert s.data_ptr() == x.__cuda_array_interface__["data"][0]
        assert xp.device_of(s) == SECOND
        for take in (np.asarray, np.array, memoryview, bytes):
            with pytest.raises(TypeError, match="has no buffer"):
                take(s)

    def test_a_storage_has_no_buffer(self):
        s = xp.Storage(8, device="cuda:0")
        for use in (bytes, memoryview, np.asarray, xp.frombuffer):
            with pytest.raises(TypeError, match="on cuda:0 has no buffer; slices"):
                use(s)

    def test_every_other_byte_is_written_and_none_between_is_read(self, monkeypatch):
        s = xp.Storage(6, device=SECOND)
        s[:] = b"abcdef"

        def nothing_is_read(*args):
            raise AssertionError(args)

        monkeypatch.setattr(_cuda, "copy_out", nothing_is_read)
        s[::2] = b"XYZ"
        s[4::-3] = bytearray(b"12")
        s[1::9] = 33
        monkeypatch.undo()
        assert s[:] == b"X!Yd1f"

    def test_handle(self):
        x = xp.asarray([1.0, 2.0], device="cuda:0")
        y = xp.from_handle(xp.Handle.from_bytes(bytes(x[::-1].handle())))
        y[0] = 5
        assert x.tolist() == [1.0, 5.0]
        assert y.device == "cuda:0"
        with pytest.raises(ValueError, match="read-only"):
            operator.setitem(xp.from_handle(x.readonly().handle()), 0, 1)

    def test_device_of(self):
        x = xp.ones(2, device=SECOND)
        with xp.device_of(x):
            assert xp.zeros(3).device == x.device
        assert xp.ones(2).to_device(xp.device_of(x)).device == SECOND
        assert str(xp.device_of(x)) == SECOND
        assert xp.device_of(Lent(x).kept) == SECOND
