"""Data types, what they hold, and conversion between them."""

import array_api_strict as strict
import numpy as np
from hypothesis import strategies as st

import sharedarray as xp

from .compare import call, check, differential, examples
from .strategies import (
    ALL,
    COMPLEX,
    INEXACT,
    INTS,
    NUMERIC,
    TYPES,
    arrays,
    calls,
    options,
    partners,
    scalars,
)

KINDS = st.sampled_from(
    [
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
        "nonsense",
    ]
)
LIMITED = st.sampled_from([np.dtype(name) for name in NUMERIC])


@st.composite
def astype(draw):
    """Between all types; values that the target cannot hold are not defined and are left out."""
    x = draw(arrays(ALL, low=0, high=100))
    target = draw(TYPES)
    if x.dtype.kind in "fc" and target.kind not in "fc":
        x = np.trunc(x.real).astype(x.dtype)
    return (x, target), draw(options(copy=st.booleans()))


@st.composite
def can_cast(draw):
    """Of types that the standard promotes; for others it leaves the answer open."""
    source = draw(st.one_of(TYPES, arrays()))
    name = getattr(source, "dtype", source).name
    return (source, np.dtype(draw(st.sampled_from(partners(name, ALL))))), {}


@st.composite
def result_type(draw):
    """Arrays, types and Python scalars; at least one that has a type."""
    first = draw(st.one_of(TYPES, arrays()))
    kind = getattr(first, "dtype", first).kind
    others = st.one_of(TYPES, arrays(), scalars(kind))
    rest = [draw(others) for _ in range(draw(st.integers(0, 2)))]
    return tuple(draw(st.permutations([first, *rest]))), {}


CASES = {
    "astype": astype(),
    "can_cast": can_cast(),
    "finfo": calls(st.one_of(LIMITED, arrays(INEXACT), TYPES)),
    "iinfo": calls(st.one_of(LIMITED, arrays(INTS), TYPES)),
    "isdtype": calls(TYPES, st.one_of(KINDS, TYPES, st.tuples(KINDS, TYPES), st.just(()))),
    "result_type": result_type(),
}

test_as_strict = differential(CASES)


def test_limits_of_every_type():
    """``finfo`` and ``iinfo`` of each type they are for, with plain Python numbers."""
    for name in ALL[1:]:
        dtype = np.dtype(name)
        function = "finfo" if dtype.kind in "fc" else "iinfo"
        for given in (dtype, np.zeros(1, dtype)):
            result, ours = call(xp, function, (given,), {})
            assert ours == call(strict, function, (given,), {})[1]
        names = ("max", "min") if function == "iinfo" else ("eps", "max", "min", "smallest_normal")
        wanted = int if function == "iinfo" else float
        assert all(type(getattr(result, n)) is wanted for n in names)


def test_types_are_those_of_arrays():
    """A type by name, by array, by the info namespace: equal, and of equal hash."""
    for name in ALL:
        dtype = xp.zeros(1, dtype=getattr(xp, name)).dtype
        known = xp.__array_namespace_info__().dtypes()[name]
        assert dtype == getattr(xp, name) == known
        assert hash(dtype) == hash(known)
        assert dtype != (xp.int8 if name != "int8" else xp.int16)
        assert dtype == getattr(strict, name)._np_dtype


def test_conversion_of_special_values():
    """From real to complex, and between precisions: NaN, infinities and signed zeros stay."""

    def one(a):
        for target in COMPLEX:
            assert check("astype", (a, np.dtype(target)), {})
        return True

    examples(one, arrays(["float32", "float64"]))


def test_casts_that_the_standard_leaves_open():
    """NumPy's answer."""
    for source in ALL:
        for target in ALL:
            ours = xp.can_cast(getattr(xp, source), getattr(xp, target))
            assert ours is np.can_cast(source, target)
