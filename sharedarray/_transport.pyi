from collections.abc import Sequence
from typing import SupportsIndex

import numpy.typing as npt

from ._array import Array
from ._handle import Handle
from ._storage import Storage

__all__ = ["from_handle", "from_storage", "handle_of"]

def from_handle(handle: Handle) -> Array | Storage: ...
def from_storage(
    storage: Storage,
    dtype: npt.DTypeLike,
    shape: SupportsIndex | Sequence[SupportsIndex],
    strides: Sequence[SupportsIndex] | None = None,
    offset: SupportsIndex = 0,
) -> Array: ...
def handle_of(x: Array) -> Handle: ...
def _receive_array(data: bytes) -> Array: ...
def _receive_storage(data: bytes) -> Storage: ...
