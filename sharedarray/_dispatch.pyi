import inspect
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, SupportsIndex, TypeAlias, TypeVar, type_check_only

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from ._array import Array, _Axes, _Casting, _Index, _Order
from ._device import Device

_R_co = TypeVar("_R_co", covariant=True)
_Result_co = TypeVar("_Result_co", covariant=True)
_Out: TypeAlias = Array | npt.NDArray[Any] | tuple[Array | npt.NDArray[Any] | None, ...] | None
_Loop: TypeAlias = str | Sequence[npt.DTypeLike | None] | None

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
        brief: Callable[..., object] | None = None,
        most: int = 0,
    ) -> None: ...
    @property
    def __sharedarray_target__(self) -> Callable[..., object]: ...
    def __call__(self, *args: object, **kwargs: object) -> _R_co: ...
    def __get__(self, instance: object, owner: type | None = None, /) -> Function[_R_co]: ...
    def __getattr__(self, name: str, /) -> Any: ...

# What ufuncs are to callers: their calls, and NumPy's attributes and methods.

@type_check_only
class _Ufunc(Protocol):
    __name__: str
    __qualname__: str
    @property
    def identity(self) -> complex | None: ...
    @property
    def nargs(self) -> int: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def signature(self) -> str | None: ...
    @property
    def types(self) -> list[str]: ...
    def resolve_dtypes(
        self,
        dtypes: tuple[np.dtype[np.generic] | type | None, ...],
        *,
        signature: tuple[np.dtype[np.generic] | None, ...] | None = None,
        casting: _Casting | None = None,
        reduction: bool = False,
    ) -> tuple[np.dtype[np.generic], ...]: ...

@type_check_only
class UnaryUfunc(_Ufunc, Protocol[_Result_co]):
    def __call__(
        self,
        x: npt.ArrayLike,
        /,
        out: _Out = None,
        *,
        where: npt.ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: npt.DTypeLike | None = None,
        subok: bool = True,
        signature: _Loop = None,
    ) -> _Result_co: ...
    def at(self, a: Array, indices: _Index | tuple[_Index, ...], /) -> None: ...

@type_check_only
class BinaryUfunc(_Ufunc, Protocol[_Result_co]):
    def __call__(
        self,
        x1: npt.ArrayLike,
        x2: npt.ArrayLike,
        /,
        out: _Out = None,
        *,
        where: npt.ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: npt.DTypeLike | None = None,
        subok: bool = True,
        signature: _Loop = None,
    ) -> _Result_co: ...
    def accumulate(
        self,
        array: npt.ArrayLike,
        /,
        axis: SupportsIndex = 0,
        dtype: npt.DTypeLike | None = None,
        out: _Out = None,
    ) -> Array: ...
    def at(self, a: Array, indices: _Index | tuple[_Index, ...], b: npt.ArrayLike, /) -> None: ...
    def outer(
        self,
        A: npt.ArrayLike,
        B: npt.ArrayLike,
        /,
        *,
        out: _Out = None,
        where: npt.ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: npt.DTypeLike | None = None,
    ) -> _Result_co: ...
    def reduce(
        self,
        array: npt.ArrayLike,
        /,
        axis: _Axes = 0,
        dtype: npt.DTypeLike | None = None,
        out: _Out = None,
        keepdims: bool = False,
        initial: npt.ArrayLike | None = ...,
        where: npt.ArrayLike = True,
    ) -> Array: ...
    def reduceat(
        self,
        array: npt.ArrayLike,
        /,
        indices: npt.ArrayLike,
        axis: SupportsIndex = 0,
        dtype: npt.DTypeLike | None = None,
        out: _Out = None,
    ) -> Array: ...

@type_check_only
class VectorUfunc(_Ufunc, Protocol):
    def __call__(
        self,
        x1: npt.ArrayLike,
        x2: npt.ArrayLike,
        /,
        out: _Out = None,
        *,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: npt.DTypeLike | None = None,
        subok: bool = True,
        signature: _Loop = None,
        axis: SupportsIndex = -1,
        axes: Sequence[SupportsIndex | Sequence[SupportsIndex]] = ...,
        keepdims: bool = False,
    ) -> Array: ...

def borrow(a: npt.NDArray[Any]) -> Array: ...
def device_in_force() -> Device | None: ...
def has_elsewhere(value: object) -> bool: ...
def call(function: Callable[..., object], *args: object, **kwargs: object) -> Any: ...
def call_closed(function: Callable[..., object], *args: object, **kwargs: object) -> Any: ...
def is_shared_memory(a: npt.NDArray[Any]) -> bool: ...
def measure() -> int: ...
def numpy_names(name: str) -> list[str]: ...
