"""Operators, both orders and in place, and indices: what the CPU gives."""

import operator

import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _backends

from .compare import ON_CARD, SECOND, both, moved, same

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv]
ARITHMETIC += [operator.mod, operator.pow, divmod]
COMPARISONS = [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
X = [1.0, 2.0, 5.0]


@pytest.mark.parametrize("op", ARITHMETIC + COMPARISONS)
@pytest.mark.parametrize("other", [2, 2.5, np.float64(3), np.int8(2), True, [1.0, 2.0, 3.0]])
def test_scalars_and_lists_on_either_side(op, other):
    x = xp.asarray(X)
    both(lambda a: op(a, other), x)
    both(lambda a: op(other, a), x)


@pytest.mark.parametrize("op", ARITHMETIC + COMPARISONS)
def test_arrays(op):
    both(op, xp.asarray(X), xp.asarray([[2.0], [3.0]]))
    both(op, xp.asarray([5, 7]), xp.asarray([2, 3]), device=SECOND)


@pytest.mark.parametrize("op", BITS)
def test_bits(op):
    both(op, xp.asarray([5, 12]), xp.asarray([1, 2]))
    both(lambda a: op(a, 3), xp.asarray([5, 12]))
    both(lambda a: op(3, a), xp.asarray([5, 2]))


@pytest.mark.parametrize("op", [operator.neg, operator.pos, abs])
def test_one_operand(op):
    both(op, xp.asarray([-1.5, 2.0]))


def test_invert_and_matmul():
    both(operator.invert, xp.asarray([1, 2]))
    m = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    both(operator.matmul, m, m)
    both(operator.matmul, m[0], m[1])
    both(lambda a: a @ [1.0, 2.0], m)


@pytest.mark.parametrize(
    "op",
    [
        operator.iadd,
        operator.isub,
        operator.imul,
        operator.itruediv,
        operator.ifloordiv,
        operator.imod,
        operator.ipow,
    ],
)
def test_in_place(op):
    x = xp.asarray(X)
    y = x.to_device("cuda:0")
    view = y[:]
    for other in (3.0, xp.asarray([2.0, 3.0, 4.0])):
        assert op(y, moved(other, "cuda:0")) is y
        op(x, other)
        same(y, x)
        same(view, x)


def test_in_place_on_bits_and_matrices():
    x = xp.asarray([5, 12], device="cuda:0")
    x &= 7
    x |= 8
    x ^= 1
    x <<= 2
    x >>= 1
    assert x.tolist() == [((((5 & 7) | 8) ^ 1) << 2) >> 1, ((((12 & 7) | 8) ^ 1) << 2) >> 1]
    m = xp.eye(2, device="cuda:0")
    m @= m + 1
    assert m.tolist() == [[2.0, 1.0], [1.0, 2.0]]


def test_in_place_where_the_library_makes_a_new_array(monkeypatch):
    """CuPy has no matmul in place."""
    library = _backends.loaded()
    real = library.operate

    def operate(operation, *operands):
        return real(operator.matmul if operation is operator.imatmul else operation, *operands)

    monkeypatch.setattr(library, "operate", operate)
    m = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device="cuda:0")
    view = m[:]
    m @= xp.asarray([[0.0, 1.0], [1.0, 0.0]], device="cuda:0")
    assert view.tolist() == [[2.0, 1.0], [4.0, 3.0]]
    with pytest.raises(ValueError, match="shape"):
        m @= xp.ones(2, device="cuda:0")
    n = xp.eye(2, dtype=int, device="cuda:0")
    with pytest.raises(TypeError, match="same_kind"):
        n @= m
    assert n.tolist() == [[1, 0], [0, 1]]


