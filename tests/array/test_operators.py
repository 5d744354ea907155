"""Operators give what NumPy's give: values, dtypes, shapes, errors; and results are Arrays."""

import decimal
import operator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import sharedarray as xp

from .conftest import COMPLEX, FLOATS, INTEGERS, STANDARD

BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]
INPLACE = [
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.ilshift,
    operator.irshift,
]
UNARY = [operator.neg, operator.pos, operator.abs, operator.invert]


def outcome(function, *args):
    """Return (result, None) or (None, type of the exception)."""
    with np.errstate(all="ignore"):
        try:
            return function(*args), None
        except Exception as error:
            return None, type(error)


def assert_same(got, expected):
    """Compare what an Array operation gave with what NumPy gave."""
    value, error = got
    reference, expected_error = expected
    assert error is expected_error
    if error is not None:
        return
    assert type(value) is xp.Array
    assert value.is_shared()
    assert value.dtype == reference.dtype
    assert value.shape == reference.shape
    np.testing.assert_array_equal(np.asarray(value), reference)


shapes = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4)


@st.composite
def operands(draw):
    """Draw two NumPy arrays of any numeric dtypes that broadcast, at times not contiguous."""
    result = []
    for shape in draw(shapes).input_shapes:
        dtype = np.dtype(draw(st.sampled_from(STANDARD)))
        a = draw(hnp.arrays(dtype, shape))
        if a.ndim and draw(st.booleans()):
            a = np.repeat(a, 2, axis=0)[::2]
        elif draw(st.booleans()):
            a = np.asfortranarray(a)
        result.append(a)
    return result


@settings(max_examples=300, deadline=None)
@given(operands(), st.sampled_from(BINARY))
def test_binary_operators_agree_with_numpy(pair, op):
    """Array op Array, Array op ndarray and ndarray op Array give what NumPy gives."""
    a, b = pair
    expected = outcome(op, a, b)
    x, y = xp.asarray(a), xp.asarray(b)
    assert_same(outcome(op, x, y), expected)
    assert_same(outcome(op, x, b), expected)
    assert_same(outcome(op, a, y), expected)


@settings(max_examples=200, deadline=None)
@given(
    operands(),
    st.sampled_from(BINARY),
    st.sampled_from(
        [
            True,
            2,
            -3,
            1.5,
            2 + 1j,
            np.float32(2),
            np.int8(3),
            np.bool_(True),
            2**40,
            np.uint64(7),
            [1],
            10**30,
            np.float16(0.5),
        ]
    ),
)
def test_scalars_and_lists_on_either_side(pair, op, scalar):
    """Python and NumPy scalars, and lists, take part with NumPy's rules of promotion."""
    a = pair[0]
    x = xp.asarray(a)
    if op is operator.mul and type(scalar) is list and a.ndim == 0 and a.dtype.kind in "iu":
        assume(a < 1000)  # as NumPy's scalars it repeats the list: see docs/differences.md
        assert x * scalar == scalar * x == a[()] * scalar == scalar * int(a)
        return
    for arguments, ours in (((a, scalar), (x, scalar)), ((scalar, a), (scalar, x))):
        assert_same(outcome(op, *ours), outcome(op, *arguments))


@pytest.mark.parametrize("dtype", "bhilqBHILQ")
def test_integers_of_no_dimension_repeat_lists(dtype):
    for n in (0, 1, 3):
        x = xp.asarray(n, dtype=dtype)
        for items in ([1, 2], (1, 2), "ab"):
            assert x * items == items * x == items * n
    with pytest.raises(TypeError):
        xp.asarray(3.0) * "ab"
    assert (xp.asarray(3.0) * [1, 2]).tolist() == [3.0, 6.0]
    assert (xp.asarray([3]) * [1, 2]).tolist() == [3, 6]


@settings(max_examples=200, deadline=None)
@given(operands(), st.sampled_from(INPLACE))
def test_in_place_operators_keep_the_object(pair, op):
    """``x op= y`` changes x as NumPy does, or raises NumPy's error and changes nothing."""
    a, b = pair
    x, y = xp.array(a), xp.asarray(b)
    before = x.tobytes()
    alias = x[...]
    expected = outcome(op, a.copy(), b)
    value, error = outcome(op, x, y)
    assert error is expected[1]
    if error is None:
        assert value is x
        np.testing.assert_array_equal(np.asarray(alias), expected[0])
        assert x.dtype == a.dtype
    else:
        assert x.tobytes() == before


