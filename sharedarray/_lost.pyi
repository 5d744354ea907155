from typing import final

import numpy as np

__all__ = ["Lost"]

@final
class Lost:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[np.generic]: ...
    @property
    def device(self) -> str: ...
    @property
    def readonly(self) -> bool: ...
    @property
    def reason(self) -> str: ...
