"""The extension ``linalg``."""

import numpy as np
from hypothesis import strategies as st

from .compare import assert_same_but_zeros, differential
from .strategies import (
    ALL,
    INEXACT,
    NUMERIC,
    SHAPES,
    arrays,
    calls,
    options,
    partners,
    reductions,
)
from .test_linear_algebra import CASES as SHARED

STACKS = st.sampled_from([(), (2,), (0,), (2, 1)])
MATRICES = st.sampled_from([(2, 2), (3, 2), (2, 3), (1, 1), (2, 3, 2), (0, 2, 2), (3,), (1, 3)])
SMALL = {"low": -4, "high": 4}
ORDERS = [1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"]


@st.composite
def square(draw, hermitian=False, extra=()):
    """Square matrices that are far from singular, and stacks of them, none at all too."""
    n = draw(st.sampled_from([2, 1, 3, 0]))
    a = draw(arrays(INEXACT, (*draw(STACKS), n, n), **SMALL))
    if hermitian:
        a = a + np.conj(np.swapaxes(a, -1, -2))
    a = a + np.asarray(30 * np.eye(n), a.dtype)
    return (a, *(draw(s) for s in extra)), {}


@st.composite
def nonempty(draw, hermitian=False):
    """As `square`, with eigenvalues to find: of small matrices that are not symmetric."""
    n = draw(st.sampled_from([2, 1, 3]))
    a = draw(arrays(INEXACT, (*draw(STACKS), n, n), **SMALL))
    if hermitian:
        a = a + np.conj(np.swapaxes(a, -1, -2))
    return (a + np.asarray(np.diag(np.arange(n) * 20.0), a.dtype),), {}


@st.composite
def with_keywords(draw, cases, **keywords):
    """The calls of another strategy, with keywords."""
    args, _ = draw(cases)
    return args, draw(options(**keywords))


@st.composite
def solve(draw):
    """Vectors and matrices on the right, of the same stack, of another precision too."""
    (a,), _ = draw(square())
    shapes = [(a.shape[-1],), (*a.shape[:-1], 2), (*a.shape[:-1], 0)]
    b = draw(arrays(partners(a.dtype.name, INEXACT), draw(st.sampled_from(shapes)), -5, 5))
    return (a, b), {}


@st.composite
def cross(draw):
    shape = draw(st.sampled_from([(3,), (2, 3), (3, 3), (1, 3), (0, 3), (3, 2)]))
    axis = -2 if shape == (3, 2) else -1
    dtype = draw(st.sampled_from(NUMERIC))
    x1 = draw(arrays([dtype], shape, -9, 9))
    x2 = draw(arrays(partners(dtype, NUMERIC), shape, -9, 9))
    return (x1, x2), {"axis": axis} if axis == -2 or draw(st.booleans()) else {}


@st.composite
def outer(draw):
    lines = st.sampled_from([(2,), (0,), (3,)])
    x1 = draw(arrays(NUMERIC, lines, -9, 9))
    return (x1, draw(arrays(partners(x1.dtype.name, NUMERIC), lines, -9, 9))), {}


OFFSET = {"offset": st.integers(-3, 3)}
CASES = {f"linalg.{name}": strategy for name, strategy in SHARED.items()}
CASES |= {
    "linalg.cholesky": with_keywords(square(hermitian=True), upper=st.booleans()),
    "linalg.cross": cross(),
    "linalg.det": square(),
    "linalg.diagonal": calls(arrays(ALL, MATRICES), **OFFSET),
    "linalg.eig": nonempty(),
    "linalg.eigh": nonempty(hermitian=True),
    "linalg.eigvals": nonempty(),
    "linalg.eigvalsh": nonempty(hermitian=True),
    "linalg.inv": square(),
    "linalg.matrix_norm": calls(
        arrays(INEXACT, MATRICES, **SMALL), keepdims=st.booleans(), ord=st.sampled_from(ORDERS)
    ),
    "linalg.matrix_power": square(extra=[st.integers(-2, 4)]),
    "linalg.matrix_rank": calls(
        arrays(INEXACT, MATRICES, **SMALL), rtol=st.sampled_from([None, 0.1, 0.5])
    ),
    "linalg.outer": outer(),
    "linalg.pinv": calls(
        arrays(INEXACT, MATRICES.filter(len), **SMALL), rtol=st.sampled_from([None, 0.1])
    ),
    "linalg.qr": calls(
        arrays(INEXACT, MATRICES, **SMALL), mode=st.sampled_from(["reduced", "complete"])
    ),
    "linalg.slogdet": square(),
    "linalg.solve": solve(),
    "linalg.svd": calls(arrays(INEXACT, MATRICES, **SMALL), full_matrices=st.booleans()),
    "linalg.svdvals": calls(arrays(INEXACT, MATRICES, **SMALL)),
    "linalg.trace": calls(arrays(NUMERIC, MATRICES, -9, 9), **OFFSET),
    "linalg.vector_norm": reductions(
        INEXACT,
        SHAPES,
        low=-9,
        high=9,
        keepdims=st.booleans(),
        ord=st.sampled_from([0, 1, 2, 3, -1, np.inf, -np.inf, 2.5]),
    ),
}

test_as_strict = differential(CASES, dict.fromkeys(CASES, assert_same_but_zeros))
