from typing import Protocol

from ._array import Array
from ._device import Device

__all__ = ["from_dlpack"]

class _SupportsDLPack(Protocol):
    def __dlpack__(self) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

def array_interface(self: Array) -> dict[str, object]: ...
def from_dlpack(
    x: _SupportsDLPack, /, *, device: Device | str | None = None, copy: bool | None = None
) -> Array: ...
