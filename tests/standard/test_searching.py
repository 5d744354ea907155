"""Searching functions."""

import numpy as np
from hypothesis import strategies as st

from .compare import differential
from .strategies import (
    ALL,
    BOOL,
    INTS,
    REAL,
    SHAPES,
    WITH_AXES,
    arrays,
    broadcastable,
    pairs,
    partners,
    reductions,
)

KEEP = {"keepdims": st.booleans()}


@st.composite
def searchsorted(draw):
    """A sorted array, or one with a sorter, and values of its type or another one, or a scalar."""
    x = draw(arrays(REAL, st.sampled_from([(3,), (1,), (0,), (7,)]), -100, 100))
    kind = x.dtype.kind
    values = [arrays(partners(x.dtype.name, REAL), SHAPES, -100, 100)]
    values.append(st.sampled_from([0, 5, -3] if kind in "iu" else [0.5, -1e9, 2]))
    keywords = {"side": draw(st.sampled_from(["left", "right"]))} if draw(st.booleans()) else {}
    if draw(st.booleans()):
        keywords["sorter"] = np.argsort(x, kind="stable").astype(draw(st.sampled_from(INTS)))
        return (x, draw(st.one_of(values))), keywords
    return (np.sort(x), draw(st.one_of(values))), keywords


@st.composite
def where(draw):
    x1, x2 = draw(pairs(ALL))
    shapes = [np.shape(x) for x in (x1, x2)]
    condition = draw(arrays(BOOL, draw(broadcastable(max(shapes, key=len)))))
    return (condition, x1, x2), {}


CASES = {
    "argmax": reductions(REAL, several=False, **KEEP),
    "argmin": reductions(REAL, several=False, **KEEP),
    "count_nonzero": reductions(ALL, **KEEP),
    "nonzero": st.tuples(st.tuples(arrays(ALL, WITH_AXES)), st.just({})),
    "searchsorted": searchsorted(),
    "where": where(),
}

test_as_strict = differential(CASES)
