"""DLPack 1.0: capsules made and consumed, versioned and not, and hostile ones refused."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

import sharedarray as xp

from .conftest import STANDARD

VERSION = {"max_version": (1, 0)}


class Device(ctypes.Structure):
    """DLDevice."""

    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class Type(ctypes.Structure):
    """DLDataType."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Legacy(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", Tensor), ("manager", ctypes.c_void_p), ("deleter", DELETER))


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
NAMES = {Legacy: b"dltensor", Versioned: b"dltensor_versioned"}


def contents(capsule):
    """Return the struct in a capsule of ours."""
    name = api.PyCapsule_GetName(capsule)
    kind = Versioned if name.endswith(b"versioned") else Legacy
    managed = kind.from_address(api.PyCapsule_GetPointer(capsule, name))
    managed.capsule = capsule  # it must live as long
    return managed


class Producer:
    """A library that exports four float64 in a 2 x 2 array, altered as a test likes."""

    def __init__(self, kind=Versioned, device=(1, 0), name=None, **changes):
        self.memory = (ctypes.c_double * 16)(*range(16))
        self.shape = (ctypes.c_int64 * 64)(2, 2, *[1] * 62)
        self.strides = (ctypes.c_int64 * 64)(2, 1, *[1] * 62)
        self.deleted = 0
        self.device = device
        self.options = None
        managed = self.managed = kind()
        managed.deleter = self.callback = DELETER(self._delete)
        if kind is Versioned:
            managed.major, managed.minor = changes.pop("version", (1, 0))
            managed.flags = changes.pop("flags", 0)
        tensor = managed.tensor
        tensor.data = ctypes.addressof(self.memory)
        tensor.device = Device(*changes.pop("tensor_device", (1, 0)))
        tensor.ndim = 2
        tensor.dtype = Type(*changes.pop("dtype", (2, 64, 1)))
        for field in ("shape", "strides"):
            values = changes.pop(field, 0)
            if values is None:
                continue
            if values:
                getattr(self, field)[: len(values)] = values
            setattr(
                tensor, field, ctypes.cast(getattr(self, field), ctypes.POINTER(ctypes.c_int64))
            )
        for field, value in changes.items():
            setattr(tensor, field, value)
        self.capsule = api.PyCapsule_New(ctypes.addressof(managed), name or NAMES[kind], None)

    def _delete(self, pointer):
        self.deleted += 1

    def __dlpack_device__(self):
        """Say where the memory is."""
        return self.device

    def __dlpack__(self, **options):
        """Give the capsule, always the same."""
        self.options = options
        return self.capsule


@pytest.mark.parametrize("dtype", [*STANDARD, "float16"])
@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (1, 1), (2, 0)])
def test_capsules_describe_the_array(dtype, max_version):
    """Pointer, shape, strides in elements, type, device, version, flags."""
    x = xp.zeros((3, 4), dtype=dtype)[1:, ::2]
    managed = contents(x.__dlpack__(max_version=max_version))
    tensor = managed.tensor
    assert isinstance(managed, Versioned) == (max_version is not None and max_version >= (1, 0))
    if isinstance(managed, Versioned):
        assert (managed.major, managed.minor, managed.flags) == (1, 0, 0)
    assert tensor.data + tensor.byte_offset == x.ctypes.data
    assert (tensor.device.type, tensor.device.id, tensor.ndim) == (1, 0, 2)
    assert tensor.shape[:2] == [2, 2]
    assert tensor.strides[:2] == [4, 2]
    code = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}[x.dtype.kind]
    assert (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) == (
        code,
        8 * x.dtype.itemsize,
        1,
    )
    assert x.__dlpack_device__() == (1, 0)


def test_numpy_and_back():
    """``np.from_dlpack`` and ``xp.from_dlpack`` see the same bytes."""
    x = xp.arange(4)
    a = np.from_dlpack(x)
    a[0] = 9
    y = xp.from_dlpack(a)
    y[1] = 8
    assert x.tolist() == [9, 8, 2, 3]
    assert y.is_shared()
    assert xp.from_dlpack(x).storage() is x.storage()
    assert not np.shares_memory(np.from_dlpack(x, copy=True), a)
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), a)
    private = np.arange(3)
    z = xp.from_dlpack(private)
    assert not z.is_shared()
    z.share_memory_()
    assert z.is_shared()
    z[0] = 5
    assert private.tolist() == [0, 1, 2]


