"""What the checks share: arrays with known contents, and another process that opens them."""

import numpy as np

import sharedarray as xp
from tests.harness.worker import Worker

from . import machine

DEVICE = "cuda:0"
MIB = 1 << 20


def size(on_card: int, on_double: int) -> int:
    """A number of bytes or elements: the double is for the logic alone."""
    return on_double if machine.on_double() else on_card


def bound(ratio: float) -> float | None:
    """A bound of a ratio: none on the double, whose speed means nothing."""
    return None if machine.on_double() else ratio


def ramp(count: int):
    """An Array of ours on the device: 0, 1, 2, ..."""
    return xp.arange(count, dtype=xp.int32, device=DEVICE)


def is_ramp(x) -> bool:
    """Whether every element is what `ramp` put there."""
    return bool(np.array_equal(x.to_device("cpu").numpy(), np.arange(x.size, dtype=np.int32)))


def opened(data: bytes):
    """The Array that the bytes of a handle name."""
    return xp.from_handle(xp.Handle.from_bytes(data))


def peer(**options) -> Worker:
    """A running process that has used the device already."""
    running = Worker("spawn", **options)
    running.run(f"xp.zeros(1, device={DEVICE!r}); xp.cuda.synchronize()")
    return running


def torch_with_cuda():
    """PyTorch, where it is installed and sees the card; else None."""
    if machine.on_double():
        return None
    try:
        import torch
        import torch.multiprocessing  # registers how tensors travel
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


MAKE = f"""
x = xp.arange(count, dtype=xp.int32, device={DEVICE!r})
if kept:
    keep["x"] = x
return bytes(x.handle())
"""