@pytest.mark.parametrize("dtype", STANDARD)
@pytest.mark.parametrize("op", UNARY)
def test_unary_operators_agree_with_numpy(op, dtype):
    """``op x`` is NumPy's, for each shape, 0-d too."""
    for a in (np.ones((2, 3)).astype(dtype), np.asarray(1).astype(dtype), np.empty(0, dtype)):
        assert_same(outcome(op, xp.asarray(a)), outcome(op, a))


@pytest.mark.parametrize("a", [np.arange(6.0).reshape(2, 3), np.arange(3.0)])
def test_matmul_in_all_its_forms(a):
    """``@``, reflected and in place."""
    b = np.arange(9.0).reshape(3, 3)
    x, y = xp.asarray(a), xp.asarray(b)
    for got in (x @ y, x @ b, a @ y):
        assert_same((got, None), (a @ b, None))
    z = xp.array(b)
    same = z
    z @= y
    assert z is same
    np.testing.assert_array_equal(np.asarray(z), b @ b)
    with pytest.raises(ValueError, match="matmul"):
        x @ xp.ones(5)


def test_divmod_and_power():
    """``divmod`` gives two Arrays; ``pow`` with a modulus is a TypeError, as in NumPy."""
    x = xp.asarray([7, -7])
    for got, expected in (
        (divmod(x, 3), divmod(np.asarray([7, -7]), 3)),
        (divmod(30, x), divmod(30, np.asarray([7, -7]))),
    ):
        assert all(type(part) is xp.Array and part.is_shared() for part in got)
        assert [part.tolist() for part in got] == [part.tolist() for part in expected]
    with pytest.raises(TypeError):
        pow(x, 2, 3)


def test_errors_of_in_place_operators_come_before_anything_is_written():
    """Shape, casting and read-only errors leave every element as it was."""
    x = xp.arange(4)
    with pytest.raises(np._core._exceptions.UFuncTypeError):
        x += 0.5
    with pytest.raises(ValueError, match="broadcast"):
        x += xp.ones((2, 4), dtype=xp.int64)
    with pytest.raises(TypeError):
        x += None
    r = x.readonly()
    with pytest.raises(ValueError, match="read-only"):
        r += 1
    assert x.tolist() == [0, 1, 2, 3]


def test_in_place_with_overlapping_operands():
    """Operands that overlap are read before they are overwritten."""
    x, a = xp.arange(6), np.arange(6)
    x[1:] += x[:-1]
    a[1:] += a[:-1].copy()
    assert x.tolist() == a.tolist()


def test_operands_of_operators_are_never_overwritten():
    """NumPy reuses temporaries of 256 KiB and more: an operand here is none."""
    x, y = xp.ones(100_000), xp.ones(100_000)
    z = x + y
    assert (float(x.sum()), float(y.sum()), float(z.sum())) == (1e5, 1e5, 2e5)
    w = (xp.ones(100_000) + y) * 3
    assert float(w.sum()) == 6e5


class Refuses:
    """Wants to do operations itself: no ufuncs."""

    __array_ufunc__ = None

    def __radd__(self, other):
        """Tell who is there."""
        return "mine", type(other)

    def __eq__(self, other):
        """Tell who is there."""
        return "mine", type(other)

    __hash__ = None


class Higher:
    """Wants to do operations itself: a higher priority."""

    __array_priority__ = 1000

    def __rmatmul__(self, other):
        """Tell who is there."""
        return "mine", type(other)

    __rmul__ = __rmatmul__


def test_operands_that_want_to_do_it_themselves():
    """NotImplemented for ``__array_ufunc__ = None`` and for a higher ``__array_priority__``."""
    x = xp.ones(3)
    assert x + Refuses() == ("mine", xp.Array)
    assert (x == Refuses()) == ("mine", xp.Array)
    assert x @ Higher() == ("mine", xp.Array)
    y = x
    y *= Higher()
    assert y == ("mine", xp.Array)
    assert x.__add__(Refuses()) is NotImplemented
    with pytest.raises(TypeError):
        x - Refuses()


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_masked_arrays_and_matrices_come_first():
    """NumPy's own subclasses of higher priority decide about the result."""
    x = xp.asarray([1.0, 2.0])
    m = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    assert type(x + m) is np.ma.MaskedArray
    assert (m + x).mask.tolist() == [False, True]
    assert type(x.reshape(1, 2) + np.matrix([[1.0, 2.0]])) is np.matrix


