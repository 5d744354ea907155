"""Make one call with array-api-strict, with this library and with NumPy, and compare.

A case is a pair `(args, kwargs)` in NumPy's terms: arrays, dtypes, Python scalars, tuples and lists
of these. Where array-api-strict accepts a call, this library gives the same values, data types and
shapes; where it refuses one, this library refuses it only if NumPy does too.
"""

import math
import operator
import os

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import sharedarray as xp

strict.set_array_api_strict_flags(api_version="2025.12")

Strict = type(strict.zeros(0))
# Examples of each function: few and always the same ones, unless a number is asked for.
ASKED = os.environ.get("DIFFERENTIAL_EXAMPLES")
EXAMPLES = int(ASKED or 20)
# Relative to the greatest value: other memory layouts make NumPy add in other orders.
TOLERANCE = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-9, "complex128": 1e-9}

# What ``finfo`` and ``iinfo`` tell.
LIMITS = ("bits", "eps", "max", "min", "smallest_normal", "dtype")
OPERATORS = {
    "add": operator.add,
    "and": operator.and_,
    "eq": operator.eq,
    "floordiv": operator.floordiv,
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lshift": operator.lshift,
    "lt": operator.lt,
    "matmul": operator.matmul,
    "mod": operator.mod,
    "mul": operator.mul,
    "ne": operator.ne,
    "or": operator.or_,
    "pow": operator.pow,
    "rshift": operator.rshift,
    "sub": operator.sub,
    "truediv": operator.truediv,
    "xor": operator.xor,
}
UNARY = {
    "abs": abs,
    "bool": bool,
    "complex": complex,
    "float": float,
    "index": operator.index,
    "int": int,
    "invert": operator.invert,
    "iter": list,
    "neg": operator.neg,
    "pos": operator.pos,
}


def method(name):
    """The function that stands for a method, operator or attribute of arrays."""
    bare = name.strip("_")
    if bare == name:
        return operator.attrgetter(name)
    if bare == "setitem":
        return set_item
    if bare in UNARY:
        return UNARY[bare]
    if bare in OPERATORS:
        return OPERATORS[bare]
    if bare[0] == "r" and bare[1:] in OPERATORS:
        return lambda x, other: OPERATORS[bare[1:]](other, x)
    if bare[0] == "i" and bare[1:] in OPERATORS:
        return lambda x, other: in_place(getattr(operator, bare), x, other)
    return getattr(operator, bare)


def in_place(op, x, other):
    """The result of an operator in place, which must be the very array where it is ours."""
    result = op(x, other)
    assert result is x or not isinstance(x, xp.Array)
    return result


def set_item(x, key, value):
    """The array after an assignment to elements."""
    x[key] = value
    return x


def lookup(namespace, name):
    """The function of a dotted name; those of ``Array.`` are operators and attributes."""
    owner, _, bare = name.rpartition(".")
    if owner == "Array":
        return method(bare)
    for part in name.split("."):
        namespace = getattr(namespace, part)
    return namespace


def given_to(value, library):
    """An argument in the terms of a library; arrays are copied, as some calls write to them."""
    if isinstance(value, np.ndarray | np.generic):
        value = np.array(value, order="K")
        return value if library is np else library.asarray(value)
    if isinstance(value, np.dtype):
        return getattr(library, value.name)
    if isinstance(value, list):
        return [given_to(v, library) for v in value]
    if isinstance(value, tuple):
        return tuple(given_to(v, library) for v in value)
    return value


def plain(value):
    """A result in NumPy's terms."""
    if isinstance(value, Strict):
        return value._array
    if isinstance(value, xp.Array):
        return value.numpy()
    if isinstance(value, tuple | list):
        return tuple(plain(v) for v in value)
    if isinstance(value, strict._dtypes.DType):
        return value._np_dtype
    if hasattr(value, "bits"):
        return tuple(plain(getattr(value, name)) for name in LIMITS if hasattr(value, name))
    return value


def call(library, name, args, kwargs):
    """The result of a call, and the result in NumPy's terms."""
    function = lookup(library, name)
    with np.errstate(all="ignore"):
        result = function(
            *(given_to(a, library) for a in args),
            **{k: given_to(v, library) for k, v in kwargs.items()},
        )
    return result, plain(result)


