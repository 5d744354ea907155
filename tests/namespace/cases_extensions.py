"""As `cases`, for the extensions ``linalg`` and ``fft``."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from .cases import CASES
from .inputs import ALL, FLOATS, INEXACT, NUMERIC, SHAPES, arrays

EXTENSIONS = {
    f"linalg.{name}": CASES[name] for name in ("matmul", "matrix_transpose", "tensordot", "vecdot")
}

MATRICES = hnp.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=3)


@st.composite
def square(draw, dtypes=INEXACT, low=-4, high=4, hermitian=False, extra=()):
    """Square matrices that are far from singular."""
    n = draw(st.integers(1, 3))
    stacks = draw(st.sampled_from([(), (2,)]))
    a = draw(arrays(dtypes, (*stacks, n, n), low, high))
    if hermitian:
        a = a + np.conj(np.swapaxes(a, -1, -2))
    a = a + np.asarray(30 * np.eye(n), a.dtype)
    return (a, *(draw(s) for s in extra)), {}


for _name in ("det", "inv", "slogdet", "eig", "eigvals"):
    EXTENSIONS[f"linalg.{_name}"] = square()
for _name in ("eigh", "eigvalsh"):
    EXTENSIONS[f"linalg.{_name}"] = square(hermitian=True)
EXTENSIONS["linalg.matrix_power"] = square(extra=[st.integers(-2, 3)])


@st.composite
def cholesky(draw):
    args, _ = draw(square(hermitian=True))
    return args, {"upper": draw(st.booleans())}


EXTENSIONS["linalg.cholesky"] = cholesky()


@st.composite
def solve(draw):
    (a,), _ = draw(square())
    columns = draw(st.integers(1, 3))
    shape = draw(st.sampled_from([(a.shape[-1],), (a.shape[-1], columns)]))
    return (a, draw(arrays([a.dtype], shape, -5, 5))), {}


EXTENSIONS["linalg.solve"] = solve()


@st.composite
def matrices(draw, dtypes=INEXACT, **keywords):
    """Matrices of any shape, with keywords."""
    x = draw(arrays(dtypes, MATRICES, -4, 4))
    return (x,), {name: draw(strategy) for name, strategy in keywords.items()}


for _name in ("matrix_rank", "pinv", "svdvals"):
    EXTENSIONS[f"linalg.{_name}"] = matrices()
EXTENSIONS["linalg.svd"] = matrices(full_matrices=st.booleans())
EXTENSIONS["linalg.qr"] = matrices(mode=st.sampled_from(["reduced", "complete"]))
EXTENSIONS["linalg.diagonal"] = matrices(ALL, offset=st.integers(-1, 1))
EXTENSIONS["linalg.trace"] = matrices(NUMERIC, offset=st.integers(-1, 1))
EXTENSIONS["linalg.matrix_norm"] = matrices(
    keepdims=st.booleans(), ord=st.sampled_from(["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
)


@st.composite
def vector_norm(draw):
    x = draw(arrays(FLOATS, hnp.array_shapes(min_dims=1, max_dims=3, max_side=3), -9, 9))
    axis = draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    return (x,), {
        "axis": axis,
        "keepdims": draw(st.booleans()),
        "ord": draw(st.sampled_from([1, 2, 0, 3, np.inf, -np.inf])),
    }


EXTENSIONS["linalg.vector_norm"] = vector_norm()


@st.composite
def vectors(draw, shape, dtypes=NUMERIC):
    """Two arrays of one data type."""
    dtype = draw(st.sampled_from(dtypes))
    return tuple(draw(arrays([dtype], shape, -9, 9)) for _ in range(2)), {}


EXTENSIONS["linalg.cross"] = st.sampled_from([(3,), (2, 3)]).flatmap(vectors)
EXTENSIONS["linalg.outer"] = st.integers(0, 3).flatmap(lambda n: vectors((n,)))

NORMS = st.sampled_from(["backward", "ortho", "forward"])


@st.composite
def along(draw, dtypes):
    """A transform along one axis."""
    x = draw(arrays(dtypes, hnp.array_shapes(max_dims=3, max_side=4), -9, 9))
    return (x,), {
        "n": draw(st.one_of(st.none(), st.integers(1, 5))),
        "axis": draw(st.integers(-x.ndim, x.ndim - 1)),
        "norm": draw(NORMS),
    }


@st.composite
def several(draw, dtypes):
    """A transform along several axes."""
    x = draw(arrays(dtypes, hnp.array_shapes(max_dims=3, min_side=2, max_side=4), -9, 9))
    axes = draw(st.one_of(st.none(), st.permutations(range(x.ndim)).map(tuple)))
    lengths = st.lists(st.integers(2, 4), min_size=x.ndim, max_size=x.ndim).map(tuple)
    s = None if axes is None else draw(st.one_of(st.none(), lengths))
    return (x,), {"s": s, "axes": axes, "norm": draw(NORMS)}


COMPLEX = ["complex64", "complex128"]
for _name, _dtypes in {
    "fft": COMPLEX,
    "ifft": COMPLEX,
    "rfft": FLOATS,
    "irfft": COMPLEX,
    "hfft": COMPLEX,
    "ihfft": FLOATS,
}.items():
    EXTENSIONS[f"fft.{_name}"] = along(_dtypes)
for _name, _dtypes in {
    "fftn": COMPLEX,
    "ifftn": COMPLEX,
    "rfftn": FLOATS,
    "irfftn": COMPLEX,
}.items():
    EXTENSIONS[f"fft.{_name}"] = several(_dtypes)


@st.composite
def shift(draw):
    x = draw(arrays(INEXACT, SHAPES.filter(len)))
    return (x,), {"axes": draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))}


EXTENSIONS["fft.fftshift"] = EXTENSIONS["fft.ifftshift"] = shift()
for _name in ("fftfreq", "rfftfreq"):
    EXTENSIONS[f"fft.{_name}"] = st.tuples(
        st.tuples(st.integers(1, 8)),
        st.fixed_dictionaries(
            {
                "d": st.sampled_from([1.0, 0.25]),
                "dtype": st.sampled_from([None, *map(np.dtype, FLOATS)]),
            }
        ),
    )
