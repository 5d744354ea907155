"""Strategies for the arguments of functions of the standard, as NumPy arrays."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

BOOL = ["bool"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = INTS + FLOATS
INEXACT = FLOATS + COMPLEX
NUMERIC = REAL + COMPLEX
ALL = BOOL + NUMERIC

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
NONEMPTY = hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=4)

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1e30, -1e-30]


def elements(dtype, low=None, high=None):
    """Values of a data type, the special ones often."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low = info.min if low is None else max(low, info.min)
        high = info.max if high is None else min(high, info.max)
        return st.one_of(st.integers(low, high), st.integers(max(low, -3), min(high, 3)))
    if low is not None or high is not None:
        reals = st.floats(low, high, width=32)
    else:
        reals = st.one_of(st.sampled_from(SPECIAL), st.floats(-1e6, 1e6, width=32))
    if dtype.kind == "c":
        return st.builds(complex, reals, reals)
    return reals


@st.composite
def arrays(draw, dtypes, shapes=SHAPES, low=None, high=None):
    """An array of one of some data types, in any layout."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    shape = draw(shapes) if isinstance(shapes, st.SearchStrategy) else shapes
    a = draw(hnp.arrays(dtype, shape, elements=elements(dtype, low, high)))
    layout = draw(st.sampled_from(["C", "F", "flipped"]))
    if layout == "F":
        return np.asfortranarray(a) if a.ndim else a
    if layout == "flipped" and a.ndim:
        return np.ascontiguousarray(a[..., ::-1])[..., ::-1]
    return a


def scalars(dtype):
    """Python scalars that an operation with this data type takes."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind in "iu":
        return st.integers(0 if kind == "u" else -5, 5)
    reals = st.sampled_from([0.0, 1.0, -2.5, 3])
    return st.one_of(reals, st.just(1.5 - 2j)) if kind == "c" else reals


@st.composite
def pairs(draw, dtypes, low=None, high=None, with_scalars=True):
    """Two arrays that broadcast, of data types that promote, or one and a Python scalar."""
    first = draw(arrays(dtypes, low=low, high=high))
    if with_scalars and draw(st.integers(0, 3)) == 0:
        other = draw(scalars(first.dtype))
        return (first, other) if draw(st.booleans()) else (other, first)
    same = [d for d in dtypes if promotes(first.dtype, np.dtype(d))]
    shapes = draw(
        hnp.mutually_broadcastable_shapes(
            num_shapes=1, base_shape=first.shape, max_dims=3, min_side=0, max_side=4
        )
    )
    return first, draw(arrays(same, shapes.input_shapes[0], low=low, high=high))


def promotes(a, b):
    """Whether the standard defines the promotion of two data types."""
    try:
        result = np.result_type(a, b)
    except TypeError:
        return False
    kinds = {a.kind, b.kind}
    if kinds <= {"i", "u"}:
        return result.kind in "iu"
    return a.kind == b.kind or kinds == {"f", "c"}


@st.composite
def axes(draw, ndim, several=True, none=True):
    """An axis, several, or None, valid for a number of dimensions."""
    choices = [st.none()] if none or ndim == 0 else []
    if ndim:
        one = st.integers(-ndim, ndim - 1)
        choices.append(one)
        if several:
            several_of_them = st.lists(st.integers(0, ndim - 1), unique=True, max_size=ndim)
            choices.append(several_of_them.map(tuple))
    return draw(st.one_of(choices))


@st.composite
def with_axis(
    draw, dtypes, shapes=SHAPES, several=True, none=True, keywords=(), low=None, high=None
):
    """One array, with an axis and further keywords."""
    x = draw(arrays(dtypes, shapes, low, high))
    options = {"axis": draw(axes(x.ndim, several, none))}
    for name, strategy in keywords:
        options[name] = draw(strategy)
    return (x,), options
