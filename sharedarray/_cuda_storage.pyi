from typing import Never, Self, final

from ._cuda_blocks import Block
from ._storage import Storage

@final
class CudaStorage(Storage):
    def __array__(self, dtype: object = None, copy: object = None) -> Never: ...

@final
class Foreign:
    pointer: int
    nbytes: int
    index: int
    owner: object
    writable: bool
    def __new__(
        cls, pointer: int, nbytes: int, index: int, owner: object, writable: bool = True
    ) -> Self: ...
    @property
    def shared(self) -> bool: ...

def borrowed(foreign: Foreign) -> Storage: ...
def over(block: Block) -> Storage: ...
