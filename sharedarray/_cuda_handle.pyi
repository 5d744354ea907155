from numpy import dtype

from ._array import Array
from ._handle import Handle
from ._storage import Storage

_View = tuple[dtype, tuple[int, ...], tuple[int, ...], int, bool]

class Named:
    storage: Storage
    view: _View | None
    array: Array | None
    def __init__(
        self, storage: Storage, view: _View | None, array: Array | None = None
    ) -> None: ...
    def pack(self) -> bytes: ...
    def open(self) -> Array | Storage: ...
    def text(self) -> str: ...

def handle_of(storage: Storage, view: _View | None, array: Array | None = None) -> Handle: ...
def message(storage: Storage, view: _View | None) -> bytes: ...