def test_errors_come_before_anything_is_written():
    x = xp.asarray([1, 2], device="cuda:0")
    for operation in (
        lambda: operator.iadd(x, 1.5),
        lambda: operator.iadd(x, xp.ones(3, dtype=int, device="cuda:0")),
        lambda: operator.iadd(x, np.asarray([1, 1])),
        lambda: operator.iadd(x, "a"),
    ):
        with pytest.raises((TypeError, ValueError)):
            operation()
        assert x.tolist() == [1, 2]
    if not ON_CARD:  # CuPy computes negative powers of integers
        with pytest.raises(ValueError, match="negative"):
            x **= xp.asarray([1, -1], device="cuda:0")
        assert x.tolist() == [1, 2]


def test_comparison_with_anything():
    x = xp.asarray([1, 2], device="cuda:0")
    assert (x == "a").tolist() == [False, False]
    assert (x != "a").tolist() == [True, True]
    assert (x == None) is False  # noqa: E711
    assert (x == object()) is False
    with pytest.raises(TypeError):
        x < object()  # noqa: B015


def test_other_types_may_do_the_operation():
    class Mine:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    class Higher:
        __array_priority__ = 1000

        def __rmatmul__(self, other):
            return "mine", type(other)

        __rmul__ = __rmatmul__

    x = xp.ones(2, device="cuda:0")
    assert x + Mine() == "mine"
    assert x @ Higher() == ("mine", type(x))
    y = x
    y *= Higher()
    assert y == ("mine", type(x))
    assert x.__add__(Mine()) is NotImplemented
    assert x.__mul__(Higher()) is NotImplemented


KEYS = [
    0,
    -1,
    slice(1, None),
    slice(None, None, -1),
    (0, 1),
    (slice(None), 1),
    (Ellipsis, 0),
    None,
    (None, 0),
    Ellipsis,
    (),
    [0, 1],
    ([0, 1], [1, 0]),
    np.asarray([1, 0]),
    np.asarray([True, False]),
    [True, False],
    True,
    np.int64(1),
    slice(np.int64(0), np.int64(1)),
    [],
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_reading(key):
    both(lambda a: a[key], xp.arange(6).reshape(2, 3))


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("value", [7, np.int8(7), [[9]]], ids=repr)
def test_writing(key, value):
    x = xp.arange(6).reshape(2, 3)
    y = x.to_device("cuda:0")
    try:
        x[key] = value
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            y[key] = value
    else:
        y[key] = value
    same(y, x)


def test_keys_on_the_device():
    x = xp.asarray([1.0, 2.0, 3.0], device="cuda:0")
    assert x[x > 1.5].tolist() == [2.0, 3.0]
    assert x[xp.asarray([2, 0], device="cuda:0")].tolist() == [3.0, 1.0]
    assert x[xp.asarray(1, device="cuda:0")].item() == 2.0
    x[x > 1.5] = 0
    x[xp.asarray([0], device="cuda:0")] = xp.asarray([9.0], device="cuda:0")
    assert x.tolist() == [9.0, 0.0, 0.0]


def test_one_element_is_a_snapshot_and_the_rest_are_views():
    x = xp.asarray([1.0, 2.0], device="cuda:0")
    first, part, all_of_it = x[0], x[1:], x[...]
    x[:] = 5
    assert first.item() == 1.0
    assert part.tolist() == [5.0]
    assert all_of_it.tolist() == [5.0, 5.0]
    x[0], x[1] = x[1], x[0]
    z = xp.asarray(3, device="cuda:0")
    snapshot = z[()]
    z[...] = 4
    assert snapshot.item() == 3
    for element in x:
        element[...] = 9
    assert x.tolist() == [5.0, 5.0]
    (row,) = xp.zeros((1, 2), device="cuda:0")
    row[0] = 1
    assert row.tolist() == [1.0, 0.0]


def test_bad_keys():
    x = xp.asarray([1.0, 2.0], device="cuda:0")
    for key in (2, (0, 0), 1.5, [0.5], "a"):
        with pytest.raises(IndexError):
            x[key]
    with pytest.raises(ValueError, match="delete"):
        del x[0]
