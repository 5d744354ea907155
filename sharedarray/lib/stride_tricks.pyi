from collections.abc import Iterable
from typing import SupportsIndex

import numpy.typing as npt

from .._array import Array, _Axes

def as_strided(
    x: npt.ArrayLike,
    shape: Iterable[int] | None = None,
    strides: Iterable[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
    *,
    check_bounds: bool | None = None,
) -> Array: ...
def sliding_window_view(
    x: npt.ArrayLike,
    window_shape: SupportsIndex | Iterable[SupportsIndex],
    axis: _Axes = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array: ...
def __dir__() -> list[str]: ...
