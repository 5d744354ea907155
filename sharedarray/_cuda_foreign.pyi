import numpy as np

from ._array import Array
from ._storage import Storage

__all__ = ["borrowed", "extent", "over_storage", "owned"]

def borrowed(x: object) -> Array: ...
def extent(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]: ...
def over_storage(
    storage: Storage,
    dtype: np.dtype[np.generic],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
) -> Array: ...
def owned(x: object) -> bool: ...
