"""For each function of the standard: a strategy for its arguments, `((args), {kwargs})`."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from .inputs import (
    ALL,
    BOOL,
    COMPLEX,
    FLOATS,
    INEXACT,
    INTS,
    NONEMPTY,
    NUMERIC,
    REAL,
    SHAPES,
    arrays,
    pairs,
    promotes,
    with_axis,
)

CASES = {}


def case(*names):
    """Register a strategy under names."""

    def register(strategy):
        for name in names:
            CASES[name] = strategy() if callable(strategy) else strategy
        return strategy

    return register


def one(dtypes, shapes=SHAPES, low=None, high=None, **keywords):
    """Calls with one array and keywords."""
    return st.tuples(st.tuples(arrays(dtypes, shapes, low, high)), st.fixed_dictionaries(keywords))


def two(dtypes, low=None, high=None, with_scalars=True):
    """Calls with two arrays that broadcast."""
    return st.tuples(pairs(dtypes, low, high, with_scalars), st.just({}))


KEEP = ("keepdims", st.booleans())

for _names, _dtypes in {
    "acos acosh asin asinh atan atanh cos cosh exp log log10 log1p log2 sin sinh sqrt tan": INEXACT,
    "expm1 tanh reciprocal": FLOATS,
    "abs negative positive square isfinite isinf isnan conj real round": NUMERIC,
    "ceil floor trunc": REAL,
    "signbit": FLOATS,
    "imag": COMPLEX,
    "bitwise_invert": BOOL + INTS,
    "logical_not": BOOL,
}.items():
    for _name in _names.split():
        CASES[_name] = one(_dtypes)
for _names, _dtypes in {
    "add subtract multiply": NUMERIC,
    "divide": INEXACT,
    "atan2 copysign hypot logaddexp nextafter": FLOATS,
    "equal not_equal": ALL,
    "greater greater_equal less less_equal maximum minimum floor_divide remainder": REAL,
    "bitwise_and bitwise_or bitwise_xor": BOOL + INTS,
    "logical_and logical_or logical_xor": BOOL,
}.items():
    for _name in _names.split():
        CASES[_name] = two(_dtypes)
CASES["sign"] = st.one_of(one(REAL), one(COMPLEX, low=-9, high=9))
CASES["bitwise_left_shift"] = CASES["bitwise_right_shift"] = two(INTS, 0, 7)
CASES["pow"] = two(REAL + COMPLEX, 0, 5)

for _names, _dtypes, _shapes, _several, _none in [
    ("sum prod", NUMERIC, SHAPES, True, True),
    ("mean", FLOATS, SHAPES, True, True),
    ("all any", ALL, SHAPES, True, True),
    ("max min", REAL, NONEMPTY, True, True),
    ("argmax argmin", REAL, NONEMPTY, False, True),
    ("count_nonzero", ALL, SHAPES, True, True),
]:
    for _name in _names.split():
        CASES[_name] = with_axis(_dtypes, _shapes, _several, _none, [KEEP])
CASES["std"] = CASES["var"] = with_axis(
    FLOATS, NONEMPTY, keywords=[KEEP, ("correction", st.sampled_from([0.0, 1, 0.5]))]
)


@case("cumulative_sum", "cumulative_prod")
@st.composite
def cumulative(draw):
    shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)
    x = draw(st.one_of(arrays(REAL, shapes), arrays(COMPLEX, shapes, -9, 9)))
    none = [st.none()] if x.ndim == 1 else []
    axis = draw(st.one_of([*none, st.integers(-x.ndim, x.ndim - 1)]))
    return (x,), {"axis": axis, "include_initial": draw(st.booleans())}


@case("sort", "argsort")
@st.composite
def sorting(draw):
    shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)
    x = np.nan_to_num(draw(arrays(REAL, shapes)))
    return (x,), {
        "axis": draw(st.integers(-x.ndim, x.ndim - 1)),
        "descending": draw(st.booleans()),
        "stable": True,
    }


@case("clip")
@st.composite
def clip(draw):
    x = draw(arrays(REAL))
    bounds = st.one_of(
        st.none(),
        arrays([x.dtype], x.shape),
        arrays([x.dtype], ()),
        st.integers(0, 100) if x.dtype.kind in "iu" else st.floats(-10, 10),
    )
    low, high = draw(bounds), draw(bounds)
    if low is not None and high is not None:
        low, high = np.fmin(low, high), np.fmax(low, high)
        low, high = (np.asarray(v, x.dtype) for v in (low, high))
    return (x, low, high), {}


@case("diff")
@st.composite
def diff(draw):
    (x,), options = draw(with_axis(NUMERIC, NONEMPTY.filter(len), several=False, none=False))
    options["n"] = draw(st.integers(0, 2))
    for name in ("prepend", "append"):
        if draw(st.booleans()):
            options[name] = draw(arrays([x.dtype], x.shape))
    return (x,), options


@case("searchsorted")
@st.composite
def searchsorted(draw):
    x = np.sort(draw(arrays(REAL, hnp.array_shapes(max_dims=1, max_side=5), -100, 100)))
    v = draw(arrays([x.dtype], SHAPES, -100, 100))
    options = {"side": draw(st.sampled_from(["left", "right"]))}
    if draw(st.booleans()):
        x = x[::-1]
        options["sorter"] = np.argsort(x, kind="stable")
    return (x, v), options


@case("where")
@st.composite
def where(draw):
    x1, x2 = draw(pairs(ALL, with_scalars=False))
    shape = draw(st.sampled_from([x1.shape, (), np.broadcast_shapes(x1.shape, x2.shape)]))
    return (draw(arrays(BOOL, shape)), x1, x2), {}


CASES["nonzero"] = one(ALL, SHAPES.filter(len))
for _name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
    CASES[_name] = one(REAL)


@case("isin")
@st.composite
def isin(draw):
    x1, x2 = draw(pairs(INTS, -5, 5, with_scalars=False))
    return (x1, x2), {}  # array-api-strict ignores `invert`: see test_fixes


@case("broadcast_arrays")
@st.composite
def broadcast_arrays(draw):
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3))
    return tuple(draw(arrays(ALL, s)) for s in shapes.input_shapes), {}


@case("broadcast_shapes")
@st.composite
def broadcast_shapes(draw):
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=4))
    return shapes.input_shapes, {}


@case("broadcast_to")
@st.composite
def broadcast_to(draw):
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=1, max_dims=3, max_side=3))
    return (draw(arrays(ALL, shapes.input_shapes[0])), shapes.result_shape), {}


@case("concat")
@st.composite
def concat(draw):
    shape = draw(NONEMPTY.filter(len))
    axis = draw(st.one_of(st.none(), st.integers(-len(shape), len(shape) - 1)))
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        own = list(shape)
        if axis is not None:
            own[axis] = draw(st.integers(0, 3))
        same = [d for d in ALL if not parts or promotes(parts[0].dtype, np.dtype(d))]
        parts.append(draw(arrays(same if len(parts) < 2 else [parts[0].dtype], tuple(own))))
    return (parts if draw(st.booleans()) else tuple(parts),), {"axis": axis}


@case("stack")
@st.composite
def stack(draw):
    x = draw(arrays(ALL))
    parts = [x, draw(arrays([x.dtype], x.shape))]
    return (parts,), {"axis": draw(st.integers(-x.ndim - 1, x.ndim))}


@case("expand_dims")
@st.composite
def expand_dims(draw):
    x = draw(arrays(ALL))
    return (x,), {"axis": draw(st.integers(-x.ndim - 1, x.ndim))}


CASES["flip"] = with_axis(ALL)


@case("moveaxis")
@st.composite
def moveaxis(draw):
    x = draw(arrays(ALL, SHAPES.filter(len)))
    axes = st.integers(-x.ndim, x.ndim - 1)
    return (x, draw(axes), draw(axes)), {}


@case("permute_dims")
@st.composite
def permute_dims(draw):
    x = draw(arrays(ALL))
    return (x, tuple(draw(st.permutations(range(x.ndim))))), {}


@case("matrix_transpose")
def matrix_transpose():
    return one(ALL, hnp.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=3))


@case("repeat")
@st.composite
def repeat(draw):
    (x,), options = draw(with_axis(ALL, NONEMPTY.filter(len), several=False))
    length = x.size if options["axis"] is None else x.shape[options["axis"]]
    repeats = draw(
        st.one_of(st.integers(0, 3), hnp.arrays("int64", length, elements=st.integers(0, 3)))
    )
    return (x, repeats), options


@case("reshape")
@st.composite
def reshape(draw):
    x = draw(arrays(ALL))
    shape = draw(st.sampled_from([(x.size,), (1, x.size), (-1,) if x.size else (0,), x.shape]))
    return (x, shape), {"copy": draw(st.sampled_from([None, True]))}


@case("roll")
@st.composite
def roll(draw):
    (x,), options = draw(with_axis(ALL, several=False))
    return (x, draw(st.integers(-5, 5))), options


@case("squeeze")
@st.composite
def squeeze(draw):
    x = draw(arrays(ALL))
    at = draw(st.integers(0, x.ndim))
    return (np.expand_dims(x, at), at), {}


@case("tile")
@st.composite
def tile(draw):
    return (draw(arrays(ALL)), draw(hnp.array_shapes(min_side=0, max_side=3, max_dims=3))), {}


CASES["unstack"] = with_axis(ALL, SHAPES.filter(len), several=False, none=False)


@case("take")
@st.composite
def take(draw):
    x = draw(arrays(ALL, NONEMPTY.filter(len)))
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    indices = draw(
        hnp.arrays(
            "int64", st.integers(0, 4), elements=st.integers(-x.shape[axis], x.shape[axis] - 1)
        )
    )
    return (x, indices), {"axis": axis}


@case("take_along_axis")
@st.composite
def take_along_axis(draw):
    x = draw(arrays(ALL, NONEMPTY.filter(len)))
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    indices = draw(hnp.arrays("int64", x.shape, elements=st.integers(0, x.shape[axis] - 1)))
    return (x, indices), {"axis": axis}


@case("tril", "triu")
def triangles():
    return one(
        ALL, hnp.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=4), k=st.integers(-3, 3)
    )


@case("astype")
@st.composite
def astype(draw):
    x = draw(arrays(ALL, low=0, high=100))
    targets = ALL if x.dtype.kind != "c" else COMPLEX
    return (x, np.dtype(draw(st.sampled_from(targets)))), {"copy": draw(st.booleans())}


@case("can_cast")
def can_cast():
    types = st.sampled_from(ALL).map(np.dtype)
    return st.tuples(st.tuples(types, types).filter(lambda t: promotes(*t)), st.just({}))


@case("isdtype")
def isdtype():
    types = st.sampled_from(ALL).map(np.dtype)
    kinds = st.sampled_from(
        [
            "bool",
            "signed integer",
            "unsigned integer",
            "integral",
            "real floating",
            "complex floating",
            "numeric",
        ]
    )
    return st.tuples(
        st.tuples(types, st.one_of(kinds, st.tuples(kinds, types), types)), st.just({})
    )


@case("result_type")
@st.composite
def result_type(draw):
    x, y = draw(pairs(NUMERIC, with_scalars=False))
    return (x, y.dtype), {}


SIZES = st.one_of(st.integers(0, 4), SHAPES)
TYPES = st.one_of(st.none(), st.sampled_from(ALL).map(np.dtype))
for _name in ("zeros", "ones"):
    CASES[_name] = st.tuples(st.tuples(SIZES), st.fixed_dictionaries({"dtype": TYPES}))
for _name in ("zeros_like", "ones_like"):
    CASES[_name] = one(ALL, dtype=TYPES)
CASES["full"] = st.tuples(st.tuples(SIZES, st.sampled_from([True, 3, 2.5, 1j])), st.just({}))


@case("full_like")
@st.composite
def full_like(draw):
    x = draw(arrays(ALL))
    return (x, {"b": True, "i": -2, "u": 2, "f": 0.5, "c": 1j}[x.dtype.kind]), {}


CASES["eye"] = st.tuples(
    st.tuples(st.integers(0, 4), st.one_of(st.none(), st.integers(0, 4))),
    st.fixed_dictionaries({"k": st.integers(-3, 3), "dtype": TYPES}),
)
CASES["arange"] = st.tuples(
    st.one_of(
        st.tuples(st.integers(-5, 5)),
        st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.sampled_from([1, -2, 0.5])),
        st.tuples(st.floats(-2, 2), st.floats(-2, 2)),
    ),
    st.just({}),
)
CASES["linspace"] = st.tuples(
    st.tuples(st.floats(-10, 10), st.floats(-10, 10), st.integers(0, 6)),
    st.fixed_dictionaries(
        {
            "endpoint": st.booleans(),
            "dtype": st.sampled_from([None, np.dtype("float32"), np.dtype("complex128")]),
        }
    ),
)


@case("meshgrid")
@st.composite
def meshgrid(draw):
    dtype = draw(st.sampled_from(NUMERIC))
    line = hnp.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=4)
    parts = [draw(arrays([dtype], line)) for _ in range(draw(st.integers(1, 3)))]
    return tuple(parts), {"indexing": draw(st.sampled_from(["xy", "ij"]))}


@case("matmul")
@st.composite
def matmul(draw):
    n, m, k = (draw(st.integers(0, 3)) for _ in range(3))
    dtype = draw(st.sampled_from(NUMERIC))
    stacks = draw(st.sampled_from([(), (2,)]))
    first = draw(st.sampled_from([(m,), (*stacks, n, m)]))
    second = draw(st.sampled_from([(m,), (m, k)]))
    return (draw(arrays([dtype], first, -9, 9)), draw(arrays([dtype], second, -9, 9))), {}


@case("vecdot")
@st.composite
def vecdot(draw):
    dtype = draw(st.sampled_from(NUMERIC))
    shape = draw(SHAPES.filter(len))
    axis = draw(st.integers(-len(shape), -1))
    return tuple(draw(arrays([dtype], shape, -9, 9)) for _ in range(2)), {"axis": axis}


@case("tensordot")
@st.composite
def tensordot(draw):
    dtype = draw(st.sampled_from(NUMERIC))
    shared = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    left = draw(arrays([dtype], (2, *shared), -9, 9))
    right = draw(arrays([dtype], (*shared, 3), -9, 9))
    return (left, right), {"axes": len(shared)}
