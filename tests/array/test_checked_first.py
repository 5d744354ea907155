"""Errors come before anything is written: in-place operators, ``out=``, assignment."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import sharedarray as xp

from .conftest import INTEGERS, STANDARD
from .test_operators import INPLACE

NEGATIVE = np.asarray([1, 2, -1, 3], dtype="int16")
TEXT = np.asarray(["1", "2", "a", "4"])
INTS = {"dtype": "int8"}


def set_item(key, value):
    """Assignment to elements."""
    return lambda _, x: x.__setitem__(key, value)


# What is done to an array of fives: (function of the namespace and the array, its dtype and shape).
# NumPy refuses each, those that are marked after it has written some elements.
CALLS = {
    "ipow, negative exponents": (lambda np, x: operator.ipow(x, NEGATIVE), "int8", 4),  # writes
    "ipow, negative scalar": (lambda np, x: operator.ipow(x, -1), "int8", 4),
    "ipow, negative numpy scalar": (lambda np, x: operator.ipow(x, np.int16(-1)), "int8", 4),
    "ipow, of bool": (lambda np, x: operator.ipow(x, NEGATIVE), "bool", 4),
    "ipow, of uint8": (lambda np, x: operator.ipow(x, NEGATIVE), "uint8", 4),
    "ipow, wide": (lambda np, x: operator.ipow(x, NEGATIVE.astype("i8")), "int32", 4),
    "iadd, casting": (lambda np, x: operator.iadd(x, 0.5), "int64", 4),
    "iadd, kind": (lambda np, x: operator.iadd(x, np.ones(4, "c8")), "float32", 4),
    "iadd, shape": (lambda np, x: operator.iadd(x, np.ones(3, "i8")), "int64", 4),
    "iadd, grows": (lambda np, x: operator.iadd(x, np.ones((2, 4), "i8")), "int64", 4),
    "iadd, overflow": (lambda np, x: operator.iadd(x, 300), "uint8", 4),
    "iadd, huge": (lambda np, x: operator.iadd(x, 10**30), "int64", 4),
    "iadd, text": (lambda np, x: operator.iadd(x, "a"), "float64", 4),
    "iadd, texts": (lambda np, x: operator.iadd(x, TEXT), "float64", 4),
    "iadd, None": (lambda np, x: operator.iadd(x, None), "float64", 4),
    "iadd, object": (lambda np, x: operator.iadd(x, object()), "float64", 4),
    "iand, floats": (lambda np, x: operator.iand(x, 1), "float64", 4),
    "ilshift, floats": (lambda np, x: operator.ilshift(x, np.ones(4)), "int64", 4),
    "itruediv, integers": (lambda np, x: operator.itruediv(x, 2), "int64", 4),
    "imatmul, shape": (lambda np, x: operator.imatmul(x, np.ones((2, 3))), "float64", (2, 2)),
    "imatmul, dimensions": (lambda np, x: operator.imatmul(x, 3.0), "float64", (2, 2)),
    "set, text": (set_item(slice(None), TEXT), "int64", 4),  # writes
    "set, texts": (set_item(slice(None), TEXT.tolist()), "int64", 4),  # writes
    "set, mask and text": (set_item(np.ones(4, bool), TEXT), "int64", 4),  # writes
    "set, overflow": (set_item(slice(None), [1, 2, 300, 4]), "uint8", 4),  # writes
    "set, overflow of a range": (set_item(slice(None), range(253, 257)), "uint8", 4),  # writes
    "set, overflow of a scalar": (set_item(0, 256), "uint8", 4),
    "set, shape": (set_item(slice(None), [1, 2, 3]), "int64", 4),
    "set, dimensions": (set_item(0, [[1, 2], [3, 4]]), "int64", (2, 2)),
    "set, None": (set_item(slice(None), None), "int64", 4),
    "set, object": (set_item(slice(None), object()), "float64", 4),
    "set, ragged": (set_item(slice(None), [1, [2, 3]]), "float64", 4),
    "set, complex": (set_item(0, 1j), "float64", 4),
    "set, index": (set_item(4, 1), "int64", 4),
    "set, indices": (set_item([0, 4], 1), "int64", 4),
    "set, indices of two axes": (set_item(([0, 1], [0, 2]), 1), "int64", (2, 2)),
    "set, too many indices": (set_item((0, 0), 1), "int64", 4),
    "set, float index": (set_item(1.0, 1), "int64", 4),
    "set, text index": (set_item("a", 1), "int64", 4),
    "set, mask": (set_item(np.asarray([True, False]), 1), "int64", 4),
    "set, mask and values": (set_item(np.asarray([True, True, False, False]), [1, 2, 3]), "i8", 4),
    "set, record": (set_item(slice(None), [(1, 2), (3, "a")]), "i4,i4", 2),  # writes
    "set, record of text": (
        set_item(slice(None), np.asarray([("1", "2"), ("3", "a")], "U1,U1")),
        "i4,i4",
        2,
    ),  # writes
    "pow, negative": (lambda np, x: np.pow(x, NEGATIVE, out=x), "int8", 4),  # writes
    "pow, positional out": (lambda np, x: np.pow(x, NEGATIVE, x), "int8", 4),  # writes
    "pow, tuple out": (lambda np, x: np.pow(x, NEGATIVE, out=(x,)), "int8", 4),  # writes
    "power.accumulate": (
        lambda np, x: np.power.accumulate(np.asarray([2, 2, -1, 3], **INTS), out=x),
        "int8",
        4,
    ),  # writes
    "power.outer": (
        lambda np, x: np.power.outer(np.asarray([2, 2], **INTS), NEGATIVE[1:3], out=x),
        "int16",
        (2, 2),
    ),  # writes
    "power.reduceat": (
        lambda np, x: np.power.reduceat(np.asarray([2, 3, 3, -1], **INTS), [0, 2], out=x),
        "int8",
        2,
    ),  # writes
    "power.at": (lambda np, x: np.power.at(x, [0, 1, 2], [2, 2, -1]), "int8", 4),  # writes
    "add, casting of out": (lambda np, x: np.add(np.ones(4), 1, out=x), "int64", 4),
    "add, shape of out": (lambda np, x: np.add(np.ones(4), 1, out=x), "float64", 3),
    "sum, shape of out": (lambda np, x: np.sum(np.ones((2, 4)), axis=1, out=x), "float64", 4),
    "sum, axis": (lambda np, x: np.sum(np.ones((2, 4)), axis=2, out=x), "float64", 4),
    "concat, casting of out": (
        lambda np, x: np.concat([np.ones(2, dtype="i8"), np.ones(2)], out=x),
        "int64",
        4,
    ),  # writes
    "concat, positional out": (
        lambda np, x: np.concat([np.ones(2, dtype="i8"), np.ones(2)], 0, x),
        "int64",
        4,
    ),  # writes
    "concat, rule": (
        lambda np, x: np.concat([np.ones(2), np.ones(2, dtype="f8")], out=x, casting="no"),
        "float32",
        4,
    ),
    "concat, text": (
        lambda np, x: np.concat([TEXT[:1], TEXT[:3]], out=x, casting="unsafe"),
        "int64",
        4,
    ),  # writes
    "stack, casting of out": (
        lambda np, x: np.stack([np.ones(2, dtype="i8"), np.ones(2)], out=x),
        "int64",
        (2, 2),
    ),  # writes
    "put, indices": (lambda np, x: np.put(x, [0, 4], [1, 2]), "int64", 4),  # writes
    "put, negative": (lambda np, x: np.put(x, [0, -5], [1, 2]), "int64", 4),  # writes
    "put, method": (lambda np, x: x.put([0, 4], [1, 2]), "int64", 4),  # writes
    "put, text": (lambda np, x: np.put(x, [0, 1, 2], TEXT[:3]), "int64", 4),
    "copyto, casting": (lambda np, x: np.copyto(x, np.ones(4)), "int64", 4),
    "copyto, text": (lambda np, x: np.copyto(x, TEXT, casting="unsafe"), "int64", 4),  # writes
    "copyto, keywords": (
        lambda np, x: np.copyto(src=TEXT, dst=x, casting="unsafe"),
        "int64",
        4,
    ),  # writes
    "putmask, sizes": (lambda np, x: np.putmask(x, [True, False], [1, 2]), "int64", 4),
    "place, no values": (lambda np, x: np.place(x, np.ones(4, dtype=bool), []), "int64", 4),
    "put_along_axis": (
        lambda np, x: np.put_along_axis(x, np.asarray([[0], [2]]), 1, 1),
        "int64",
        (2, 2),
    ),
    "fill_diagonal": (lambda np, x: np.fill_diagonal(x, ["1", "a"]), "int64", (2, 2)),
    "add.at": (lambda np, x: np.add.at(x, [0, 4], 1), "int64", 4),
    "take, indices": (lambda np, x: np.take(np.ones(3), [0, 3], out=x), "float64", 2),
    "take, mode": (lambda np, x: np.take(np.ones(3), [0, 1], out=x, mode="no"), "float64", 2),
    "choose": (lambda np, x: np.choose([0, 2], [[1, 1], [2, 2]], out=x), "int64", 2),
    "mean": (lambda np, x: np.mean(np.asarray([[1, 2]] * 3), axis=1, out=x), "S4", 3),  # writes
    "var": (lambda np, x: np.var(np.asarray([[1, 2]] * 3), axis=1, out=x), "S4", 3),  # writes
    "var, method": (lambda np, x: np.asarray([[1, 2]] * 3).var(1, out=x), "S4", 3),  # writes
    "median": (lambda np, x: np.median(np.asarray([[1, 2]] * 3), axis=1, out=x), "S4", 3),
    "percentile": (
        lambda np, x: np.percentile(np.asarray([[1, 2]] * 3), 50, axis=1, out=x),
        "S4",
        3,
    ),  # writes
    "ptp": (
        lambda np, x: np.ptp(np.asarray([[1.0, 3.0], [4.0, 9.0]]), axis=0, out=x),
        "int32",
        2,
    ),  # writes
    "std": (lambda np, x: np.std(np.ones((4, 2)), axis=1, out=x), "int32", 4),  # writes
    "std, method": (lambda np, x: np.ones((4, 2)).std(axis=1, out=x), "int32", 4),  # writes
    "nanstd": (lambda np, x: np.nanstd(np.asarray([1, 2]), out=x), "int32", ()),  # writes
    "round": (lambda np, x: np.round(np.asarray([1j, 2j]), out=x), "float64", 2),  # writes
    "round, positional": (lambda np, x: np.round(np.asarray([1j, 2j]), 1, x), "int64", 2),  # writes
    "round, method": (lambda np, x: np.asarray([1j, 2j]).round(out=x), "float64", 2),  # writes
    "fftn": (
        lambda np, x: np.fft.fftn(np.ones((3, 3)), s=(4, 3), axes=(0, 1), out=x),
        "complex128",
        (3, 3),
    ),  # writes
    "rfftn": (
        lambda np, x: np.fft.rfftn(np.ones((3, 3)), s=(4, 3), axes=(0, 1), out=x),
        "complex128",
        (3, 2),
    ),  # writes
    "fft2": (
        lambda np, x: np.fft.fft2(np.ones((3, 3)), (4, 3), (0, 1), None, x),
        "complex128",
        (3, 3),
    ),  # writes
    "clip": (lambda np, x: np.clip(np.ones(4), 0, 1, out=x), "int64", 4),
    "divmod, second out": (
        lambda np, x: np.divmod(np.ones(2), 2, out=(x, np.zeros(2, dtype="i8"))),
        "float64",
        2,
    ),
    "fill": (lambda np, x: x.fill(300), "uint8", 4),
    "fill, text": (lambda np, x: x.fill("a"), "int64", 4),
    "sort, axis": (lambda np, x: x.sort(axis=1), "int64", 4),
    "sort, kind": (lambda np, x: x.sort(kind="no"), "int64", 4),
    "partition": (lambda np, x: x.partition([0, 4]), "int64", 4),
    "real": (lambda np, x: setattr(x, "real", TEXT), "complex128", 4),  # writes
    "imag": (lambda np, x: setattr(x, "imag", TEXT), "complex128", 4),  # writes
    "imag, of reals": (lambda np, x: setattr(x, "imag", 1), "float64", 4),
    "flat, text": (lambda np, x: setattr(x, "flat", TEXT), "int64", 4),
    "flat, indices": (lambda np, x: x.flat.__setitem__([0, 4], 1), "int64", 4),  # writes
    "setfield": (lambda np, x: x.setfield(TEXT, "int64"), "int64", 4),  # writes
    "setfield, size": (lambda np, x: x.setfield(1, "int64", 8), "int64", 4),
}


def descending(dtype, shape):
    """An array without order, no element of which is what a call would write."""
    return np.resize([9, 7, 8, 5], shape).astype(dtype)


def start(dtype, shape):
    """The array before the call."""
    if np.dtype(dtype).fields:
        return np.asarray([(9, 7), (8, 5)], dtype)
    return descending(dtype, shape)


def refused(function, *args):
    """The type of the exception."""
    with pytest.raises(Exception) as caught:
        function(*args)
    return caught.type


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_written_before_an_error(name):
    """NumPy's exception, and every element as it was."""
    function, dtype, shape = CALLS[name]
    x = xp.array(start(dtype, shape))
    assert issubclass(refused(function, np, start(dtype, shape)), refused(function, xp, x))
    assert x.numpy().tobytes() == start(dtype, shape).tobytes()


