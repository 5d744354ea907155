from typing import SupportsIndex

import numpy.typing as npt
from numpy._globals import _NoValueType

from ._array import Array, _Axes

def all(
    self: Array,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: npt.ArrayLike = True,
) -> Array: ...
def any(
    self: Array,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: npt.ArrayLike = True,
) -> Array: ...
def argmax(
    self: Array,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
) -> Array: ...
def argmin(
    self: Array,
    axis: SupportsIndex | None = None,
    out: Array | None = None,
    *,
    keepdims: bool = False,
) -> Array: ...
def clip(
    self: Array,
    min: npt.ArrayLike | None = None,
    max: npt.ArrayLike | None = None,
    out: Array | None = None,
    **kwargs: object,
) -> Array: ...
def conj(self: Array) -> Array: ...
def conjugate(self: Array) -> Array: ...
def cumprod(
    self: Array,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def cumsum(
    self: Array,
    axis: SupportsIndex | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def dot(self: Array, other: npt.ArrayLike, out: Array | None = None) -> Array: ...
def max(
    self: Array,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...
def mean(
    self: Array,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: npt.ArrayLike = True,
) -> Array: ...
def min(
    self: Array,
    axis: _Axes = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...
def prod(
    self: Array,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...
def round(self: Array, decimals: SupportsIndex = 0, out: Array | None = None) -> Array: ...
def std(
    self: Array,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: npt.ArrayLike = True,
    mean: npt.ArrayLike | _NoValueType | None = ...,
    correction: float | _NoValueType = ...,
) -> Array: ...
def sum(
    self: Array,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: npt.ArrayLike | _NoValueType = ...,
    where: npt.ArrayLike = True,
) -> Array: ...
def trace(
    self: Array,
    offset: SupportsIndex = 0,
    axis1: SupportsIndex = 0,
    axis2: SupportsIndex = 1,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
) -> Array: ...
def var(
    self: Array,
    axis: _Axes = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: npt.ArrayLike = True,
    mean: npt.ArrayLike | _NoValueType | None = ...,
    correction: float | _NoValueType = ...,
) -> Array: ...
