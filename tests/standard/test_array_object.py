"""The array object: operators, with arrays and scalars on both sides and in place; attributes."""

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import strategies as st

import sharedarray as xp

from .compare import assert_same, differential, examples
from .strategies import (
    ALL,
    BOOL,
    FLOATS,
    INTS,
    NUMERIC,
    REAL,
    SHAPES,
    arrays,
    calls,
    pairs,
    scalars,
)
from .test_linear_algebra import matmul

TAKES = {
    "add mul sub pow": NUMERIC,
    "truediv": FLOATS + NUMERIC[-2:],
    "floordiv mod": REAL,
    "and or xor": BOOL + INTS,
    "lshift rshift": INTS,
}
COMPARISONS = {"eq ne": ALL, "ge gt le lt": REAL}
BOUNDS = {"lshift": (0, 7), "rshift": (0, 7)}
ZERO_D = st.sampled_from([(), (), (), (1,), (2,), (0,)])


def array_first(dtypes, low=None, high=None):
    """An array, and an array or a Python scalar."""
    return pairs(dtypes, low, high).map(lambda p: p if isinstance(p[0], np.ndarray) else p[::-1])


@st.composite
def with_scalar(draw, dtypes, low=None, high=None):
    """An array, and a Python scalar, which stands on the left."""
    x = draw(arrays(dtypes, low=low, high=high))
    s = draw(scalars(x.dtype.kind) if low is None else st.integers(low, high))
    return (x, s), {}


@st.composite
def in_place(draw, dtypes, low=None, high=None):
    """An array, and what may be added to it: of its type, mostly."""
    if draw(st.integers(0, 3)) == 0:
        return draw(array_first(dtypes, low, high)), {}
    x = draw(arrays(dtypes, low=low, high=high))
    if draw(st.integers(0, 2)) == 0:
        inside = scalars(x.dtype.kind) if low is None else st.integers(low, high)
        return (x, draw(inside)), {}
    shape = tuple(1 if draw(st.booleans()) else n for n in x.shape)
    return (x, draw(arrays([x.dtype.name], shape[draw(st.integers(0, x.ndim)) :], low, high))), {}


@st.composite
def square_in_place(draw):
    """Matrices that are multiplied by square ones, in place."""
    dtype = draw(st.sampled_from(NUMERIC))
    n = draw(st.sampled_from([2, 1, 3, 0]))
    x1 = draw(arrays([dtype], draw(st.sampled_from([(n, n), (3, n), (2, 3, n), (n,)])), -9, 9))
    return (x1, draw(arrays([dtype], (n, n), -9, 9))), {}


CASES = {}
for _names, _dtypes in (TAKES | COMPARISONS).items():
    for _name in _names.split():
        _bounds = BOUNDS.get(_name, (None, None))
        _both = st.tuples(array_first(_dtypes, *_bounds), st.just({}))
        CASES[f"Array.__{_name}__"] = _both
        if _names in TAKES:
            CASES[f"Array.__i{_name}__"] = in_place(_dtypes, *_bounds)
            CASES[f"Array.__r{_name}__"] = with_scalar(_dtypes, *_bounds)
CASES["Array.__matmul__"] = matmul()
CASES["Array.__rmatmul__"] = matmul().map(lambda case: (case[0][::-1], {}))
CASES["Array.__imatmul__"] = square_in_place()
for _name, _dtypes in {
    "abs": NUMERIC,
    "neg": NUMERIC,
    "pos": NUMERIC,
    "invert": BOOL + INTS,
}.items():
    CASES[f"Array.__{_name}__"] = calls(arrays(_dtypes))
for _name in ("bool", "int", "float", "complex", "index"):
    CASES[f"Array.__{_name}__"] = calls(arrays(ALL, ZERO_D))
CASES["Array.__iter__"] = calls(arrays(ALL, st.sampled_from([(3,), (0,), (5,), (2, 2), ()])))
for _name in ("dtype", "mT", "ndim", "shape", "size"):
    CASES[f"Array.{_name}"] = calls(arrays())
CASES["Array.T"] = calls(arrays(ALL, st.one_of(st.sampled_from([(2, 3), (3, 0)]), SHAPES)))


# Tested in the functions below.
ALSO = {"__array_namespace__", "__dlpack__", "__dlpack_device__", "device", "to_device"}
ALSO |= {"__array__", "__buffer__"}

test_as_strict = differential(CASES)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_with_an_array_that_is_not_ours():
    """array-api-strict's arrays are arrays like any other that NumPy takes, if it takes them."""
    x = xp.asarray([1.0, 2.0])
    foreign = strict.asarray([3.0, 4.0])
    try:
        expected = np.asarray([1.0, 2.0]) + foreign
    except TypeError:
        with pytest.raises(TypeError):
            x + foreign
    else:
        assert_same((x + foreign).numpy(), np.asarray(expected))


def test_exchange_by_dlpack():
    """Device, capsule, and the values in NumPy and array-api-strict."""

    def one(a):
        x = xp.asarray(a)
        assert x.__dlpack_device__() == strict.asarray(a).__dlpack_device__() == (1, 0)
        assert_same(np.from_dlpack(x), a)
        assert_same(strict.from_dlpack(x)._array, a)
        assert "dltensor" in repr(x.__dlpack__(stream=None))
        assert "dltensor" in repr(x.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True))
        return True

    examples(one, arrays())


def test_conversion_by_the_protocols_of_numpy():
    """``__array__`` and the buffer: the very memory."""

    def one(a):
        x = xp.asarray(a)
        assert_same(np.asarray(x), a)
        assert_same(np.asarray(memoryview(x)).reshape(a.shape), a)
        assert not a.size or np.shares_memory(np.asarray(x), np.asarray(memoryview(x)))
        return True

    examples(one, arrays())


def test_namespace_of_an_array():
    x = xp.ones(2)
    assert x.__array_namespace__() is xp
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is xp
    for version in ("2020.12", "nonsense"):
        for array in (x, strict.ones(2)):
            with pytest.raises(ValueError, match=version):
                array.__array_namespace__(api_version=version)


def test_device_of_an_array():
    x = xp.ones(2)
    assert x.device in xp.__array_namespace_info__().devices()
    assert x.device == xp.__array_namespace_info__().default_device()
    same = x.to_device(x.device)
    assert same.device == x.device
    assert_same(same.numpy(), x.numpy())
    assert x.to_device("cpu", stream=None).device == "cpu"
    with pytest.raises(ValueError, match="nonsense"):
        x.to_device("nonsense")