GUARDED = (
    "p",
    "concat",
    "stack",
    "copyto",
    "std",
    "nanstd",
    "round",
    "fft",
    "rfft",
    "mean",
    "var",
    "median",
)
THROUGH_NUMPY = [name for name in CALLS if name.startswith(GUARDED) and "method" not in name]


@pytest.mark.parametrize("name", THROUGH_NUMPY)
def test_nothing_is_written_by_numpys_own_functions(name):
    """``np.concatenate(..., out=x)`` with an Array as ``out``."""
    function, dtype, shape = CALLS[name]
    x = xp.array(start(dtype, shape))
    assert issubclass(refused(function, np, start(dtype, shape)), refused(function, np, x))
    assert x.numpy().tobytes() == start(dtype, shape).tobytes()


def test_numpy_writes_before_some_errors():
    """What these tests are for: the comparison sees such a write."""
    seen = set()
    for name, (function, dtype, shape) in CALLS.items():
        a = start(dtype, shape)
        refused(function, np, a)
        if a.tobytes() != start(dtype, shape).tobytes():
            seen.add(name)
    assert {"pow, negative", "concat, casting of out", "put, indices", "set, text"} <= seen


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(INTEGERS), st.sampled_from(INTEGERS))
def test_powers_of_integers(data, dtype, other):
    """``**=`` and ``pow(out=)`` of integers: NumPy's result, or its error and nothing written."""
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3))
    shape, other_shape = shapes.input_shapes
    a, b = data.draw(hnp.arrays(dtype, shape)), data.draw(hnp.arrays(other, other_shape))
    for change in (operator.ipow, lambda x, y: xp.pow(x, y, out=x)):
        x, expected = xp.array(a), a.copy()
        try:
            operator.ipow(expected, b)
        except (TypeError, ValueError) as error:
            assert refused(change, x, xp.asarray(b)) is type(error)
            assert x.tobytes() == a.tobytes()
        else:
            change(x, xp.asarray(b))
            np.testing.assert_array_equal(x.numpy(), expected)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(INPLACE),
    st.sampled_from(STANDARD),
    hnp.arrays(st.sampled_from(STANDARD), hnp.array_shapes(min_dims=0, max_dims=2, max_side=3)),
)
def test_in_place_with_any_second_operand(op, dtype, other):
    """Shapes that do not fit, and types that do not: NumPy's outcome, all or nothing."""
    a = np.asarray([[3, 5], [7, 9]]).astype(dtype)
    x, expected = xp.array(a), a.copy()
    with np.errstate(all="ignore"):
        try:
            op(expected, other)
        except Exception as error:
            assert issubclass(type(error), refused(op, x, xp.asarray(other)))
            assert x.tobytes() == a.tobytes()
        else:
            op(x, xp.asarray(other))
            np.testing.assert_array_equal(x.numpy(), expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda lib, x, out: lib.cumsum(x, out=out),
        lambda lib, x, out: lib.cumprod(x, 0, None, out),
        lambda lib, x, out: lib.nancumsum(x, out=out),
        lambda lib, x, out: lib.cumulative_sum(x, out=out),
        lambda lib, x, out: lib.cumulative_prod(x, out=out, include_initial=True),
        lambda lib, x, out: lib.add.accumulate(x, out=out),
        lambda lib, x, out: lib.power.accumulate(x, out=out),
        lambda lib, x, out: lib.maximum.accumulate(x, 0, None, out),
        lambda lib, x, out: x.cumsum(out=out),
        lambda lib, x, out: x.cumprod(0, None, out),
    ],
)
@pytest.mark.parametrize("lib", [xp, np])
def test_running_results_need_an_axis(lib, call):
    """NumPy 2.4 reads beyond the shape of an ``out`` without dimensions, and crashes."""
    out = xp.asarray(5.0)
    with pytest.raises(ValueError, match="out has no dimensions"):
        call(lib, xp.ones(3), out)
    assert float(out) == 5.0


def test_floating_point_errors_come_after_the_computation():
    """As in NumPy: ``errstate(all="raise")`` says how the elements came out, which are written."""
    for op, value in ((operator.itruediv, 0.0), (operator.imul, 1e308), (operator.ifloordiv, 0)):
        a = np.asarray([4.0, 9.0])
        x = xp.array(a)
        with np.errstate(all="raise"):
            for written in (x, a):
                with pytest.raises(FloatingPointError):
                    op(written, value)
        np.testing.assert_array_equal(x.numpy(), a)
