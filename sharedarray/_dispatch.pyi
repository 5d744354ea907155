import inspect
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy.typing as npt
from typing_extensions import disjoint_base

from ._array import Array

_R_co = TypeVar("_R_co", covariant=True)

WRITTEN: int

@disjoint_base
class Function(Generic[_R_co]):
    __name__: str
    __qualname__: str
    __signature__: inspect.Signature
    def __init__(
        self,
        target: Callable[..., _R_co],
        name: str,
        *,
        module: str = "sharedarray",
        signature: Callable[[], inspect.Signature] | None = None,
        doc: Callable[[], str | None] | None = None,
        arrays: int = 0,
        alias: dict[str, str] | None = None,
        written: bool = True,
        brief: Callable[..., Any] | None = None,
        most: int = 0,
    ) -> None: ...
    @property
    def __sharedarray_target__(self) -> Callable[..., Any]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> _R_co: ...
    def __get__(self, instance: object, owner: type | None = None, /) -> Function[_R_co]: ...
    def __getattr__(self, name: str, /) -> Any: ...

def borrow(a: npt.NDArray[Any]) -> Array: ...
def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any: ...
def call_closed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any: ...
def is_shared_memory(a: npt.NDArray[Any]) -> bool: ...
def measure() -> int: ...
def numpy_names(name: str) -> list[str]: ...
