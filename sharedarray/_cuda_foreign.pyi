import numpy as np

from ._array import Array
from ._storage import Storage

__all__ = ["borrowed", "over_storage", "owned"]

def borrowed(x: object) -> Array: ...
def over_storage(
    storage: Storage,
    dtype: np.dtype[np.generic],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
) -> Array: ...
def owned(x: object) -> bool: ...
