"""Faults planted in the results of this library: the comparison sees each."""

import numpy as np
import pytest

import sharedarray as xp

from . import compare
from .compare import assert_same, assert_same_but_zeros, check, judge, related

GOOD = np.asarray([1.0, 0.0, np.nan, np.inf])
X = np.asarray([[4.0, 9.0], [1.0, 0.0]])

WRONG = {
    "value": lambda a: np.asarray([1.001, 0.0, np.nan, np.inf]),
    "value of one part": lambda a: a + np.asarray([1e-6, 0, 0, 0]),
    "sign of zero": lambda a: np.asarray([1.0, -0.0, np.nan, np.inf]),
    "nan": lambda a: np.asarray([1.0, 0.0, 0.0, np.inf]),
    "sign of infinity": lambda a: np.asarray([1.0, 0.0, np.nan, -np.inf]),
    "dtype": lambda a: a.astype("float32"),
    "kind": lambda a: a.astype("complex128"),
    "byte order": lambda a: a.astype(">f8"),
    "shape": lambda a: a.reshape(1, 4),
    "dimensions": lambda a: a[0],
    "length": lambda a: a[:3],
    "tuple": lambda a: (a,),
    "list": lambda a: a.tolist(),
    "None": lambda a: None,
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_result_is_seen(fault):
    assert_same(GOOD.copy(), GOOD)
    with pytest.raises(AssertionError):
        assert_same(WRONG[fault](GOOD), GOOD)


@pytest.mark.parametrize("fault", [f for f in WRONG if f != "sign of zero"])
def test_a_wrong_result_is_seen_where_zeros_have_no_sign(fault):
    assert_same_but_zeros(WRONG["sign of zero"](GOOD), GOOD)
    with pytest.raises(AssertionError):
        assert_same_but_zeros(WRONG[fault](GOOD), GOOD)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool", "complex64", "float32"])
def test_a_wrong_element_of_every_kind_is_seen(dtype):
    good = np.asarray([0, 1, 1]).astype(dtype)
    bad = np.asarray([0, 1, 0]).astype(dtype)
    assert_same(good.copy(), good)
    with pytest.raises(AssertionError):
        assert_same(bad, good)


def test_a_wrong_imaginary_part_is_seen():
    for bad in (1 - 2.0001j, complex(1, np.nan), 1 + 2j):
        with pytest.raises(AssertionError):
            assert_same(np.asarray([bad]), np.asarray([1 - 2j]))


def test_a_wrong_member_of_a_tuple_is_seen():
    good = (GOOD, np.asarray(3))
    assert_same((GOOD.copy(), np.asarray(3)), good)
    for bad in ((GOOD, np.asarray(4)), (GOOD,), (*good, GOOD), (GOOD, np.asarray(3.0))):
        with pytest.raises(AssertionError):
            assert_same(bad, good)


def test_python_objects_must_be_equal_and_of_one_type():
    for bad, good in ((1, True), (1.0, 1), (float("nan"), 1.0), ("a", "b"), ((1, 2), (1, 3))):
        with pytest.raises(AssertionError):
            assert_same(bad, good)
    assert_same(float("nan"), float("nan"))


def test_an_error_where_the_standard_has_a_result_is_seen():
    with pytest.raises(AssertionError, match="refused what array-api-strict takes"):
        judge(ValueError("no"), GOOD, lambda: GOOD)


def test_an_error_that_numpy_does_not_raise_is_seen():
    refused = TypeError("array-api-strict says no")
    judge(GOOD, refused, lambda: GOOD)
    judge(TypeError("no"), refused, lambda: TypeError("NumPy says no"))
    with pytest.raises(AssertionError, match="refused what NumPy takes"):
        judge(TypeError("no"), refused, lambda: GOOD)


def test_an_error_of_another_type_is_seen():
    with pytest.raises(AssertionError, match="but NumPy"):
        judge(RuntimeError("no"), TypeError("strict"), lambda: IndexError("NumPy"))
    assert related(np.exceptions.AxisError(3), [ValueError()])
    assert not related(KeyError(), [ValueError(), TypeError()])


class Faulty:
    """This library, with one function replaced."""

    def __init__(self, name, function):
        setattr(self, name, function)

    def __getattr__(self, name):
        return getattr(xp, name)


FAULTS = {
    "dtype": lambda x: xp.sqrt(x).astype(xp.float32),
    "shape": lambda x: xp.sqrt(x)[None],
    "values": lambda x: xp.sqrt(x) + 1e-3,
    "0-d scalar": lambda x: np.float64(2.0),
    "ndarray": lambda x: np.sqrt(x.numpy()),
    "private memory": lambda x: xp.asarray(np.sqrt(x.numpy()), copy=False),
    "error": lambda x: xp.sqrt(x, x, x),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_function_is_seen(fault, monkeypatch):
    """By the whole way from the call to the comparison."""
    assert check("sqrt", (X,), {})
    monkeypatch.setattr(compare, "xp", Faulty("sqrt", FAULTS[fault]))
    with pytest.raises(AssertionError):
        check("sqrt", (X,), {})


def test_an_operator_in_place_that_makes_a_new_array_is_seen(monkeypatch):
    case = ("Array.__iadd__", (X, 1.0), {})
    assert check(*case)
    monkeypatch.setattr(compare.operator, "iadd", lambda x, other: x + other)
    with pytest.raises(AssertionError):
        check(*case)


def test_a_fault_is_seen_by_the_test_of_a_chapter(monkeypatch):
    """With the examples that are drawn there."""
    from . import test_elementwise

    test_elementwise.test_as_strict("sqrt")
    monkeypatch.setattr(compare, "xp", Faulty("sqrt", lambda x: xp.sqrt(xp.abs(x))))
    with pytest.raises((AssertionError, ExceptionGroup)):
        test_elementwise.test_as_strict("sqrt")
