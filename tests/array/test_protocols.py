"""NumPy's protocols and the standard's: ``np.sin(x)``, ``np.mean(x)``, ``out=``, ``np.asarray``."""

import collections.abc

import numpy as np
import pytest

import sharedarray as xp


def assert_array(got, expected):
    """An Array in shared memory, equal to what NumPy gave."""
    assert type(got) is xp.Array
    assert got.is_shared()
    assert got.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(np.asarray(got), expected)


A = np.arange(1.0, 7.0).reshape(2, 3)


@pytest.mark.parametrize(
    "call",
    [
        np.sin,
        np.sqrt,
        np.negative,
        np.isnan,
        np.add.reduce,
        np.add.accumulate,
        lambda x: np.add(x, 1),
        lambda x: np.add(1, x),
        lambda x: np.add(x, x),
        lambda x: np.add.outer(x[0], x[1]),
        lambda x: np.add.reduceat(x, [0, 1]),
        lambda x: np.maximum(x, [2, 3, 4]),
        lambda x: np.add(x, 1, dtype=np.float32),
        lambda x: np.add(x, 1, where=x > 2, out=np.zeros_like(x)),
        lambda x: np.matmul(x, x.T),
        lambda x: np.multiply.reduce(x, axis=1, keepdims=True),
        lambda x: np.float32(2) * x,
        lambda x: np.int64(1) + x,
    ],
)
def test_ufuncs_give_arrays(call):
    """Every method of a ufunc takes Arrays and gives Arrays."""
    assert_array(call(xp.asarray(A)), call(A))


@pytest.mark.parametrize(
    "call",
    [
        np.mean,
        np.sum,
        np.sort,
        np.median,
        np.transpose,
        np.ravel,
        np.std,
        np.cumsum,
        np.unique,
        np.linalg.norm,
        np.fft.fft,
        np.diff,
        np.zeros_like,
        np.isclose and (lambda x: np.isclose(x, 2)),
        lambda x: np.concatenate([x, x]),
        lambda x: np.concatenate([x, np.ones((1, 3))]),
        lambda x: np.stack([x, x], axis=1),
        lambda x: np.where(x > 2, x, 0),
        lambda x: np.einsum("ij->ji", x),
        lambda x: np.dot(x, x.T),
        lambda x: np.percentile(x, 50),
        lambda x: np.clip(x, 2, 4),
        lambda x: np.pad(x, 1),
        lambda x: np.interp(2.5, x[0], x[1]),
        lambda x: np.linalg.solve(x[:, :2], [1.0, 2.0]),
        lambda x: np.zeros(3, like=x),
        lambda x: np.apply_along_axis(lambda row: row * 2, 1, x),
        lambda x: np.tensordot(x, x),
        lambda x: np.piecewise(x, [x < 3], [lambda v: -v, 7.0]),
        lambda x: np.linalg.inv(x[:, :2]),
    ],
)
def test_functions_give_arrays(call):
    """NumPy's functions take Arrays, nested in lists too, and give Arrays."""
    assert_array(call(xp.asarray(A)), call(A))


def test_results_that_are_no_arrays_stay_what_they_are():
    """Shapes, numbers, strings, booleans, dtypes."""
    x = xp.asarray(A)
    assert np.shape(x) == (2, 3)
    assert type(np.shape(x)) is tuple
    assert np.ndim(x) == 2
    assert np.size(x) == 6
    assert np.allclose(x, A) is True
    assert np.array_equal(x, A) is True
    assert np.array2string(x).startswith("[[1.")
    assert np.result_type(x, np.float32) == np.float64
    assert np.may_share_memory(x, x[0])


def test_results_of_several_arrays():
    """Tuples, lists and named tuples hold Arrays."""
    x = xp.asarray(A)
    parts = np.split(x, 3, axis=1)
    assert type(parts) is list
    assert all(type(p) is xp.Array for p in parts)
    assert np.shares_memory(parts[0].numpy(), x.numpy())
    frac, whole = np.modf(x)
    assert type(frac) is type(whole) is xp.Array
    result = np.linalg.qr(x)
    assert type(result.Q) is xp.Array
    hist, edges = np.histogram(x)
    assert type(hist) is type(edges) is xp.Array


