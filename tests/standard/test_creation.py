"""Creation functions."""

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import strategies as st

import sharedarray as xp

from .compare import assert_same, differential, examples
from .strategies import ALL, FLOATS, NUMERIC, SHAPES, TYPES, arrays, calls, options

SIZES = st.one_of(st.integers(0, 4), SHAPES, st.sampled_from([-1, (2, -3)]))
SCALARS = st.sampled_from([0, 1, True, False, -7, 2.5, float("nan"), -0.0, 1j, 2**40, 300])
DTYPE = {"dtype": st.one_of(st.none(), TYPES)}
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.tuples(inner, inner)),
    max_leaves=4,
)


def rectangular(value):
    """Whether nested sequences have the shape of an array."""
    try:
        np.asarray(value, dtype=complex)
    except ValueError:
        return False
    return True


@st.composite
def asarray(draw):
    """Numbers, nested sequences and arrays, with and without a data type that holds them."""
    value = draw(st.one_of(SCALARS, NESTED.filter(rectangular), arrays()))
    keywords = draw(options(copy=st.sampled_from([None, True])))
    if draw(st.booleans()):
        kind = np.result_type(np.asarray(value).dtype, np.int8).kind
        keywords["dtype"] = np.dtype({"i": "int64", "u": "uint64", "f": "float32"}.get(kind, "c16"))
    return (value,), keywords


@st.composite
def arange(draw):
    number = draw(st.sampled_from([st.integers(-6, 6), st.sampled_from([-2.5, 0.0, 1.0, 3.75])]))
    step = st.sampled_from([1, 2, -1, 0.5, -3])
    args = [draw(number), draw(number), draw(step)][: draw(st.integers(1, 3))]
    keywords = draw(options(dtype=st.sampled_from([np.dtype("float32"), np.dtype("int64")])))
    if len(args) == 2 and draw(st.booleans()):
        return (args[0],), {**keywords, "stop": args[1], "step": draw(step)}
    return tuple(args), keywords


@st.composite
def full_like(draw):
    """A value that the array's type holds, and any value with a type of its own."""
    x = draw(arrays())
    value = {"b": True, "u": 7, "i": -7, "f": -0.0, "c": 2 - 1j}[x.dtype.kind]
    return (x, draw(st.sampled_from([value, False]))), {}


@st.composite
def meshgrid(draw):
    dtype = draw(st.sampled_from(NUMERIC))
    lines = st.sampled_from([(2,), (0,), (3,), (1,), ()])
    parts = [draw(arrays([dtype], lines)) for _ in range(draw(st.integers(0, 3)))]
    return tuple(parts), draw(options(indexing=st.sampled_from(["xy", "ij"])))


LIMITS = st.sampled_from([-2, 0, 3, 0.5, 1e10, -1.25, 1j])
CASES = {
    "asarray": asarray(),
    "arange": arange(),
    "eye": calls(
        st.integers(0, 4), st.one_of(st.none(), st.integers(0, 4)), k=st.integers(-5, 5), **DTYPE
    ),
    "full": calls(SIZES, SCALARS),
    "full_like": full_like(),
    "linspace": calls(
        LIMITS,
        LIMITS,
        st.integers(0, 6),
        endpoint=st.booleans(),
        dtype=st.sampled_from([None, np.dtype("float32"), np.dtype("complex128")]),
    ),
    "meshgrid": meshgrid(),
    "ones": calls(SIZES, **DTYPE),
    "ones_like": calls(arrays(), **DTYPE),
    "zeros": calls(SIZES, **DTYPE),
    "zeros_like": calls(arrays(), **DTYPE),
    "empty": calls(SIZES, **DTYPE),
    "empty_like": calls(arrays(), **DTYPE),
    "tril": calls(arrays(), k=st.integers(-4, 4)),
    "triu": calls(arrays(), k=st.integers(-4, 4)),
}


def same_outside(ours, theirs):
    """Compare two arrays of no particular contents."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)


test_as_strict = differential(CASES, {"empty": same_outside, "empty_like": same_outside})


def test_from_dlpack():
    """From NumPy, array-api-strict and this library: the values, and the memory unless copied."""

    def one(a):
        for source in (a, strict.asarray(a), xp.asarray(a)):
            x = xp.from_dlpack(source)
            assert_same(x.numpy(), strict.from_dlpack(source)._array)
            copy = xp.from_dlpack(source, copy=True, device="cpu")
            assert_same(copy.numpy(), a)
            assert copy.is_shared()
            assert not a.size or not np.shares_memory(copy.numpy(), x.numpy())
        return True

    examples(one, arrays())


def test_every_creation_function_takes_the_device():
    """``device=`` is a keyword of each: None, a string, or a device; others are refused."""
    x = xp.ones((2, 2))
    for name, args in {
        "asarray": ([1, 2],),
        "arange": (3,),
        "empty": (3,),
        "empty_like": (x,),
        "eye": (2,),
        "full": (2, 1),
        "full_like": (x, 1),
        "linspace": (0, 1, 3),
        "ones": (2,),
        "ones_like": (x,),
        "zeros": (2,),
        "zeros_like": (x,),
        "from_dlpack": (x,),
        "astype": (x, xp.int8),
    }.items():
        function = getattr(xp, name)
        for device in (None, "cpu", x.device):
            assert function(*args, device=device).device == "cpu"
        with pytest.raises(ValueError, match="nonsense"):
            function(*args, device="nonsense")
        with pytest.raises(TypeError):
            function(*args, device=1.5)


def test_types_without_a_device_are_the_default_ones():
    """What is made of Python numbers has the default data types of the info namespace."""
    defaults = xp.__array_namespace_info__().default_dtypes()
    assert xp.asarray(1).dtype == xp.arange(3).dtype == defaults["integral"]
    assert xp.asarray(1.0).dtype == xp.zeros(1).dtype == defaults["real floating"]
    assert xp.asarray(1j).dtype == defaults["complex floating"]
    assert xp.argmax(xp.ones(1)).dtype == xp.nonzero(xp.ones(1))[0].dtype == defaults["indexing"]
    assert {d.name for d in defaults.values()} <= {*ALL, *FLOATS}