def test_read_only_needs_a_versioned_capsule():
    """The flag says read-only; an older consumer gets a BufferError, or a copy."""
    r = xp.arange(3).readonly()
    assert contents(r.__dlpack__(**VERSION)).flags == 1
    assert not np.from_dlpack(r).flags.writeable
    assert not xp.from_dlpack(np.asarray(r)).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        r.__dlpack__()
    copy = contents(r.__dlpack__(copy=True, **VERSION))
    assert copy.flags == 2
    assert isinstance(contents(r.__dlpack__(copy=True)), Legacy)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"stream": 1}, ValueError),
        ({"dl_device": (2, 0)}, BufferError),
        ({"max_version": 1}, TypeError),
        ({"max_version": (1,)}, TypeError),
        ({"max_version": ("1", 0)}, TypeError),
        ({"dl_device": 1}, TypeError),
        ({"dl_device": (1,)}, TypeError),
        ({"dl_device": "cpu"}, TypeError),
    ],
)
def test_export_options_that_cannot_be_met(options, error):
    """An exception that consumers catch, never another."""
    with pytest.raises(error):
        xp.ones(3).__dlpack__(**options)
    assert xp.ones(3).__dlpack__(dl_device=(1, 0), stream=None, copy=False) is not None


@pytest.mark.parametrize("dtype", ["M8[s]", "S3", "U3", [("a", "i4")], ">f8", "longdouble"])
def test_dtypes_dlpack_does_not_know(dtype):
    """A BufferError."""
    with pytest.raises(BufferError, match="DLPack"):
        xp.zeros(3, dtype=dtype).__dlpack__(**VERSION)


def test_strides_that_are_no_elements():
    """A BufferError: fields of structured arrays may lie anywhere."""
    x = xp.zeros(3, dtype=np.dtype([("a", "f8"), ("b", "i1")]))["a"]
    with pytest.raises(BufferError, match="strides"):
        x.__dlpack__(**VERSION)


@pytest.mark.parametrize("options", [{}, VERSION])
def test_exports_keep_the_memory(options):
    """Until the consumer, or the unconsumed capsule, is gone."""
    x = xp.ones(1000)
    capsule = x.__dlpack__(**options)
    with xp.memory("private"):
        p = xp.ones(3)
    held = p.__dlpack__(**options)
    with pytest.raises(BufferError):
        p.share_memory_()
    assert not p.is_shared()
    del held
    gc.collect()
    assert p.share_memory_().is_shared()
    del x
    tensor = contents(capsule).tensor
    assert ctypes.c_double.from_address(tensor.data).value == 1.0


@pytest.mark.parametrize("kind", [Versioned, Legacy])
def test_consuming(kind):
    """Zero-copy; the capsule is used up; the deleter runs once, when the last view is gone."""
    p = Producer(kind)
    x = xp.from_dlpack(p)
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert api.PyCapsule_GetName(p.capsule) == b"used_" + NAMES[kind]
    assert x.flags.writeable == (kind is Versioned)
    p.memory[0] = 7
    assert float(x[0, 0]) == 7.0
    row = x[1]
    del x
    gc.collect()
    assert p.deleted == 0
    assert row.tolist() == [2.0, 3.0]
    del row
    gc.collect()
    assert p.deleted == 1
    with pytest.raises(BufferError, match="consumed"):
        xp.from_dlpack(p)


def test_consuming_without_strides_and_with_an_offset():
    """No strides: C order; the offset counts bytes."""
    x = xp.from_dlpack(Producer(strides=None, byte_offset=16))
    assert x.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    x = xp.from_dlpack(Producer(strides=[-2, 1], byte_offset=16))
    assert x.tolist() == [[2.0, 3.0], [0.0, 1.0]]
    assert xp.from_dlpack(Producer(shape=[2, 0], data=None)).shape == (2, 0)
    assert xp.from_dlpack(Producer(ndim=0, shape=None, strides=None)).shape == ()


