from collections.abc import Callable
from typing import Self, final

from ._array import Array

__all__ = ["CudaArray", "looks_of"]

@final
class CudaArray(Array):  # type: ignore[misc]  # final to users: this is its one subclass
    ...

@final
class CudaIterator:
    def __iter__(self) -> Self: ...
    def __next__(self) -> Array: ...
    def __length_hint__(self) -> int: ...

def looks_of(x: Array, function: Callable[..., str]) -> str: ...
