"""`asarray`, `array` and `frombuffer`: copied, adopted, or borrowed."""

import array as arrays

import numpy as np
import pytest

import sharedarray as xp


def test_an_array_comes_back_as_it_is():
    x = xp.ones(3)
    assert xp.asarray(x) is x
    assert xp.asarray(x, dtype=xp.float64) is x
    assert xp.asarray(x, device="cpu") is x
    assert xp.asarray(x, copy=False) is x
    copy = xp.asarray(x, copy=True)
    assert copy is not x
    assert not xp.shares_memory(copy, x)
    with xp.memory("private"):
        y = xp.ones(3)
    assert xp.asarray(y) is y
    assert not y.is_shared()


def test_another_type_is_a_copy():
    x = xp.ones(3)
    assert xp.asarray(x, dtype=xp.float32).dtype == np.dtype("float32")
    with pytest.raises(ValueError):
        xp.asarray(x, dtype=xp.float32, copy=False)


@pytest.mark.parametrize(
    "source",
    [
        np.arange(4.0),
        np.float32(3),
        np.arange(4.0)[::2],
        memoryview(np.arange(4.0)),
        arrays.array("d", [1.0, 2.0]),
        bytearray(b"abcd"),
        3,
        2.5,
        True,
        1j,
        [1, 2],
        [[1.0], [2.0]],
        (1, 2),
        [np.arange(2), np.arange(2)],
        np.zeros((0, 3)),
        range(3),
    ],
    ids=lambda s: type(s).__name__,
)
def test_values_are_copied_into_shared_memory(source):
    x = xp.asarray(source)
    expected = np.asarray(source)
    assert x.is_shared()
    assert (x.dtype, x.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(np.asarray(x), expected)
    if isinstance(source, np.ndarray):
        assert not np.shares_memory(np.asarray(x), source)


def test_memory_of_ours_is_adopted():
    x = xp.arange(6.0)
    for memory in (x.numpy(), x.numpy()[2:], memoryview(x)):
        again = xp.asarray(memory)
        assert again.is_shared()
        assert xp.shares_memory(again, x)
        assert again.storage() is x.storage()
    with xp.capture_numpy():
        born = np.arange(5.0)
    adopted = xp.asarray(born)
    assert adopted.is_shared()
    adopted[0] = 7.0
    assert born[0] == 7.0


def test_copy_false_borrows():
    source = np.zeros(4)
    x = xp.asarray(source, copy=False)
    assert not x.is_shared()
    x[0] = 5.0
    assert source[0] == 5.0
    y = xp.asarray(bytearray(4), copy=False)
    assert y.shape == (4,)
    for bad in ([1, 2], 3, (1.0,)):
        with pytest.raises(ValueError, match="copy=False"):
            xp.asarray(bad, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(source, dtype=xp.float32, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(np.zeros((2, 3)), order="F", copy=False)
    readonly = np.zeros(3)
    readonly.flags.writeable = False
    with pytest.raises(ValueError):
        xp.asarray(readonly, copy=False)[0] = 1.0


def test_private_mode():
    with xp.memory("private"):
        for x in (
            xp.asarray(np.zeros(3)),
            xp.asarray([1.0]),
            xp.zeros(3),
            xp.sin(xp.ones(3)),
            xp.sum(xp.ones(3)),
            xp.concat([xp.ones(1), xp.ones(1)]),
            xp.arange(3),
        ):
            assert not x.is_shared()
    assert xp.zeros(3).is_shared()


def test_layout_and_dimensions():
    f = xp.asarray([[1, 2], [3, 4]], order="F")
    assert f.flags.f_contiguous
    assert xp.array([1, 2], ndmin=3).shape == (1, 1, 2)
    assert xp.array(5).shape == ()
    x = xp.ones(2)
    assert xp.array(x) is not x
    assert xp.array(x, copy=False) is x
    assert xp.array(x, copy=None) is x
    assert xp.array([1, 2], float).dtype == np.dtype("float64")
    assert xp.array(["a"]).dtype == np.dtype("U1")


def test_frombuffer():
    buffer = bytearray(b"\0" * 16)
    x = xp.frombuffer(buffer)
    assert (x.dtype, x.shape, x.is_shared()) == (np.dtype("float64"), (2,), False)
    x[0] = 1.0
    assert buffer[:8] != b"\0" * 8
    assert xp.frombuffer(b"abc", xp.uint8, 2, 1).tolist() == [98, 99]
    assert xp.frombuffer(xp.ones(4), dtype=xp.float64).is_shared()
    with pytest.raises(ValueError):
        xp.frombuffer(b"abc")


def test_devices():
    assert xp.zeros(2, device=xp.Device("cpu")).device == "cpu"
    for make in (
        lambda d: xp.zeros(2, device=d),
        lambda d: xp.asarray([1], device=d),
        lambda d: xp.arange(2, device=d),
        lambda d: xp.ones_like(xp.ones(1), device=d),
        lambda d: xp.asarray(xp.ones(1), device=d),
        lambda d: xp.linspace(0, 1, 2, device=d),
        lambda d: xp.astype(xp.ones(1), xp.int8, device=d),
        lambda d: xp.fft.fftfreq(3, device=d),
    ):
        assert make("cpu").is_shared()
        with pytest.raises(ValueError):
            make("cpu:0")
        with pytest.raises(TypeError):
            make(7)
        if not xp.cuda.is_available():
            with pytest.raises(xp.DeviceError):
                make("cuda:0")


def test_is_shared_of_anything():
    x = xp.ones(3)
    for obj in (x, x.storage(), x.numpy(), memoryview(x), x[1:], xp.zeros(0), x.numpy()[:0]):
        assert xp.is_shared(obj)
    for obj in (np.ones(3), memoryview(b"abc"), xp.asarray(np.ones(3), copy=False), bytearray(3)):
        assert not xp.is_shared(obj)
    for obj in (3, b"abc", "abc", [1], None, np.float64(1), object()):
        with pytest.raises(TypeError, match="is_shared"):
            xp.is_shared(obj)

    class Other:
        def __dlpack__(self):
            raise BufferError("elsewhere")

        def is_shared(self):
            return True

    assert xp.is_shared(Other())


@pytest.mark.parametrize("dtype", [object, [("a", "i4"), ("b", object)], np.dtypes.StringDType()])
def test_frombuffer_refuses_objects(dtype):
    with pytest.raises(TypeError, match="objects"):
        xp.frombuffer(bytearray(64), dtype=dtype)
