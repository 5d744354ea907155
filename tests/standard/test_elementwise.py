"""Elementwise functions."""

import numpy as np
from hypothesis import strategies as st

from .compare import assert_same_but_zeros, differential
from .strategies import (
    ALL,
    BOOL,
    COMPLEX,
    FLOATS,
    INEXACT,
    INTS,
    NUMERIC,
    REAL,
    arrays,
    calls,
    pairs,
    partners,
)

ONE = {
    "acos acosh asin asinh atan atanh cos cosh exp expm1": INEXACT,
    "log log10 log1p log2 reciprocal sin sinh sqrt tan tanh": INEXACT,
    "abs negative positive square isfinite isinf isnan conj real round": NUMERIC,
    "ceil floor trunc": REAL,
    "signbit": FLOATS,
    "imag": COMPLEX,
    "bitwise_invert": BOOL + INTS,
    "logical_not": BOOL,
}
TWO = {
    "add subtract multiply": NUMERIC,
    "divide": INEXACT,
    "atan2 copysign hypot logaddexp nextafter": FLOATS,
    "equal not_equal": ALL,
    "greater greater_equal less less_equal maximum minimum floor_divide remainder": REAL,
    "bitwise_and bitwise_or bitwise_xor": BOOL + INTS,
    "logical_and logical_or logical_xor": BOOL,
    "pow": NUMERIC,
}


@st.composite
def one(draw, dtypes):
    """Calls with one array, at times of a data type that the function need not take."""
    return (draw(arrays(ALL if draw(st.integers(0, 7)) == 0 else dtypes)),), {}


@st.composite
def clip(draw):
    """Bounds that are scalars, arrays of one element or of every shape, or not there."""
    x = draw(arrays(REAL))
    same = partners(x.dtype.name, [x.dtype.name])
    size = np.iinfo(x.dtype).max if x.dtype.kind in "iu" else 10
    numbers = st.integers(0, size) if x.dtype.kind in "iu" else st.sampled_from([-1.5, 0.0, 2.0])
    bounds = st.one_of(
        st.none(), numbers, arrays(same, ()), arrays(same, x.shape), arrays(REAL, ())
    )
    args = [x, draw(bounds), draw(bounds)][: draw(st.sampled_from([3, 3, 2, 1]))]
    return tuple(args), {}


CASES = {name: one(dtypes) for names, dtypes in ONE.items() for name in names.split()}
CASES |= {
    name: st.tuples(pairs(dtypes), st.just({}))
    for names, dtypes in TWO.items()
    for name in names.split()
}
# Shifts by the width of the type or more, or by less than nothing, are not defined.
for _name in ("bitwise_left_shift", "bitwise_right_shift"):
    CASES[_name] = st.tuples(pairs(INTS, 0, 7), st.just({}))
CASES["clip"] = clip()
CASES["sign"] = calls(st.one_of(arrays(REAL), arrays(COMPLEX, low=-9, high=9), arrays(BOOL)))

# A complex number's sign may have zeros of either sign, and so may a bound that an element equals.
test_as_strict = differential(CASES, dict.fromkeys(["sign", "clip"], assert_same_but_zeros))
