from typing import Any

import numpy.typing as npt
from typing_extensions import disjoint_base

from ._array import Array
from ._storage import Storage

__all__ = [
    "Record",
    "cuda_array",
    "download",
    "header",
    "index_of",
    "look_for_devices",
    "looks_for_devices",
    "upload",
]

@disjoint_base
class Record:
    writable: bool
    @property
    def b(self) -> Any: ...
    @property
    def index(self) -> int: ...
    @property
    def storage(self) -> Storage | None: ...

def cuda_array(
    b: object, index: int, writable: bool = True, storage: Storage | None = None
) -> Array: ...
def download(x: Array, stream: int | None = None) -> npt.NDArray[Any]: ...
def header(x: Array, owner: object = None) -> npt.NDArray[Any]: ...
def index_of(x: Array) -> int: ...
def look_for_devices() -> None: ...
def looks_for_devices() -> bool: ...
def upload(a: npt.NDArray[Any], index: int, stream: int | None = None) -> Any: ...
