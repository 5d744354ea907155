"""Linear algebra functions of the main namespace."""

from hypothesis import strategies as st

from .compare import differential
from .strategies import ALL, NUMERIC, WITH_AXES, arrays, calls, options, partners

SMALL = {"low": -9, "high": 9}


@st.composite
def matmul(draw):
    """Vectors, matrices and stacks of them; lengths that do not fit at times."""
    n, m, k = (draw(st.sampled_from([2, 1, 0, 3, 5])) for _ in range(3))
    dtype = draw(st.sampled_from(NUMERIC))
    stacks = [(), (2,), (1, 2), (3,), (0,)]
    first = draw(st.sampled_from([(m,), *((*s, n, m) for s in stacks)]))
    if draw(st.integers(0, 7)) == 0:
        m += 1
    second = draw(st.sampled_from([(m,), *((*s, m, k) for s in stacks)]))
    x1 = draw(arrays([dtype], first, **SMALL))
    return (x1, draw(arrays(partners(dtype, NUMERIC), second, **SMALL))), {}


@st.composite
def vecdot(draw):
    dtype = draw(st.sampled_from(NUMERIC))
    shape = draw(WITH_AXES)
    axis = draw(st.integers(-len(shape), -1))
    other = [1 if draw(st.integers(0, 3)) == 0 else n for n in shape]
    other[axis] = shape[axis]
    x1 = draw(arrays([dtype], shape, **SMALL))
    x2 = draw(arrays(partners(dtype, NUMERIC), tuple(other), **SMALL))
    return (x1, x2), draw(options(axis=st.just(axis)))


@st.composite
def tensordot(draw):
    """A number of axes, and axes by name, negative ones too."""
    dtype = draw(st.sampled_from(NUMERIC))
    shared = draw(st.sampled_from([(), (2,), (0,), (3,), (2, 3)]))
    left = draw(arrays([dtype], (2, *shared), **SMALL))
    right = draw(arrays(partners(dtype, NUMERIC), (*shared, 3), **SMALL))
    axes = len(shared)
    if draw(st.booleans()):
        axes = (tuple(range(-axes, 0)), tuple(range(axes)))
    if axes == 2 and draw(st.booleans()):
        return (left, right), {}
    return (left, right), {"axes": axes}


CASES = {
    "matmul": matmul(),
    "matrix_transpose": calls(arrays(ALL)),
    "tensordot": tensordot(),
    "vecdot": vecdot(),
}

test_as_strict = differential(CASES)
