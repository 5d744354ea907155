"""Methods and attributes are ndarray's, and PyTorch's spellings."""

import inspect
import pickle

import cloudpickle
import numpy as np
import pytest

import sharedarray as xp

A = np.asarray([[3.0, 1.5, 2.25], [6.0, -5.0, 4.0]])
I = np.asarray([[2, 0, 1], [1, 1, 0]])  # noqa: E741

CALLS = [
    ("all", ()),
    ("any", (0,)),
    ("argmax", ()),
    ("argmin", (1,)),
    ("argpartition", (1,)),
    ("argsort", (0,)),
    ("astype", ("f4",)),
    ("byteswap", ()),
    ("clip", (0, 3)),
    ("clip", (None, 2)),
    ("compress", ([True, False], 0)),
    ("conj", ()),
    ("conjugate", ()),
    ("copy", ("F",)),
    ("cumprod", (1,)),
    ("cumsum", ()),
    ("diagonal", (1,)),
    ("dot", (A.T,)),
    ("flatten", ("F",)),
    ("getfield", ("i4", 4)),
    ("max", (1,)),
    ("mean", (0,)),
    ("min", ()),
    ("nonzero", ()),
    ("prod", ()),
    ("ravel", ("K",)),
    ("repeat", (2, 1)),
    ("reshape", (3, 2)),
    ("reshape", ((6,),)),
    ("round", (1,)),
    ("squeeze", ()),
    ("std", ()),
    ("sum", (1,)),
    ("swapaxes", (0, 1)),
    ("take", ([0, 5],)),
    ("trace", ()),
    ("transpose", (1, 0)),
    ("transpose", ()),
    ("var", (0,)),
    ("view", ("i8",)),
    ("item", (4,)),
    ("item", ((1, 2),)),
    ("tolist", ()),
    ("tobytes", ("F",)),
    ("copy", ()),
    ("reshape", (7,)),
    ("sum", (5,)),
    ("take", ([99],)),
    ("item", ()),
]
KEYWORDS = [
    ("sum", {"axis": 0, "keepdims": True}),
    ("sum", {"dtype": "f4", "initial": 3}),
    ("sum", {"where": A > 0}),
    ("max", {"initial": 100}),
    ("min", {"where": A > 0, "initial": 9}),
    ("mean", {"keepdims": True}),
    ("std", {"ddof": 1}),
    ("var", {"axis": 1, "ddof": 1}),
    ("argmax", {"axis": 1, "keepdims": True}),
    ("reshape", {"order": "F"}),
    ("argsort", {"stable": True}),
    ("std", {"mean": A.mean(keepdims=True)}),
    ("any", {"axis": 0, "keepdims": True}),
    ("all", {"where": A > 9}),
    ("prod", {"axis": 1, "initial": 2.0}),
    ("clip", {"min": 1, "max": A}),
]


def compare(function):
    """Compare a call on an Array with the same on an ndarray."""
    a, x = A.copy(), xp.asarray(A)
    try:
        expected = function(a)
    except Exception as error:
        with pytest.raises(type(error)):
            function(x)
        return
    got = function(x)
    assert_equal(got, expected)
    if isinstance(expected, np.ndarray):
        assert got.strides == expected.strides
        assert np.shares_memory(got.numpy(), x.numpy()) == np.shares_memory(expected, a)


def assert_equal(got, expected):
    """The same values, as Arrays where NumPy has arrays or scalars."""
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            assert_equal(g, e)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert type(got) is xp.Array
        assert (got.dtype, got.shape, got.is_shared()) == (expected.dtype, expected.shape, True)
        np.testing.assert_array_equal(np.asarray(got), expected)
    else:
        assert type(got) is type(expected)
        assert got == expected


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_methods_agree_with_numpy(name, args):
    """Values, dtypes, layout, aliasing, errors."""
    compare(lambda x: getattr(x, name)(*args))


@pytest.mark.parametrize(("name", "kwargs"), KEYWORDS)
def test_keywords_agree_with_numpy(name, kwargs):
    """Keywords of NumPy's methods, with Arrays among them."""
    args = ((3, 2),) if name == "reshape" else ()
    compare(lambda x: getattr(x, name)(*args, **kwargs))
    ours = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in kwargs.items()}
    a = A.copy()
    assert_equal(getattr(xp.asarray(a), name)(*args, **ours), getattr(a, name)(*args, **kwargs))


def test_correction_is_the_standards_name_of_ddof():
    """One of the two."""
    x = xp.asarray(A)
    assert float(x.var(correction=1)) == A.var(ddof=1)
    assert float(x.std(correction=1)) == A.std(ddof=1)
    with pytest.raises(ValueError, match="ddof"):
        x.var(ddof=1, correction=1)


