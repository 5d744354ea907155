# Polynomials as arrays of coefficients, which NumPy has beyond the standard.

from typing import Literal, SupportsIndex, overload

import numpy.typing as npt

from ._array import Array

def poly(seq_of_zeros: npt.ArrayLike) -> Array: ...
def polyadd(a1: npt.ArrayLike, a2: npt.ArrayLike) -> Array: ...
def polyder(p: npt.ArrayLike, m: npt.ArrayLike = 1) -> Array: ...
def polydiv(u: npt.ArrayLike, v: npt.ArrayLike) -> tuple[Array, Array]: ...
def polyint(p: npt.ArrayLike, m: npt.ArrayLike = 1, k: npt.ArrayLike | None = None) -> Array: ...
def polymul(a1: npt.ArrayLike, a2: npt.ArrayLike) -> Array: ...
def polysub(a1: npt.ArrayLike, a2: npt.ArrayLike) -> Array: ...
def polyval(p: npt.ArrayLike, x: npt.ArrayLike) -> Array: ...
def roots(p: npt.ArrayLike) -> Array: ...
def vander(x: npt.ArrayLike, N: SupportsIndex | None = None, increasing: bool = False) -> Array: ...
@overload
def polyfit(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    full: Literal[False] = False,
    w: npt.ArrayLike | None = None,
    cov: Literal[False] = False,
) -> Array: ...
@overload
def polyfit(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    full: Literal[False] = False,
    w: npt.ArrayLike | None = None,
    *,
    cov: Literal[True, "unscaled"],
) -> tuple[Array, Array]: ...
@overload
def polyfit(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    *,
    full: Literal[True],
    w: npt.ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> tuple[Array, Array, Array, Array, Array]: ...
