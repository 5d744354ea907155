from ._array import Array
from ._device import Device

__all__ = ["from_host", "transfer"]

def from_host(x: Array, device: Device, stream: object = None) -> Array: ...
def transfer(x: Array, device: Device, stream: object = None) -> Array: ...