@pytest.mark.parametrize("other", [None, object(), {}, {1}, decimal.Decimal(1)])
def test_objects_make_no_arrays(other):
    """What would become an array of Python objects is no operand."""
    x = xp.ones(2)
    with pytest.raises(TypeError):
        x + other
    with pytest.raises(TypeError):
        other + x
    assert (x == other) is False
    assert (x != other) is True


def test_arrays_of_objects_are_no_operands():
    """An ndarray of objects is refused, on either side."""
    x, o = xp.ones(2), np.array([1, None], dtype=object)
    for left, right in ((x, o), (o, x)):
        with pytest.raises(TypeError):
            left * right


def test_strings_compare_and_do_not_add():
    """As in NumPy: an array of False, and a TypeError."""
    x = xp.ones(2)
    assert (x == "a").tolist() == [False, False]
    with pytest.raises(TypeError):
        x + "a"


def test_foreign_objects_are_converted_outside_the_scope():
    """Code of the user that runs for an operand allocates private memory."""
    seen = []

    class Foreign:
        """An object with the array protocol."""

        def __array__(self, dtype=None, copy=None):
            """Make an array, and see where it lies."""
            a = np.ones(2)
            seen.append(xp.is_shared(a))
            return a

    x = xp.ones(2)
    for result in (x + Foreign(), x * Foreign(), x == Foreign(), np.add(x, Foreign())):
        assert type(result) is xp.Array
    x += Foreign()
    assert x.tolist() == [2.0, 2.0]
    assert seen == [False] * 5


def test_both_modes(mode):
    """Results are born where the mode says."""
    x = xp.ones(3)
    for result in (x + x, 2 * x, -x, x[x > 0], x[0], x.sum(), x == x, x @ x):
        assert result.is_shared() == (mode == "shared")


def test_unhashable():
    """The TypeError names ``.item()``."""
    with pytest.raises(TypeError, match=r"\.item\(\)"):
        hash(xp.ones(()))


def test_no_subclasses():
    """The class is final, and no subclass of NumPy's."""
    with pytest.raises(TypeError):
        type("Sub", (xp.Array,), {})
    assert not issubclass(xp.Array, np.ndarray)
    assert xp.Array is xp.ndarray


def test_conversions_of_0d_arrays():
    """Python's numbers from 0-d Arrays; ``len`` and ``iter`` are TypeErrors."""
    import math

    x = xp.asarray(2.567)
    assert (float(x), int(x), bool(x), complex(x)) == (2.567, 2, True, 2.567 + 0j)
    assert round(x) == 3
    assert type(round(x)) is int
    assert float(round(x, 1)) == 2.6
    assert type(round(x, 1)) is xp.Array
    assert (math.floor(x), math.ceil(x), math.trunc(x)) == (2, 3, 2)
    assert f"{x:.2f}" == "2.57"
    assert operator.index(xp.asarray(3)) == 3
    assert [10, 20][xp.asarray(1)] == 20
    for call in (len, iter, operator.index):
        with pytest.raises(TypeError):
            call(x)
    y = xp.ones(2)
    for call in (float, int, complex, operator.index, round, math.floor, math.trunc):
        with pytest.raises(TypeError):
            call(y)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(y)
    with pytest.raises(TypeError):
        format(y, ".2f")
    assert (2.0 in xp.asarray([1.0, 2.0]), 3 in xp.asarray([1, 2])) == (True, False)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + COMPLEX)
def test_0d_results_are_0d_arrays(dtype):
    """Where NumPy gives a scalar, here is a 0-d Array in shared memory."""
    x = xp.asarray(3, dtype=dtype)
    for result in (x + x, x * 2, -x, x == x, xp.ones(3, dtype=dtype).sum(), x[()]):
        assert type(result) is xp.Array
        assert result.shape == ()
        assert result.is_shared()


def test_warnings_of_numpy_arrive():
    """Division by zero warns, as in NumPy, and ``errstate`` is obeyed."""
    x = xp.zeros(2)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        1 / x
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        1 / x
    with xp.errstate(divide="ignore"):
        assert (1 / x).tolist() == [float("inf")] * 2
