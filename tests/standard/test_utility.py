"""Utility functions."""

from hypothesis import strategies as st

from .compare import differential
from .strategies import ALL, NUMERIC, WITH_AXES, arrays, axes, partners, reductions

KEEP = {"keepdims": st.booleans()}


@st.composite
def diff(draw):
    """With and without what is put before and behind, along any axis, any number of times."""
    x = draw(arrays(NUMERIC, WITH_AXES))
    keywords = {"n": draw(st.integers(0, 3))} if draw(st.booleans()) else {}
    axis = -1
    if draw(st.booleans()):
        axis = keywords["axis"] = draw(axes(x.ndim, several=False, none=False))
    for name in ("prepend", "append"):
        if draw(st.booleans()):
            shape = list(x.shape)
            if -x.ndim <= axis < x.ndim:
                shape[axis] = draw(st.integers(0, 2))
            keywords[name] = draw(arrays(partners(x.dtype.name, [x.dtype.name]), tuple(shape)))
    return (x,), keywords


CASES = {"all": reductions(ALL, **KEEP), "any": reductions(ALL, **KEEP), "diff": diff()}

test_as_strict = differential(CASES)