def test_methods_of_integer_arrays():
    """``choose``, ``put``, ``searchsorted``, ``take`` with Arrays as arguments."""
    x = xp.asarray(I)
    assert_equal(x.choose([10, 20, 30]), I.choose([10, 20, 30]))
    assert_equal(x.choose(xp.asarray([10, 20, 30])), I.choose([10, 20, 30]))
    assert_equal(xp.asarray([1, 3, 5]).searchsorted(x), np.asarray([1, 3, 5]).searchsorted(I))
    assert_equal(xp.asarray([10, 20, 30]).take(x), np.asarray([10, 20, 30]).take(I))
    y, b = xp.zeros(4), np.zeros(4)
    y.put(xp.asarray([0, 2]), xp.asarray([5, 6]))
    b.put([0, 2], [5, 6])
    assert_equal(y, b)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.fill(7),
        lambda x: x.sort(),
        lambda x: x.sort(axis=0, kind="stable"),
        lambda x: x.partition(1),
        lambda x: x.put([0], [9]),
        lambda x: x.setfield(1, "i4", 4),
        lambda x: x.byteswap(inplace=True) is None,
        lambda x: x.__setitem__(..., 3),
        lambda x: setattr(x, "real", 2),
        lambda x: setattr(x, "flat", [1, 2]),
        lambda x: x.flat.__setitem__(slice(2), 0),
    ],
)
def test_changes_in_place_agree_with_numpy(change):
    """Bytes, shape and strides afterwards are NumPy's."""
    a, x = A.copy(), xp.array(A)
    change(a)
    change(x)
    assert (x.tobytes(), x.shape, x.strides) == (a.tobytes(), a.shape, a.strides)


def test_attributes_agree_with_numpy():
    """Attributes of any layout."""
    c = A + 1j * A
    for a in (A, A.T, A[:, ::2], c, np.asarray(1.5), np.empty((0, 2)), np.zeros((2, 3, 4))):
        x = xp.asarray(a, copy=False)
        for name in ("shape", "dtype", "ndim", "size", "strides", "itemsize", "nbytes"):
            assert getattr(x, name) == getattr(a, name), name
        for name in ("T", "real", "imag", *(["mT"] if a.ndim > 1 else [])):
            np.testing.assert_array_equal(getattr(x, name).numpy(), getattr(a, name))
            assert type(getattr(x, name)) is xp.Array
        assert isinstance(x.dtype, np.dtype)
        for flag in ("c_contiguous", "f_contiguous", "aligned", "writeable"):
            assert getattr(x.flags, flag) == getattr(a.flags, flag)
        assert x.ctypes.data == a.ctypes.data
    with pytest.raises(ValueError, match="ndim < 2"):
        xp.ones(3).mT


def test_real_and_imag_are_views_that_can_be_set():
    """``x.real`` and ``x.imag`` of a complex array alias it."""
    x = xp.asarray([1 + 2j, 3 + 4j])
    x.real[0] = 10
    x.imag = xp.asarray([7, 8])
    assert x.tolist() == [10 + 7j, 3 + 8j]
    y = xp.ones(2)
    assert y.imag.tolist() == [0.0, 0.0]
    with pytest.raises(TypeError):
        y.imag = 1


def test_base_and_data():
    """``base`` is the array of a view; ``data`` a memoryview."""
    x = xp.arange(4)
    y = x[1:]
    assert y.base is not None
    y.base[1] = 9
    assert int(x[1]) == 9
    assert xp.arange(4).copy().base is None
    assert x.data.tolist() == x.tolist()


def test_flat():
    """Iteration, indexing and assignment in C order, whatever the layout."""
    x = xp.asarray(A.T)
    f = x.flat
    assert (len(f), f.base is x, f.index, f.coords) == (6, True, 0, (0, 0))
    assert [float(v) for v in f] == list(A.T.flat)
    assert all(type(v) is xp.Array for v in x.flat)
    assert f[1:3].tolist() == A.T.flat[1:3].tolist()
    assert f[xp.asarray([0, 1])].tolist() == A.T.flat[[0, 1]].tolist()
    x.flat[::2] = xp.asarray([0.0])
    assert float(x.flat[2]) == 0.0
    assert x.flat.copy().shape == (6,)
    assert np.asarray(x.flat).shape == (6,)


def test_astype_without_a_change_is_the_same_array():
    """``copy=False`` gives the Array itself, if nothing is to do."""
    x = xp.ones(3)
    assert x.astype(xp.float64, copy=False) is x
    assert x.astype(xp.float32, copy=False) is not x
    assert x.astype(xp.float64) is not x
    with pytest.raises(TypeError):
        x.astype(xp.int8, casting="safe")


#: NumPy 2.5 warns of it, and so does an Array; the tables of `tests/swap_in` compare the warnings.
assigns_shape = pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")


@assigns_shape
def test_views_of_classes():
    """``view(type)`` knows one class; ``view()`` is a new Array."""
    x = xp.ones(3)
    assert x.view() is not x
    assert type(x.view(xp.Array)) is type(x.view(type=xp.Array)) is xp.Array
    with pytest.raises(TypeError, match="numpy"):
        x.view(type=np.matrix)
    y = x.view()
    y.shape = (3, 1)
    assert x.shape == (3,)


