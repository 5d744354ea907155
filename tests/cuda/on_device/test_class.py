"""What users see of the class: one Array, whatever the device."""

import inspect

import numpy as np
import pytest

import sharedarray as xp

from .compare import SECOND

#: Members that look at no data, and are those of Array.
INHERITED = {"__array_namespace__", "__array_priority__", "__class_getitem__", "__init_subclass__"}


@pytest.fixture
def x():
    return xp.asarray([1.0, 2.0], device="cuda:0")


def test_it_reads_like_array(x):
    kind = type(x)
    assert isinstance(x, xp.Array)
    assert issubclass(kind, xp.ndarray)
    assert (kind.__name__, kind.__qualname__, kind.__module__) == ("Array", "Array", "sharedarray")
    assert repr(kind) == repr(xp.Array)
    assert kind.__mro__ == (kind, xp.Array, object)


def test_nobody_makes_subclasses(x):
    for base in (xp.Array, type(x)):
        with pytest.raises(TypeError, match="acceptable base type"):
            type("Mine", (base,), {})


def test_instances_are_made_by_functions_alone(x):
    with pytest.raises(TypeError, match="namespace"):
        type(x)(3)
    empty = type(x).__new__(type(x))
    for use in (repr, len, lambda y: y + 1, lambda y: y.shape, lambda y: y.sum(), lambda y: y[0]):
        with pytest.raises(TypeError, match="never initialised"):
            use(empty)


def test_every_member_of_array_is_overridden(x):
    own = vars(type(x))
    theirs = [name for name in vars(xp.Array) if name not in INHERITED]
    public = [
        name for name in theirs if not name.endswith(("_cython__", "state__", "__new__", "__doc__"))
    ]
    assert "sum" in public and "__add__" in public and "shape" in public
    assert [name for name in public if name not in own] == []


def test_methods_say_what_they_do(x):
    for name in dir(xp.Array):
        member = getattr(xp.Array, name)
        if name.startswith("_") or not callable(member):
            continue
        mine = getattr(type(x), name)
        assert mine.__name__ == name
        assert mine.__qualname__ == f"Array.{name}"
        assert mine.__doc__ == member.__doc__
        assert inspect.signature(mine).parameters.keys() >= {"self"}


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: xp.asarray([1.0, 2.0], device="cuda:0"), "Array([1., 2.], dtype=float64, "),
        (lambda: xp.zeros((0, 2), device="cuda:0"), "Array([], shape=(0, 2), dtype=float64, "),
        (lambda: xp.asarray(3, device="cuda:0"), "Array(3, dtype=int64, "),
        (lambda: xp.ones((2, 2), dtype=xp.int8, device="cuda:0"), "Array([[1, 1],\n       [1, 1]]"),
    ],
)
def test_repr(make, text):
    assert repr(make()).startswith(text)
    assert repr(make()).endswith("device='cuda:0', shared)")


@pytest.mark.parametrize("shape", [(5000,), (100, 100), (3, 4, 2000), (7, 7, 7, 7), (1001,)])
def test_repr_of_large_arrays_is_that_of_the_cpu(shape):
    x = xp.arange(xp.broadcast_to(xp.asarray(0), shape).size).reshape(shape)
    y = x.to_device(SECOND)
    assert repr(y) == repr(x).replace("'cpu'", f"'{SECOND}'")
    assert str(y) == str(x)


