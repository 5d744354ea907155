from collections.abc import Sequence
from typing import Literal, SupportsIndex, TypeAlias

import numpy.typing as npt
from numpy._pytesttester import PytestTester

from ._array import Array, _Axes
from ._device import Device

_Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

def fft(
    x: npt.ArrayLike,
    /,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def hfft(
    x: npt.ArrayLike,
    /,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifft(
    x: npt.ArrayLike,
    /,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def ihfft(
    x: npt.ArrayLike,
    /,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfft(
    x: npt.ArrayLike,
    /,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def rfft(
    x: npt.ArrayLike,
    /,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def fftn(
    x: npt.ArrayLike,
    /,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def ifftn(
    x: npt.ArrayLike,
    /,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def irfftn(
    x: npt.ArrayLike,
    /,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def rfftn(
    x: npt.ArrayLike,
    /,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
    out: Array | None = None,
) -> Array: ...
def fftfreq(
    n: SupportsIndex,
    /,
    d: float = 1.0,
    device: Device | str | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
) -> Array: ...
def rfftfreq(
    n: SupportsIndex,
    /,
    d: float = 1.0,
    device: Device | str | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
) -> Array: ...
def fftshift(x: npt.ArrayLike, /, axes: _Axes = None) -> Array: ...
def ifftshift(x: npt.ArrayLike, /, axes: _Axes = None) -> Array: ...

# Beyond the standard, by NumPy's names.
def fft2(
    a: npt.ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: _Norm = None,
    out: Array | None = None,
) -> Array: ...
def ifft2(
    a: npt.ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: _Norm = None,
    out: Array | None = None,
) -> Array: ...
def irfft2(
    a: npt.ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: _Norm = None,
    out: Array | None = None,
) -> Array: ...
def rfft2(
    a: npt.ArrayLike,
    s: Sequence[SupportsIndex] | None = None,
    axes: Sequence[SupportsIndex] | None = (-2, -1),
    norm: _Norm = None,
    out: Array | None = None,
) -> Array: ...

test: PytestTester

def __dir__() -> list[str]: ...