@pytest.mark.parametrize("make", [xp.zeros_like, lambda x: np.zeros_like(A)])
def test_out_gives_back_the_very_object(make):
    """An Array or an ndarray that was passed as ``out`` comes back."""
    x = xp.asarray(A)
    for call in (
        lambda out: np.sin(x, out=out),
        lambda out: np.sin(x, out),
        lambda out: np.add(x, 1, out),
        lambda out: np.clip(x, 2, 3, out=out),
        lambda out: np.cumsum(x, axis=0, out=out),
        lambda out: x.clip(2, 3, out=out),
        lambda out: x.cumsum(0, out=out),
        lambda out: np.copyto(out, x) or out,
        lambda out: np.multiply(x, 2, out=(out,)),
    ):
        out = make(x)
        assert call(out) is out
        assert float(np.asarray(out)[0, 0]) != 0
    whole = make(x)
    frac, same = np.modf(x, out=(None, whole))
    assert same is whole
    assert type(frac) is xp.Array


def test_ndarray_in_place_with_an_array():
    """``ndarray += x`` keeps the ndarray, and changes it."""
    a = np.zeros((2, 3))
    b = a
    a += xp.asarray(A)
    a *= xp.asarray(2)
    assert a is b
    assert type(a) is np.ndarray
    np.testing.assert_array_equal(a, 2 * A)
    with pytest.raises(TypeError):
        a_int = np.zeros((2, 3), dtype=int)
        a_int += xp.asarray(A)


def test_ufunc_at_changes_in_place():
    """``np.add.at`` writes into the Array."""
    x = xp.zeros(3, dtype=int)
    assert np.add.at(x, [0, 0, 2], 1) is None
    assert x.tolist() == [2, 0, 1]


def test_what_is_passed_through_is_the_same_array():
    """``np.atleast_1d`` of an Array is that Array."""
    x = xp.ones(3)
    assert np.atleast_1d(x) is x


def test_objects_are_refused():
    """Results with Python objects are a TypeError; others of object operands are Arrays."""
    x, o = xp.asarray([1.0, 2.0]), np.array([1.0, 5.0], dtype=object)
    with pytest.raises(TypeError, match="Python objects"):
        np.add(x, o)
    with pytest.raises(TypeError, match="Python objects"):
        np.add(x, 1, dtype=object)
    with pytest.raises(TypeError, match="Python objects"):
        np.frompyfunc(lambda v: v, 1, 1)(x)
    assert np.equal(x, o, dtype=bool).tolist() == [True, False]


def test_functions_of_arrays_of_objects():
    """Beside an array of objects, results that hold objects stay NumPy's, in private memory."""
    x, o = xp.asarray([1.0, 2.0]), np.array([1.0, None], dtype=object)
    a, b = np.broadcast_arrays(x, o)
    assert type(a) is xp.Array
    assert type(b) is np.ndarray
    assert b.tolist() == [1.0, None]
    for none in (None, [None]):
        assert np.broadcast_arrays(x, none)[1].tolist() == [None, None]
    joined = np.concatenate([x, o])
    assert type(joined) is np.ndarray
    assert joined.tolist() == [1.0, 2.0, 1.0, None]
    assert not xp.is_shared(joined)
    assert np.shape(np.where([True, False], x, o)) == (2,)
    with pytest.raises(TypeError, match="Python objects"):
        np.full_like(x, 1, dtype=object)


def test_callbacks_run_outside_the_scope_and_get_arrays():
    """Functions of the user allocate private memory, and see Arrays."""
    seen = []

    def double(row):
        seen.append((type(row), xp.is_shared(np.ones(2))))
        return row * 2

    x = xp.asarray(A)
    got = np.apply_along_axis(double, 1, x)
    assert_array(got, 2 * A)
    np.vectorize(lambda v: seen.append((xp.Array, xp.is_shared(np.ones(2)))) or 1.0)(x)
    np.frompyfunc(lambda v: seen.append((xp.Array, xp.is_shared(np.ones(2)))), 1, 0)(x)
    assert set(seen) == {(xp.Array, False)}


