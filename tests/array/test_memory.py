"""Where memory is: shared, private, borrowed; sharing in place; read-only views; lost Arrays."""

import gc
import weakref

import numpy as np
import pytest

import sharedarray as xp

VIEWS = {
    "whole": lambda x: x,
    "slice": lambda x: x[1:],
    "row": lambda x: x[0],
    "T": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "empty": lambda x: x[5:],
    "element": lambda x: x[0, 0, ...],
    "reshape": lambda x: x.reshape(-1),
    "function": lambda x: xp.reshape(x, (-1,)),
    "broadcast": lambda x: xp.broadcast_to(x, (2, 2, 3)),
    "view": lambda x: x.view(),
    "bytes": lambda x: x.view(xp.uint8),
    "readonly": lambda x: x.readonly(),
}


def make(mode):
    """Return a 2 x 3 Array in memory of that kind."""
    if mode == "borrowed":
        return xp.asarray(np.arange(6.0).reshape(2, 3), copy=False)
    with xp.memory(mode):
        return xp.asarray(np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", ["shared", "private", "borrowed"])
def test_is_shared_of_views(kind, view):
    """Views are shared exactly if their storage is, and have the same one."""
    x = make(kind)
    y = VIEWS[view](x)
    assert y.is_shared() == x.is_shared() == (kind == "shared")
    assert y.storage() is x.storage()
    assert xp.is_shared(y) == y.is_shared()
    assert ("shared" if kind == "shared" else "private") in repr(y)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", ["private", "borrowed"])
def test_share_memory_moves_all_arrays_of_the_storage(kind, view):
    """Every view moves along, keeps values, strides and writability, and still aliases."""
    x = make(kind)
    y = VIEWS[view](x)
    before = (y.tolist(), y.strides, y.shape, y.flags.writeable)
    assert y.share_memory_() is y
    assert x.is_shared()
    assert y.is_shared()
    assert x.storage() is y.storage()
    assert (y.tolist(), y.strides, y.shape, y.flags.writeable) == before
    assert x.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    x += 100
    assert y.size == 0 or view == "bytes" or float(y.min()) >= 100
    assert x.share_memory_() is x


def test_share_memory_of_shared_arrays_changes_nothing():
    """A no-op, also while exports are alive."""
    x = xp.arange(3)
    a = x.numpy()
    assert x.share_memory_() is x
    a[0] = 9
    assert int(x[0]) == 9


@pytest.mark.parametrize(
    "export",
    [
        lambda x: x.numpy(),
        np.asarray,
        memoryview,
        np.from_dlpack,
        lambda x: x.numpy()[1:],
        lambda x: x.__dlpack__(max_version=(1, 0)),
        lambda x: x.flat,
        lambda x: x.ctypes,
        lambda x: x.data,
        lambda x: np.asarray(x[1:]),
        lambda x: x.__array_interface__,
    ],
)
def test_exports_of_private_memory_forbid_moving(export):
    """BufferError, and nothing changed, until the export is gone."""
    x = make("private")
    y = x[0]
    exported = export(x)
    with pytest.raises(BufferError):
        y.share_memory_()
    assert not x.is_shared()
    assert not y.is_shared()
    del exported
    gc.collect()
    assert y.share_memory_().is_shared()
    assert x.is_shared()


def test_lenders_keep_their_memory():
    """The array that memory was borrowed from is no export."""
    a = np.arange(6.0)
    x = xp.asarray(a, copy=False)
    y = xp.asarray(a, copy=False)
    x[0] = 9
    assert (a[0], float(y[0])) == (9.0, 9.0)
    x.share_memory_()
    x[1] = 8
    assert a[1] == 1.0
    assert y.is_shared()
    assert float(y[1]) == 8.0


def test_arrays_that_ended_are_not_moved():
    """Views come and go; only the living move."""
    x = make("private")
    for _ in range(1000):
        x[0]
    y = x[1]
    x.share_memory_()
    y[...] = 7
    assert x.tolist()[1] == [7.0] * 3


def test_memory_is_freed():
    """Arrays, views and exports keep memory, and nothing else does."""
    x = xp.ones(1000)
    view = x[1:]
    a = view.numpy()
    storage = weakref.ref(x.storage())
    ref = weakref.ref(x)
    del x, view
    gc.collect()
    assert ref() is None
    assert storage() is not None
    assert a.sum() == 999
    del a
    gc.collect()
    assert storage() is None


def test_readonly_views():
    """Not writable by any way in; the original stays writable, and shows through."""
    x = xp.zeros(4)
    r = x.readonly()
    for write in (
        lambda: r.__setitem__(0, 1),
        lambda: r.fill(1),
        lambda: r.fill_(1),
        lambda: r.sort(),
        lambda: r.setflags(write=True),
        lambda: r.put(0, 1),
        lambda: r.zero_(),
        lambda: r.copy_([1, 2, 3, 4]),
        lambda: setattr(r.flags, "writeable", True),
        lambda: r.numpy().__setitem__(0, 1),
        lambda: r[1:].__setitem__(0, 1),
        lambda: r.reshape(2, 2).__setitem__(0, 1),
        lambda: np.add(r, 1, out=r),
        lambda: r.view(xp.int64).__setitem__(0, 1),
        lambda: r.flat.__setitem__(0, 1),
        lambda: r.byteswap(inplace=True),
        lambda: xp.from_dlpack(r).__setitem__(0, 1),
        lambda: setattr(r, "real", 1),
        lambda: setattr(r, "flat", 1),
        lambda: r.partition(1),
        lambda: r.setfield(1, float),
        lambda: np.copyto(r, 1),
        lambda: r.__iadd__(1),
    ):
        with pytest.raises((ValueError, TypeError)):
            write()
    assert x.tolist() == [0.0] * 4
    assert memoryview(r).readonly
    x[0] = 5
    assert float(r[0]) == 5.0
    assert r.storage() is x.storage()
    copy = r.copy()
    copy[0] = 1


def test_flags_can_be_cleared_and_not_set():
    """``x.flags.writeable = False`` works, and is final."""
    x = xp.zeros(2)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.flags.writeable = True
    with pytest.raises(ValueError, match="read-only"):
        x.setflags(write=True)
    assert x.flags["C_CONTIGUOUS"]
    assert not x.flags.writeable


@pytest.mark.parametrize(
    "dtype",
    [
        object,
        np.dtypes.StringDType(),
        [("a", object)],
        [("a", "i4"), ("b", [("c", object)])],
    ],
)
def test_dtypes_that_hold_objects(dtype):
    """A TypeError wherever an Array would be made."""
    x = xp.zeros(3)
    for create in (
        lambda: xp.zeros(3, dtype=dtype),
        lambda: xp.ndarray(3, dtype),
        lambda: xp.asarray(np.zeros(3, dtype)),
        lambda: xp.asarray(np.zeros(3, dtype), copy=False),
        lambda: x.astype(dtype),
        lambda: x.view(dtype),
        lambda: np.zeros_like(x, dtype=dtype),
    ):
        with pytest.raises(TypeError):
            create()


def test_calling_the_class():
    """The low-level constructor has NumPy's parameters, and borrows buffers."""
    x = xp.ndarray((2, 3), dtype=xp.int16, order="F")
    assert (x.shape, x.dtype, x.flags.f_contiguous, x.is_shared()) == ((2, 3), np.int16, True, True)
    memory = bytearray(32)
    y = xp.ndarray(2, xp.int64, memory, offset=8)
    y[...] = 1
    assert memory[8] == memory[16] == 1
    assert not y.is_shared()
    z = xp.ndarray((2,), xp.uint8, buffer=x)
    assert z.is_shared()
    assert z.storage() is x.storage()
    with pytest.raises(TypeError):
        xp.ndarray(100, xp.int64, memory)
    with pytest.raises(TypeError):
        x.__init__(3)
    bare = xp.Array.__new__(xp.Array)
    for use in (lambda: bare + 1, lambda: bare.shape, lambda: bare.numpy(), lambda: bare[0]):
        with pytest.raises(TypeError, match="initialised"):
            use()
    assert "never" in repr(bare)


def test_large_results_of_every_kind_are_shared():
    """Also where NumPy allocates by other ways."""
    x = xp.asarray(np.random.default_rng(1).random(10_000))
    for result in (
        x.sort() or x,
        x.argsort(),
        x.astype(int),
        x.cumsum(),
        x.reshape(100, 100) @ x.reshape(100, 100),
        x.repeat(2),
        x.nonzero()[0],
        x.round(2),
        x.take([1, 2]),
        x[x > 0.5],
        x.searchsorted([0.5]),
        x.copy(),
        x.flatten(),
        x.imag,
        (x + 1j).real,
        x.astype(int).choose([1, 2], mode="clip"),
        x.compress([True]),
        x.trace() if x.ndim > 1 else x.sum(),
        x.conj(),
        x.byteswap(),
        np.sort(x),
        np.unique(x),
        x.argpartition(5),
        x.dot(x),
        x.clip(0, 1),
    ):
        assert type(result) is xp.Array
        assert result.is_shared()


def lost():
    """Return an Array that arrived and could not be opened."""
    from sharedarray import _array

    return _array.lost_array((2, 3), np.dtype("f4"), "cpu", False, "the sender ended")


def test_what_is_known_of_lost_arrays():
    """Shape, dtype, device and repr work; the repr says why; it is not shared."""
    x = lost()
    assert (x.shape, x.dtype, x.ndim, x.size) == ((2, 3), np.float32, 2, 6)
    assert (x.nbytes, x.itemsize, x.is_cuda) == (24, 4, False)
    assert x.device == "cpu"
    assert not x.is_shared()
    assert not xp.is_shared(x)
    for text in (repr(x), str(x), x._repr_html_(), f"{x}"):
        assert "the sender ended" in text
    assert "shape=(2, 3), dtype=float32, device='cpu'" in repr(x)
    assert type(x) is xp.Array


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x + 1,
        lambda x: 1 + x,
        lambda x: -x,
        lambda x: x == x,
        lambda x: x[0],
        lambda x: x[0, 0],
        lambda x: x[:1],
        lambda x: x.__setitem__(0, 1),
        lambda x: list(x),
        bool,
        lambda x: np.asarray(x),
        memoryview,
        lambda x: np.sin(x),
        lambda x: np.mean(x),
        lambda x: xp.sum(x),
        lambda x: x.sum(),
        lambda x: x.numpy(),
        lambda x: x.storage(),
        lambda x: x.handle(),
        lambda x: x.share_memory_(),
        lambda x: x.copy(),
        lambda x: x.T,
        lambda x: x.tolist(),
        lambda x: x.__dlpack__(),
        lambda x: x.__iadd__(1),
        lambda x: x.readonly(),
        lambda x: x.__reduce_ex__(5),
        lambda x: x.flags,
        lambda x: x.flat,
        lambda x: x.to_device("cpu"),
        lambda x: xp.asarray([x]),
        lambda x: xp.ones((2, 3)) + x,
        lambda x: xp.ones(3)[x],
        lambda x: xp.ones(3).__setitem__(0, x),
        lambda x: x.strides,
        lambda x: x.__copy__(),
        lambda x: np.concatenate([x, x]),
        lambda x: x.fill_(1),
        lambda x: x.__array_interface__,
        lambda x: x.reshape(-1),
        lambda x: x.data,
        lambda x: x in xp.ones(3),
        lambda x: round(x),
        lambda x: x.__dlpack_device__(),
        lambda x: np.from_dlpack(x),
        lambda x: xp.from_dlpack(x),
    ],
)
def test_use_of_lost_arrays(use):
    """Every use of the data, sending on and pickling included, raises the reason."""
    with pytest.raises(xp.HandleError, match="the sender ended"):
        use(lost())


