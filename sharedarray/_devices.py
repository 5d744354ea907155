"""Devices: the one that an argument names, and the one on which an object lies.

>>> import sharedarray as xp
>>> with xp.Device("cpu"):
...     x = xp.zeros(3)
>>> x.device
Device('cpu')
>>> x.device == "cpu"
True
"""

import contextlib
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._device import CPU, Device, backend, check, count, default, make

__all__ = [
    "CPU",
    "Device",
    "backend",
    "check",
    "count",
    "default",
    "device",
    "device_of",
    "resolve",
]

device = Device


def resolve(device: "str | Device | None") -> Device:
    """Return the existing device that the argument `device=` of a function names.

    Parameters
    ----------
    device : str, Device or None
        None stands for the device in force.

    Returns
    -------
    Device
        A device on which arrays can be made.

    Raises
    ------
    ValueError
        If the name is malformed.
    TypeError
        If it is neither a string, a Device nor None.
    DeviceError
        If there is no such device.
    """
    if device is None:
        return default()
    if device is CPU:
        return CPU
    device = Device(device)
    check(device)
    return device


# Device types of the DLPack standard that are memory of the host, or of a CUDA device.
_DLPACK_CPU = {1, 3}  # kDLCPU, kDLCUDAHost (pinned)
_DLPACK_CUDA = {2, 13}  # kDLCUDA, kDLCUDAManaged


def device_of(obj: object) -> Device:
    """Return the device on which an object lies.

    Parameters
    ----------
    obj : Array, Storage, array of another library, or object that holds arrays
        Anything that has ``.device`` or ``__dlpack_device__`` (NumPy, CuPy, PyTorch, ...); or an
        object that has ``parameters()``, or array-valued attributes, all on one device.

    Returns
    -------
    Device
        The device. Being a context manager, it serves as ``with xp.device_of(x):`` too.

    Raises
    ------
    TypeError
        If no device can be found.
    ValueError
        If the arrays that `obj` holds lie on several devices; the message names them.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.ones(3)
    >>> print(xp.device_of(x))
    cpu
    >>> with xp.device_of(x):
    ...     y = xp.zeros(3)
    >>> y.device == x.device
    True
    >>> class Layer:
    ...     def __init__(self):
    ...         self.weight, self.bias = xp.ones((2, 2)), xp.zeros(2)
    >>> xp.device_of(Layer())
    Device('cpu')
    """
    found = _lies_on(obj)
    if found is not None:
        return found
    held = {name: lies for name, value in _held(obj) if (lies := _lies_on(value)) is not None}
    if not held:
        raise TypeError(
            f"no device found: {type(obj).__name__!r} is no array and holds none "
            "(looked for .device, __dlpack_device__, parameters() and attributes)"
        )
    if len(set(held.values())) > 1:
        places = ", ".join(f"{name} on {place}" for name, place in held.items())
        raise ValueError(f"{type(obj).__name__!r} holds arrays on several devices: {places}")
    return next(iter(held.values()))


def _lies_on(obj: Any) -> Device | None:
    """Return the device that an array says it lies on, or None."""
    if isinstance(obj, type):
        return None
    own = getattr(obj, "device", None)
    if isinstance(own, Device):
        return own
    ask = getattr(obj, "__dlpack_device__", None)
    if ask is not None:
        # A library raises what it likes for arrays that DLPack cannot describe; `own` may do.
        with contextlib.suppress(Exception):
            kind, index = ask()
            if kind in _DLPACK_CPU:
                return CPU
            if kind in _DLPACK_CUDA:
                return make("cuda", int(index))
    if own is not None and not callable(own):
        with contextlib.suppress(ValueError):
            return Device(str(own))
    return None


def _held(obj: Any) -> list[tuple[str, Any]]:
    """Return the names and values of what an object holds: parameters, or else attributes."""
    if isinstance(obj, type):
        return []
    parameters = getattr(obj, "parameters", None)
    if callable(parameters) and _needs_nothing(parameters):
        values = parameters()
        if isinstance(values, Mapping):
            pairs = [(str(name), value) for name, value in values.items()]
        elif isinstance(values, Iterable):
            pairs = [(f"parameters()[{i}]", value) for i, value in enumerate(values)]
        else:
            pairs = []
        if pairs:
            return pairs
    attributes = getattr(obj, "__dict__", {})
    return [(k, v) for k, v in list(attributes.items()) if not isinstance(v, np.generic)]


def _needs_nothing(function: Any) -> bool:
    """Tell whether a callable can be called without arguments."""
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return False
    return True