class Foreign:
    """Another library's array, with protocols of its own."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """Tell what came."""
        return "ufunc", [type(x) for x in inputs]

    def __array_function__(self, func, types, args, kwargs):
        """Tell what came."""
        return "function", func


def test_other_libraries_are_asked():
    """An operand with protocols of its own gets the Array, not what is below it."""
    x, f = xp.ones(3), Foreign()
    assert np.add(x, f) == ("ufunc", [xp.Array, Foreign])
    assert np.add(f, x) == ("ufunc", [Foreign, xp.Array])
    assert np.concatenate([x, f]) == ("function", np.concatenate)


def test_memmaps_and_masked_arrays(tmp_path):
    """A memmap is an ndarray like others; a masked array decides itself."""
    m = np.memmap(tmp_path / "m", dtype=float, mode="w+", shape=(3,))
    m[:] = 1
    x = xp.ones(3)
    for got in (x + m, m + x, np.add(x, m), np.concatenate([x, m])):
        assert type(got) is xp.Array
        assert got.is_shared()
    masked = np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    assert type(np.add(x, masked)) is np.ma.MaskedArray


def test_array_protocol():
    """``np.asarray`` is zero-copy; ``dtype`` and ``copy`` are obeyed."""
    x = xp.arange(3)
    a = np.asarray(x)
    a[0] = 9
    assert int(x[0]) == 9
    assert type(a) is np.ndarray
    assert np.shares_memory(a, x.__array__())
    assert not np.shares_memory(np.array(x), a)
    assert not np.shares_memory(x.__array__(copy=True), a)
    assert np.asarray(x, dtype=float).dtype == np.float64
    assert x.__array__(np.dtype("f4")).dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        x.__array__(np.dtype("f4"), copy=False)
    assert not np.asarray(x.readonly()).flags.writeable
    assert np.asarray([x, x]).tolist() == [[9, 1, 2], [9, 1, 2]]


def test_views_handed_out_cannot_move_the_memory():
    """``resize`` and ``setflags`` of an ndarray over an Array are refused where they would harm."""
    x = xp.arange(3)
    with pytest.raises(ValueError, match="own"):
        x.numpy().resize(100, refcheck=False)
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.readonly().numpy().setflags(write=True)
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.readonly().numpy().flags.writeable = True


@pytest.mark.parametrize("version", [None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"])
def test_array_namespace(version):
    """The namespace, for each version; others are a ValueError."""
    x = xp.ones(1)
    assert x.__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match=r"1999\.12"):
        x.__array_namespace__(api_version="1999.12")


def test_buffers():
    """A memoryview has dtype, shape, strides and writability of the Array."""
    x = xp.arange(6, dtype=xp.int32).reshape(2, 3).T
    m = memoryview(x)
    assert (m.shape, m.strides, m.format, m.readonly) == ((3, 2), (4, 12), "i", False)
    m[0, 0] = 7
    assert int(x[0, 0]) == 7
    assert memoryview(x.readonly()).readonly
    assert bytes(xp.asarray([1, 2], dtype=xp.uint8)) == b"\x01\x02"
    with pytest.raises(ValueError, match="cannot include dtype 'M'"):
        memoryview(xp.zeros(1, dtype="M8[s]"))
    with pytest.raises((ValueError, BufferError), match="contiguous"):
        np.frombuffer(x)  # not contiguous
    y = xp.zeros(3)
    buffer = memoryview(y)
    del y
    buffer[0] = 3.0
    assert buffer.tolist() == [3.0, 0.0, 0.0]


def test_array_interface(mode):
    """The interface of version 3 leads to the same memory, which it keeps."""
    x = xp.arange(4)

    class Carrier:
        """Has nothing but the interface."""

        __array_interface__ = x.__array_interface__

    a = np.asarray(Carrier())
    a[0] = 5
    assert x.tolist() == [5, 1, 2, 3]


def test_abstract_base_classes():
    """What Python's own checks say."""
    x = xp.ones(2)
    assert isinstance(x, collections.abc.Sized)
    assert isinstance(x, collections.abc.Iterable)
    assert isinstance(x, collections.abc.Container)
    assert xp.ndarray[int, float].__origin__ is xp.Array
