"""Arguments of functions of the standard, in NumPy's terms.

An array is drawn as its data type, shape, memory layout and one byte for each element, which
chooses among 256 values of that type: the special ones, the extreme ones, and some of every size.
"""

import functools
import itertools
import math

import numpy as np
from hypothesis import strategies as st

BOOL = ["bool"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = INTS + FLOATS
INEXACT = FLOATS + COMPLEX
NUMERIC = REAL + COMPLEX
ALL = BOOL + NUMERIC

_SMALL = [s for n in range(4) for s in itertools.product((2, 1, 0, 3), repeat=n)]
_LARGE = [(5,), (17,), (70,), (3, 20), (2, 3, 4), (1, 2, 1, 3), (4, 0, 2, 1), (2, 2, 2, 2)]
SHAPES = st.sampled_from([*_SMALL[:5], *_LARGE, *_SMALL[5:]])
NONEMPTY = SHAPES.filter(math.prod)
WITH_AXES = SHAPES.filter(len)
FULL = WITH_AXES.filter(math.prod)
TYPES = st.sampled_from([np.dtype(name) for name in ALL])
SPECIAL = [0.0, 1.0, -1.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 2.0, 3.0, 1e-30, -1e30]


@functools.cache
def values(name, low=None, high=None):
    """The 256 values of a data type, those between two bounds alone if there are bounds."""
    dtype = np.dtype(name)
    rng = np.random.default_rng(len(name))
    if dtype.kind == "b":
        found = np.arange(256) % 2 == 1
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        powers = [2**n for n in range(info.bits)]
        known = [0, 1, 2, 3, -1, -2, -3, info.max, info.min, info.max - 1, 7, -7, 100, *powers]
        known = [v for v in known if info.min <= v <= info.max]
        rest = rng.integers(info.min, info.max, 256, dtype=dtype, endpoint=True)
        found = np.concatenate(
            [np.asarray(known, dtype), rest >> (np.arange(256) % info.bits).astype(dtype)]
        )
    elif dtype.kind == "f":
        info = np.finfo(dtype)
        limits = [info.max, info.min, info.smallest_normal, info.smallest_subnormal, info.eps]
        rest = rng.normal(0, 10.0 ** rng.integers(-3, 4, 256))
        found = np.asarray([*SPECIAL, *limits, *np.round(rest[:60]), *rest], dtype)
    else:
        parts = values("float32" if dtype.itemsize == 8 else "float64")
        special = [complex(a, b) for a in SPECIAL[:7] for b in SPECIAL[:7]]
        rest = rng.permutation(parts).astype(dtype)
        rest.imag = rng.permutation(parts)
        found = np.concatenate([np.asarray(special, dtype), rest])
    if low is not None:
        size = found if dtype.kind != "c" else found.real
        inside = (size >= low) & (size <= high)
        if dtype.kind == "c":
            inside &= (found.imag >= low) & (found.imag <= high)
        found = found[inside]
        if dtype.kind in "iu":
            everything = np.arange(max(low, info.min), min(high, info.max) + 1)
            found = np.concatenate([found, everything.astype(dtype)])
    return np.resize(found, 256)


@st.composite
def arrays(draw, dtypes=ALL, shapes=SHAPES, low=None, high=None):
    """An array of one of some data types, in any layout."""
    name = draw(st.sampled_from(dtypes)) if len(dtypes) > 1 else dtypes[0]
    shape = draw(shapes) if isinstance(shapes, st.SearchStrategy) else shapes
    size = math.prod(shape)
    choice = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), np.uint8)
    a = values(np.dtype(name).name, low, high)[choice].reshape(shape)
    layout = draw(st.sampled_from("CCFR")) if a.ndim else "C"
    if layout == "F":
        return np.asfortranarray(a)
    return a if layout == "C" else np.ascontiguousarray(a[..., ::-1])[..., ::-1]


def scalars(kind):
    """Python scalars that go with arrays of a kind of data types, others at times."""
    choices = {
        "b": [True, False],
        "u": [0, 1, 2, 7, True],
        "i": [0, 1, 2, -1, -7, False],
        "f": [0.0, 1, -2.5, float("inf"), float("nan"), True],
        "c": [0, 1.5, 2 - 1j, complex(0, float("inf"))],
    }
    return st.sampled_from([*choices[kind], *choices[kind], 3, 0.5, 1j, 2**40])


@st.composite
def broadcastable(draw, shape):
    """A shape that broadcasts with another one."""
    cut = draw(st.integers(0, len(shape)))
    own = [1 if draw(st.booleans()) else n for n in shape[cut:]]
    ones = [m for m, n in enumerate(own) if n == 1]
    if ones and draw(st.booleans()):
        place = draw(st.sampled_from(ones))
        if shape[cut + place] == 1:
            own[place] = draw(st.sampled_from([2, 0, 3]))
    if cut == 0 and len(own) < 3 and draw(st.booleans()):
        own.insert(0, draw(st.sampled_from([2, 1, 0])))
    return tuple(own)


def promotes(a, b):
    """Whether the standard defines the promotion of two data types."""
    kinds = {np.dtype(a).kind, np.dtype(b).kind}
    if kinds == {"i", "u"}:
        return np.result_type(a, b).kind == "i"
    return len(kinds) == 1 or kinds == {"f", "c"}


def partners(name, dtypes):
    """The data types of a list that one promotes with, or all of them where it has none."""
    return [d for d in dtypes if promotes(name, d)] or dtypes


@st.composite
def pairs(draw, dtypes=ALL, low=None, high=None, with_scalars=True):
    """Two arrays, or an array and a Python scalar, that an operation may take."""
    x = draw(arrays(dtypes, low=low, high=high))
    which = draw(st.integers(0, 9))
    if which > 6 and with_scalars:
        s = draw(scalars(x.dtype.kind))
        return (s, x) if which == 9 else (x, s)
    others = ALL if which == 0 else partners(x.dtype.name, dtypes)
    shape = draw(SHAPES) if which == 1 else draw(broadcastable(x.shape))
    return x, draw(arrays(others, shape, low, high))


@st.composite
def axes(draw, ndim, several=True, none=True):
    """An axis, several, or None, out of bounds at times."""
    which = draw(st.integers(0, 9))
    if which == 0:
        return draw(st.integers(-5, 5))
    if (none and which < 4) or not ndim:
        return None if none else 0
    if several and which > 6:
        chosen = draw(st.lists(st.integers(0, ndim - 1), unique=True, max_size=ndim))
        return tuple(a - ndim if draw(st.booleans()) else a for a in chosen)
    return draw(st.integers(-ndim, ndim - 1))


def calls(*positional, **keywords):
    """Calls with drawn arguments; a keyword whose value is None is left out at times."""
    return st.tuples(st.tuples(*positional), options(**keywords))


def options(**keywords):
    """Keywords, each of them left out at times."""
    return st.fixed_dictionaries({}, optional=keywords)


@st.composite
def reductions(draw, dtypes, shapes=SHAPES, several=True, none=True, low=None, high=None, **more):
    """Calls with an array, an axis, and other keywords."""
    x = draw(arrays(dtypes, shapes, low, high))
    keywords = draw(options(**more))
    if draw(st.booleans()) or not none:
        keywords["axis"] = draw(axes(x.ndim, several, none))
    return (x,), keywords