def outcome(library, name, args, kwargs):
    """The result in NumPy's terms, or the exception."""
    try:
        return call(library, name, args, kwargs)[1]
    except Exception as error:
        return error


def assert_same(ours, theirs):
    """Compare two results in NumPy's terms."""
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple)
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    elif isinstance(theirs, np.ndarray | np.generic):
        assert isinstance(ours, np.ndarray)
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        assert_same_values(ours, np.asarray(theirs))
    elif isinstance(theirs, float | complex) and theirs != theirs:
        assert type(ours) is type(theirs)
        assert ours != ours
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


def assert_same_but_zeros(ours, theirs):
    """Compare two results, a zero being like another."""
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            assert_same_but_zeros(a, b)
    else:
        assert isinstance(ours, np.ndarray)
        assert ours.dtype == theirs.dtype
        assert_same(np.asarray(ours + 0), np.asarray(theirs + 0))


def assert_same_values(ours, theirs):
    """Compare two arrays: NaN, infinities and the sign of zeros as they are, others nearly."""
    if ours.tobytes() == theirs.tobytes():
        return
    if theirs.dtype.kind == "c":
        assert_same_values(ours.real, theirs.real)
        assert_same_values(ours.imag, theirs.imag)
        return
    if theirs.dtype.kind != "f":
        np.testing.assert_array_equal(ours, theirs)
        return
    finite = np.abs(theirs[np.isfinite(theirs)])
    tolerance = TOLERANCE[theirs.dtype.name]
    scale = float(finite.max(initial=0.0))
    near = tolerance * scale if math.isfinite(scale) else 0.0
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=near)
    zeros = (ours == 0) & (theirs == 0)
    np.testing.assert_array_equal(np.signbit(ours[zeros]), np.signbit(theirs[zeros]))


def assert_is_ours(result):
    """Every array in a result is this library's, in shared memory."""
    if isinstance(result, tuple | list):
        for item in result:
            assert_is_ours(item)
    else:
        assert not isinstance(result, np.ndarray | np.generic)
        assert not isinstance(result, xp.Array) or result.is_shared()


def related(error, others):
    """Whether an exception is caught by whoever catches one of the others, or the other way."""
    kinds = [type(e) for e in others]
    return any(issubclass(type(error), k) or issubclass(k, type(error)) for k in kinds)


def judge(ours, theirs, numpys, same=assert_same):
    """Compare three outcomes, of which the last is asked for where it matters."""
    if not isinstance(theirs, Exception):
        if isinstance(ours, Exception):
            raise AssertionError("refused what array-api-strict takes") from ours
        same(ours, theirs)
    elif isinstance(ours, Exception):
        numpys = numpys()
        assert isinstance(numpys, Exception), f"refused what NumPy takes: {ours!r}"
        assert related(ours, (theirs, numpys)), f"{ours!r}, but NumPy: {numpys!r}"


def check(name, args, kwargs, same=assert_same):
    """Make one call with all three, and compare; tell whether array-api-strict took it."""
    theirs = outcome(strict, name, args, kwargs)
    try:
        result, ours = call(xp, name, args, kwargs)
        assert_is_ours(result)
    except AssertionError:
        raise
    except Exception as error:
        ours = error
    judge(ours, theirs, lambda: outcome(np, name, args, kwargs), same)
    return not isinstance(theirs, Exception)


def examples(function, strategy, fewest=0):
    """Call `function`, which tells whether the example counts, with examples of a strategy."""
    counted = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=ASKED is None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(drawn):
        counted.append(bool(function(drawn)))

    run()
    enough = fewest if len(counted) >= 100 else fewest / 3
    assert sum(counted) >= enough * len(counted), f"{sum(counted)} of {len(counted)} calls counted"


def differential(cases, sames=None):
    """Make the test of a chapter: each function against array-api-strict."""

    @pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
    @pytest.mark.parametrize("name", sorted(cases))
    def test_as_strict(name):
        same = (sames or {}).get(name, assert_same)
        examples(lambda case: check(name, *case, same=same), cases[name], fewest=0.3)

    return test_as_strict
