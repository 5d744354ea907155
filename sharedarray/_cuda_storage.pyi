from typing import final

from ._cuda_blocks import Block
from ._storage import Storage

@final
class CudaStorage(Storage): ...

def over(block: Block) -> Storage: ...
