"""CUDA devices: how many there are, which one ``"cuda"`` means, waiting for them.

Nothing here but `synchronize` makes this process use CUDA: importing and asking create no CUDA
context, so the process can still fork.

>>> import sharedarray as xp
>>> xp.cuda.is_available() == (xp.cuda.device_count() > 0)
True
"""

import operator as _operator
from typing import cast as _cast

from . import _device, _devices

__all__ = [
    "current_device",
    "device_count",
    "is_available",
    "memory_summary",
    "set_device",
    "synchronize",
]


def is_available() -> bool:
    """Tell whether arrays can be made on a CUDA device.

    Returns
    -------
    bool
        True if `device_count` is not 0.

    Examples
    --------
    >>> import sharedarray as xp
    >>> device = "cuda" if xp.cuda.is_available() else "cpu"
    """
    return device_count() > 0


def device_count() -> int:
    """Return the number of CUDA devices on which arrays can be made.

    Returns
    -------
    int
        What the driver shows to this process (``CUDA_VISIBLE_DEVICES`` counts); 0 without a
        driver, or without the library that computes on the devices.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.cuda.device_count() >= 0
    True
    """
    return _devices.count("cuda")


def current_device() -> int:
    """Return the index of the CUDA device that ``"cuda"`` stands for.

    Returns
    -------
    int
        That of the innermost ``with``, or of `set_device`, or else 0.

    Raises
    ------
    DeviceError
        If there is no CUDA.

    Examples
    --------
    >>> import sharedarray as xp
    >>> if xp.cuda.is_available():
    ...     index = xp.cuda.current_device()
    """
    return _number(_existing(None))


def set_device(device: "int | str | _devices.Device") -> None:
    """Choose the CUDA device that ``"cuda"`` stands for, in this thread or asyncio task.

    Arrays are still created on the CPU by default; use ``with xp.Device("cuda"):`` to change that.
    Inside such a ``with`` the choice lasts until its end.

    Parameters
    ----------
    device : int, str or Device
        The device, or its index.

    Raises
    ------
    DeviceError
        If there is no such device.
    ValueError
        If it is malformed, negative, or no CUDA device.
    TypeError
        If it is none of these types.

    Examples
    --------
    >>> import sharedarray as xp
    >>> if xp.cuda.device_count() > 1:
    ...     xp.cuda.set_device(1)
    """
    _device.set_cuda(_number(_existing(device)))


def synchronize(device: "int | str | _devices.Device | None" = None) -> None:
    """Wait until a CUDA device has done all that it was given.

    Parameters
    ----------
    device : int, str or Device, optional
        The device, or its index; by default the one that ``"cuda"`` stands for.

    Raises
    ------
    DeviceError
        If there is no such device.

    Examples
    --------
    >>> import sharedarray as xp
    >>> if xp.cuda.is_available():
    ...     xp.cuda.synchronize()
    """
    device = _existing(device)
    _devices.backend(device).synchronize(_number(device))


def memory_summary(device: "int | str | _devices.Device | None" = None) -> str:
    """Return a table of the memory of a CUDA device.

    Parameters
    ----------
    device : int, str or Device, optional
        The device, or its index; by default the one that ``"cuda"`` stands for.

    Returns
    -------
    str
        The table.

    Raises
    ------
    DeviceError
        If there is no such device.

    See Also
    --------
    sharedarray.memory_summary : the same for all devices.

    Examples
    --------
    >>> import sharedarray as xp
    >>> if xp.cuda.is_available():
    ...     table = xp.cuda.memory_summary()
    """
    device = _existing(device)
    return _devices.backend(device).memory_summary(_number(device))


def _number(device: "_devices.Device") -> int:
    """The index, which every CUDA device has."""
    return _cast(int, device.index)


def _existing(device: "int | str | _devices.Device | None") -> "_devices.Device":
    """Return a CUDA device that exists."""
    if device is None:
        device = _devices.Device("cuda")
    elif not isinstance(device, (str, _devices.Device)):
        if isinstance(device, bool):
            raise TypeError(f"a CUDA device is an index, a string or a Device; got {device!r}")
        try:
            index = _operator.index(device)
        except TypeError:
            raise TypeError(
                f"a CUDA device is an index, a string or a Device; got {device!r}"
            ) from None
        device = _devices.Device("cuda", index)
    else:
        device = _devices.Device(device)
    if device.type != "cuda":
        raise ValueError(f"a CUDA device is needed, got {device!r}")
    _devices.check(device)
    return device