KNOWN = {"shape", "dtype", "device", "ndim", "size", "itemsize", "nbytes", "is_cuda", "is_shared"}
ARGUMENTS = {
    **dict.fromkeys(["argpartition", "fill", "fill_", "item", "partition", "searchsorted"], (1,)),
    **dict.fromkeys(["astype", "getfield", "view"], ("f4",)),
    **dict.fromkeys(["choose", "compress", "copy_", "dot"], ([1],)),
    **dict.fromkeys(["repeat", "take", "reshape"], (6,)),
    **dict.fromkeys(["put", "swapaxes"], (0, 1)),
    "setfield": (1, "f4"),
    "to_device": ("cpu",),
    "tofile": ("nowhere",),
    "setflags": (True,),
}


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_every_member_of_lost_arrays(device):
    """All but what is known of them raise the reason, whatever the device was."""
    from sharedarray import _array

    x = _array.lost_array((2, 3), np.dtype("f4"), device, False, "the sender ended")
    names = {name for name in dir(xp.Array) if not name.startswith("_")}
    assert set(ARGUMENTS) | KNOWN <= names
    for name in names - KNOWN:
        with pytest.raises(xp.HandleError, match="the sender ended"):
            getattr(x, name)(*ARGUMENTS.get(name, ()))


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: xp.lib.stride_tricks.as_strided(x, (2,), (8,)),
        lambda x: xp.lib.stride_tricks.as_strided(x),
        lambda x: xp.lib.stride_tricks.sliding_window_view(x, 2)[0],
        lambda x: np.lib.stride_tricks.as_strided(x, (2,), (8,)),
    ],
)
def test_views_by_strides_of_private_memory_are_views(view, inside):
    """They write to it, and go along to shared memory."""
    with xp.memory("private"):
        x = xp.zeros(4)
        y = view(x) if inside else None
    y = view(x) if y is None else y
    x[0] = 3.0
    assert float(y[0]) == 3.0
    if isinstance(y, xp.Array):
        assert y.storage() is x.storage()
        x.share_memory_()
        x[0] = 4.0
        assert (float(y[0]), y.is_shared()) == (4.0, True)


def test_a_scope_that_was_not_entered():
    with pytest.raises(RuntimeError, match="left more often than entered"):
        xp.memory("private").__exit__(None, None, None)
