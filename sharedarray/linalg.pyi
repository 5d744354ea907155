from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias, overload

import numpy.typing as npt
from numpy._pytesttester import PytestTester
from numpy.linalg import LinAlgError as LinAlgError

from . import matmul as matmul
from . import matrix_transpose as matrix_transpose
from . import tensordot as tensordot
from . import vecdot as vecdot
from ._array import Array, _Axes
from ._decompositions import EighResult, EigResult, QRResult, SlogdetResult, SVDResult

_Ord: TypeAlias = float | Literal["fro", "nuc"] | None
_Triangle: TypeAlias = Literal["L", "U", "l", "u"]

__all__ = [
    "LinAlgError",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

def cholesky(x: npt.ArrayLike, /, *, upper: bool = False) -> Array: ...
def cross(x1: npt.ArrayLike, x2: npt.ArrayLike, /, *, axis: SupportsIndex = -1) -> Array: ...
def det(x: npt.ArrayLike, /) -> Array: ...
def diagonal(x: npt.ArrayLike, /, *, offset: SupportsIndex = 0) -> Array: ...
def eig(x: npt.ArrayLike, /) -> EigResult: ...
def eigh(x: npt.ArrayLike, /, UPLO: _Triangle = "L") -> EighResult: ...
def eigvals(x: npt.ArrayLike, /) -> Array: ...
def eigvalsh(x: npt.ArrayLike, /, UPLO: _Triangle = "L") -> Array: ...
def inv(x: npt.ArrayLike, /) -> Array: ...
def matrix_norm(x: npt.ArrayLike, /, *, keepdims: bool = False, ord: _Ord = "fro") -> Array: ...
def matrix_power(x: npt.ArrayLike, n: SupportsIndex, /) -> Array: ...
def matrix_rank(
    x: npt.ArrayLike,
    /,
    tol: npt.ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: npt.ArrayLike | None = None,
) -> Array: ...
def outer(x1: npt.ArrayLike, x2: npt.ArrayLike, /) -> Array: ...
def pinv(
    x: npt.ArrayLike,
    /,
    rcond: npt.ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: npt.ArrayLike | None = None,
) -> Array: ...
@overload
def qr(
    x: npt.ArrayLike, /, mode: Literal["reduced", "complete", "raw"] = "reduced"
) -> QRResult: ...
@overload
def qr(x: npt.ArrayLike, /, mode: Literal["r"]) -> Array: ...
def slogdet(x: npt.ArrayLike, /) -> SlogdetResult: ...
def solve(x1: npt.ArrayLike, x2: npt.ArrayLike, /) -> Array: ...
@overload
def svd(
    x: npt.ArrayLike,
    /,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    hermitian: bool = False,
) -> SVDResult: ...
@overload
def svd(
    x: npt.ArrayLike,
    /,
    full_matrices: bool = True,
    *,
    compute_uv: Literal[False],
    hermitian: bool = False,
) -> Array: ...
def svdvals(x: npt.ArrayLike, /) -> Array: ...
def trace(
    x: npt.ArrayLike, /, *, offset: SupportsIndex = 0, dtype: npt.DTypeLike | None = None
) -> Array: ...
def vector_norm(
    x: npt.ArrayLike, /, *, axis: _Axes = None, keepdims: bool = False, ord: float = 2
) -> Array: ...

# Beyond the standard, by NumPy's names.
def cond(x: npt.ArrayLike, p: _Ord = None) -> Array: ...
def lstsq(
    a: npt.ArrayLike, b: npt.ArrayLike, rcond: float | None = None
) -> tuple[Array, Array, Array, Array]: ...
def multi_dot(arrays: Sequence[npt.ArrayLike], *, out: Array | None = None) -> Array: ...
def norm(
    x: npt.ArrayLike, ord: _Ord = None, axis: _Axes = None, keepdims: bool = False
) -> Array: ...
def tensorinv(a: npt.ArrayLike, ind: SupportsIndex = 2) -> Array: ...
def tensorsolve(
    a: npt.ArrayLike, b: npt.ArrayLike, axes: Sequence[SupportsIndex] | None = None
) -> Array: ...

test: PytestTester

def __dir__() -> list[str]: ...