def test_html(x):
    text = x._repr_html_()
    assert "<td>cuda:0</td>" in text
    assert "16 B, shared" in text


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_attributes(x):
    m = xp.asarray(np.arange(6.0).reshape(2, 3), device=SECOND)
    assert (m.shape, m.ndim, m.size, m.itemsize, m.nbytes) == ((2, 3), 2, 6, 8, 48)
    assert m.strides == (24, 8)
    assert m.T.strides == (8, 24)
    assert m.mT.shape == (3, 2)
    assert m.dtype == np.dtype("float64")
    assert m.device == SECOND
    assert m.is_cuda is True
    assert xp.ones(2).is_cuda is False
    assert xp.device_of(m) == SECOND
    assert m.flags.c_contiguous and not m.T.flags.c_contiguous
    assert m.flags["WRITEABLE"]
    assert m[0].base is None or isinstance(m[0].base, xp.Array)
    m.shape = 3, 2
    assert m.shape == (3, 2)
    with pytest.raises(ValueError, match="reshape"):
        m.shape = 7
    z = xp.asarray([1 + 2j], device="cuda:0")
    z.real = 5
    z.imag = [7]
    assert z.item() == 5 + 7j
    assert x.imag.tolist() == [0.0, 0.0]
    with pytest.raises(TypeError):
        x.imag = 1


def test_numbers(x):
    v = xp.asarray(2.5, device="cuda:0")
    n = xp.asarray(3, device="cuda:0")
    assert (float(v), int(n), complex(v), bool(n), f"{v:.2f}", f"{n}") == (
        2.5,
        3,
        2.5 + 0j,
        True,
        "2.50",
        "3",
    )
    assert [10, 20, 30, 40][n] == 40
    assert round(v) == 2
    assert round(v, 1).item() == 2.5
    assert round(v, 1).device == "cuda:0"
    for use in (float, int, bool, complex, "{:d}".format):
        with pytest.raises((TypeError, ValueError)):
            use(xp.ones(2, device="cuda:0"))
    with pytest.raises(TypeError):
        [1, 2][v]
    with pytest.raises(TypeError, match=r"item\(\)"):
        hash(v)
    with pytest.raises(TypeError, match="0-d"):
        len(v)
    with pytest.raises(TypeError, match="0-d"):
        iter(v)


def test_iteration(x):
    assert [float(v) for v in x] == [1.0, 2.0]
    assert all(v.device == "cuda:0" for v in x)
    assert 2 in x
    assert 7 not in x
    rows = list(xp.zeros((2, 3), device=SECOND))
    assert [row.shape for row in rows] == [(3,), (3,)]


def test_host_protocols_are_refused(x):
    for use in (
        np.asarray,
        memoryview,
        lambda y: y.numpy(),
        lambda y: y.to_numpy(),
        lambda y: y.data,
        lambda y: y.ctypes,
    ):
        with pytest.raises(TypeError, match=r"cuda:0.*to_device\(\"cpu\"\)"):
            use(x)
    with pytest.raises(AttributeError, match="to_device"):
        x.__array_interface__
    assert not hasattr(x, "__array_interface__")


def test_flat(x):
    m = xp.asarray([[1, 2], [3, 4]], device="cuda:0")
    assert m.flat[2].item() == 3
    assert m.flat[1:3].tolist() == [2, 3]
    m.flat[1:3] = [7, 8]
    assert m.tolist() == [[1, 7], [8, 4]]
    m.T.flat[0] = 5
    assert m[0, 0].item() == 5
    m.flat = [1, 2]
    assert m.tolist() == [[1, 2], [1, 2]]
    assert [v.item() for v in m.flat] == [1, 2, 1, 2]
    assert len(m.flat) == 4


def test_functions_of_numpy_name_ours_where_there_is_one(x):
    for call, said in (
        (np.sin, r"numpy\.sin works .* use sharedarray\.sin, "),
        (np.add.reduce, r"numpy\.add works .* use sharedarray\.add, "),
        (np.linalg.norm, r"numpy\.linalg\.norm works .* use sharedarray\.linalg\.norm, "),
        (np.frompyfunc(abs, 1, 1), r"^abs \(vectorized\) works .*: x\.to_device"),
    ):
        with pytest.raises(TypeError, match=said):
            call(x)
    with pytest.raises(NotImplementedError, match=r"^vectorize works on the CPU only"):
        xp.vectorize(abs)(x)