def test_read_only_and_copies():
    """The read-only flag is obeyed; ``copy=True`` gives memory of our own, writable."""
    assert not xp.from_dlpack(Producer(flags=1)).flags.writeable
    p = Producer(flags=1)
    x = xp.from_dlpack(p, copy=True)
    assert x.flags.writeable
    assert x.is_shared()
    assert p.deleted == 1
    assert p.options == {"max_version": (1, 0), "copy": True}
    assert Producer(flags=1).options is None


@pytest.mark.parametrize(
    "changes",
    [
        {"version": (2, 0)},
        {"tensor_device": (2, 0)},
        {"tensor_device": (-5, 0)},
        {"dtype": (2, 64, 2)},
        {"dtype": (2, 64, 0)},
        {"dtype": (4, 16, 1)},
        {"dtype": (2, 128, 1)},
        {"dtype": (99, 8, 1)},
        {"dtype": (0, 0, 1)},
        {"dtype": (3, 64, 1)},
        {"ndim": -1},
        {"ndim": 65},
        {"ndim": 2**31 - 1},
        {"shape": None},
        {"shape": [-1, 2]},
        {"shape": [2**40, 2**40]},
        {"shape": [2**62, 2]},
        {"strides": [2**62, 1]},
        {"strides": [-(2**63), 1]},
        {"data": None},
        {"shape": [2**61, 1], "strides": [1, 1]},
        {"name": b"something"},
        {"name": b"used_dltensor"},
        {"shape": [2**60, 2], "strides": [0, 2**60]},
    ],
)
def test_hostile_capsules(changes):
    """A BufferError, nothing consumed, nothing deleted."""
    p = Producer(**changes)
    with pytest.raises(BufferError):
        xp.from_dlpack(p)
    assert p.deleted == 0
    assert not api.PyCapsule_GetName(p.capsule).startswith(b"used_dltensor_")


def test_what_is_no_producer():
    """A TypeError or a BufferError."""

    class Half:
        """Has a device and no capsule."""

        def __dlpack_device__(self):
            """Say the CPU."""
            return (1, 0)

    class Wrong(Half):
        """Gives something else than a capsule."""

        def __dlpack__(self, **options):
            """Give an int."""
            return 5

    class Odd(Producer):
        """Lies about its device."""

        def __dlpack_device__(self):
            """Give something else than a tuple of two."""
            return 3

    for thing in (3, [1.0], Half(), Producer().capsule):
        with pytest.raises(AttributeError, match="__dlpack_device__"):
            xp.from_dlpack(thing)
    for thing in (Wrong(), Odd()):
        with pytest.raises(BufferError):
            xp.from_dlpack(thing)


def test_producers_from_before_the_first_version():
    """They take no options."""

    class Old(Producer):
        """Takes a stream and nothing else."""

        def __dlpack__(self, stream=None):
            """Give the capsule."""
            return self.capsule

    assert xp.from_dlpack(Old(Legacy)).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    x = xp.from_dlpack(Old(Legacy), copy=True)
    assert x.flags.writeable
    assert x.is_shared()


def test_other_devices():
    """A copy on the CPU if asked for and not forbidden."""
    p = Producer(device=(2, 0))
    with pytest.raises(BufferError):
        xp.from_dlpack(p, device="cpu", copy=False)
    with pytest.raises(xp.DeviceError):
        xp.from_dlpack(p)
    x = xp.from_dlpack(p, device="cpu")
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert p.options == {"max_version": (1, 0), "dl_device": (1, 0)}
    with pytest.raises(xp.DeviceError):
        xp.from_dlpack(xp.ones(3), device="cuda:7")


def test_lifetime_of_the_producer():
    """The tensor belongs to the producer, who may go before it."""
    a = np.ones(1000)
    ref = weakref.ref(a)
    x = xp.from_dlpack(a)
    del a
    gc.collect()
    assert ref() is not None
    assert float(x.sum()) == 1000.0
    del x
    gc.collect()
    assert ref() is None