@assigns_shape
def test_shape_can_be_assigned():
    """In place where the elements allow it, as NumPy did."""
    x = xp.arange(6)
    x.shape = (2, -1)
    x[1, 2] = 9
    assert x.tolist() == [[0, 1, 2], [3, 4, 9]]
    view = x.T
    with pytest.raises(AttributeError, match="copy"):
        view.shape = 6
    with pytest.raises(ValueError, match="reshape"):
        x.shape = 7
    assert (x.shape, view.shape) == ((2, 3), (3, 2))
    empty = xp.zeros((0, 3))
    empty.shape = (3, 0)
    assert empty.shape == (3, 0)


def test_tofile(tmp_path):
    """What is written is NumPy's."""
    x = xp.asarray(A)
    x.tofile(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == A.tobytes()


def test_what_is_not_there():
    """Methods that would move memory, or pickle to a file."""
    for name in ("resize", "dump", "dumps"):
        assert not hasattr(xp.Array, name)


def test_everything_else_of_ndarray_is_there():
    """No public attribute of ndarray is missing, but those that contracts except."""
    names = {name for name in dir(np.ndarray) if not name.startswith("_")}
    gone = {"itemset", "newbyteorder", "ptp", "tostring"}  # raise or warn where NumPy has them left
    assert names - set(dir(xp.Array)) - gone == {"resize", "dump", "dumps"}


def test_signatures_and_docstrings():
    """Each method has a signature that begins as NumPy's, and a docstring with an example."""
    for name in dir(xp.Array):
        member = getattr(xp.Array, name)
        if name.startswith("_"):
            continue
        assert member.__doc__, name
        assert member.__doc__.splitlines()[0].endswith("."), name
        if not callable(member):
            continue
        assert ">>> " in member.__doc__, name
        assert member.__qualname__ == f"Array.{name}"
        ours = list(inspect.signature(member).parameters)
        assert ours[0] == "self"
        theirs = getattr(np.ndarray, name, None)
        told = getattr(theirs, "__text_signature__", None)  # older versions tell none of methods
        if told is not None and name not in ("view", "to_device"):
            theirs = [
                p.name
                for p in inspect.signature(theirs).parameters.values()
                if p.kind is not p.VAR_KEYWORD
            ]
            assert ours[: len(theirs)] == theirs, name


def test_pytorch_spellings():
    """``cpu``, ``cuda``, ``clone``, ``fill_``, ``zero_``, ``copy_``."""
    x = xp.ones((2, 3))
    assert x.cpu() is x
    assert x.to_device("cpu") is x
    assert x.to_device(xp.Device("cpu")) is x
    assert x.is_cuda is False
    assert x.device == xp.Device("cpu")
    for call in (x.cuda, lambda: x.cuda(99), lambda: x.to_device("cuda:99")):
        with pytest.raises(xp.DeviceError):
            call()
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)
    with pytest.raises(ValueError, match="tpu"):
        x.to_device("tpu")
    with pytest.raises(TypeError, match=r"on the CPU; x\.cuda\(\)"):
        x.cupy()
    assert not hasattr(x, "__cuda_array_interface__")
    y = x.clone()
    assert y.fill_(3) is y
    assert y.tolist() == [[3.0] * 3] * 2
    assert x.tolist() == [[1.0] * 3] * 2
    assert y.copy_([1, 2, 3]) is y
    assert y.tolist() == [[1.0, 2.0, 3.0]] * 2
    assert y.copy_(x).tolist() == x.tolist()
    assert y.zero_() is y
    assert y.tolist() == [[0.0] * 3] * 2
    stamps = xp.ones(2, dtype="M8[s]").zero_()
    assert stamps.numpy().astype(int).tolist() == [0, 0]


def test_dtypes_are_instances():
    """``x.dtype`` equals and hashes as the namespace's dtypes."""
    for dtype in xp.__array_namespace_info__().dtypes().values():
        x = xp.zeros(1, dtype=dtype)
        assert type(x.dtype) is type(dtype)
        assert x.dtype == dtype
        assert hash(x.dtype) == hash(dtype)


@pytest.mark.parametrize("places", [[], (), [[]]])
def test_no_places_at_all(places):
    """An empty sequence is one of integers."""
    x = xp.arange(4.0)
    assert x.take(places).shape == np.arange(4.0).take(places).shape
    x.put(places, 1)
    x.put(places, [])
    assert x.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match=r"broadcast|object too deep"):
        x.repeat(places)


def test_methods_pickle_by_name():
    """As NumPy's do: ``pool.map(xp.Array.sum, arrays)``."""
    for name in dir(xp.Array):
        member = inspect.getattr_static(xp.Array, name)
        if callable(member) and not name.startswith("__"):
            method = getattr(xp.Array, name)
            assert pickle.loads(pickle.dumps(method)) is method
    x = xp.ones(3)
    assert pickle.loads(pickle.dumps(x.sum))() == 3
    assert cloudpickle.loads(cloudpickle.dumps(x.sum))() == 3
