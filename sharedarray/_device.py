"""A device: its name, which one is in force, and which ones exist."""

import contextvars
import operator
import re
from collections.abc import Callable
from typing import Self, TypeVar

from . import _driver
from ._backends import Backend, announce, loaded, missing
from ._decorate import decorate
from ._errors import DeviceError

_Decorated = TypeVar("_Decorated", bound=Callable[..., object])
_NAME = re.compile(r"cpu|cuda(?::(?P<index>0|[1-9][0-9]*))?")


class Device:
    """Name of a device: ``cpu``, or a CUDA device such as ``cuda:0``.

    A `Device` is immutable, equal to its string and of equal hash. It is a context manager and a
    decorator: inside, it is the device on which arrays are created unless `device=` says
    otherwise. It may be entered any number of times, also inside itself; what it makes current
    belongs to the thread, or the asyncio task, that entered it.

    Parameters
    ----------
    device : str or Device
        ``"cpu"``, ``"cuda:N"``, or ``"cuda"`` for the CUDA device in force: that of the innermost
        ``with``, or of `sharedarray.cuda.set_device`, or else ``cuda:0``.
    index : int, optional
        The number of the device, given apart: ``Device("cuda", 0)``.

    Attributes
    ----------
    type : str
        ``"cpu"`` or ``"cuda"``.
    index : int or None
        The number of the CUDA device; None for the CPU.

    Raises
    ------
    ValueError
        If the name is malformed.
    TypeError
        If `device` is neither a string nor a Device, or `index` is no integer.
    DeviceError
        On entering (not on making) a device that this machine does not have.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.Device("cuda:1").type, xp.Device("cuda:1").index
    ('cuda', 1)
    >>> xp.Device("cuda", 1) == "cuda:1"
    True
    >>> print(xp.Device("cpu"))
    cpu
    >>> with xp.Device("cpu"):
    ...     x = xp.ones(2)
    >>> @xp.Device("cpu")
    ... def make():
    ...     return xp.ones(2)
    >>> make().device
    Device('cpu')
    """

    __module__ = "sharedarray"
    __slots__ = ("_text", "index", "type")

    type: str
    index: int | None
    _text: str

    def __new__(cls, device: "str | Device", index: int | None = None) -> "Device":
        if isinstance(device, Device):
            if index is not None:
                raise ValueError(f"{device!r} has its index already, got index={index!r} as well")
            return device
        if not isinstance(device, str):
            raise TypeError(
                f"a device is a string such as 'cpu' or 'cuda:0', or a Device; got {device!r}"
            )
        kind, number = _parse(device, index)
        if kind == "cpu":
            return CPU
        if number is None:
            number = _frames.get()[-1].cuda
        return make(kind, number)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Device cannot be changed: make another one to change {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Device cannot be changed: {name!r} stays")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Device({self._text!r})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return self._text == other._text
        if isinstance(other, str):
            return self._text == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple:
        return Device, (self._text,)

    def __copy__(self) -> "Device":
        return self

    def __deepcopy__(self, memo: dict) -> "Device":
        return self

    def __enter__(self) -> Self:
        check(self)
        frames = _frames.get()
        cuda = frames[-1].cuda if self.index is None else self.index
        _frames.set((*frames, _Frame(self, cuda)))
        return self

    def __exit__(self, *exc: object) -> None:
        # Not always the last frame: a generator may leave its `with` while its caller is inside
        # another. No such frame at all: entered in another context, where it still counts.
        frames = _frames.get()
        for place in range(len(frames) - 1, 0, -1):
            if frames[place].device == self:
                _frames.set(frames[:place] + frames[place + 1 :])
                return

    def __call__(self, function: _Decorated) -> _Decorated:
        """Decorate `function`, so that this device is in force whenever its body runs.

        Parameters
        ----------
        function : callable
            A function, coroutine function, generator function or asynchronous generator
            function. A generator's body has the device in force, the code that iterates over it
            has not.

        Returns
        -------
        callable
            Of the same kind as `function`.

        Raises
        ------
        TypeError
            If `function` is a class or cannot be called.
        """
        if isinstance(function, type) or not callable(function):
            raise TypeError(f"{self!r} decorates functions, got {function!r}")
        decorated: _Decorated = decorate(self, function)
        return decorated


class _Frame:
    """One level of the devices in force: the default, and what ``"cuda"`` means."""

    __slots__ = ("cuda", "device")

    def __init__(self, device: Device, cuda: int):
        self.device = device
        self.cuda = cuda


def make(kind: str, index: int | None) -> Device:
    """Return the device of a type and index that are known to be right."""
    self = object.__new__(Device)
    object.__setattr__(self, "type", kind)
    object.__setattr__(self, "index", index)
    object.__setattr__(self, "_text", kind if index is None else f"{kind}:{index}")
    return self


CPU = make("cpu", None)
_frames: contextvars.ContextVar[tuple[_Frame, ...]] = contextvars.ContextVar(
    "sharedarray_devices", default=(_Frame(CPU, 0),)
)


def _parse(text: str, index: int | None) -> tuple[str, int | None]:
    match = _NAME.fullmatch(text)
    if match is None:
        raise ValueError(f"a device is 'cpu', 'cuda' or 'cuda:N' with N = 0, 1, ...; got {text!r}")
    kind, digits = text.partition(":")[0], match["index"]
    if index is not None:
        if isinstance(index, bool):
            raise TypeError(f"the index of a device is an integer, got {index!r}")
        try:
            index = operator.index(index)
        except TypeError:
            raise TypeError(f"the index of a device is an integer, got {index!r}") from None
        if digits is not None:
            raise ValueError(f"{text!r} has its index already, got index={index} as well")
        if index < 0:
            raise ValueError(f"the index of a device is not negative, got {index}")
    elif digits is not None:
        index = int(digits)
    if kind == "cpu" and index is not None:
        raise ValueError(f"the CPU is one device, 'cpu', without an index; got {index}")
    return kind, index


# What is in force, and what exists.


def default() -> Device:
    """Return the device in force: where arrays are created unless `device=` says otherwise.

    Returns
    -------
    Device
        That of the innermost ``with``, or else the CPU.
    """
    return _frames.get()[-1].device


def set_cuda(index: int) -> None:
    """Let ``"cuda"`` stand for device `index` in this thread or task, until the ``with`` ends.

    Parameters
    ----------
    index : int
        The number of an existing device.
    """
    frames = _frames.get()
    _frames.set((*frames[:-1], _Frame(frames[-1].device, index)))


def backend(device: Device) -> Backend:
    """Return what computes on `device`.

    Parameters
    ----------
    device : Device
        Any device but the CPU, which needs none.

    Returns
    -------
    Backend
        As it was registered, or is found now.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    check(device)
    return loaded(device.type)


def count(kind: str = "cuda") -> int:
    """Return how many devices of a type can hold arrays.

    Parameters
    ----------
    kind : str, optional
        The type.

    Returns
    -------
    int
        The number; 0 where the hardware is there and its array library is not.
    """
    devices = _driver.query().devices
    return 0 if devices and missing(kind) else devices


def check(device: Device) -> None:
    """Raise unless arrays can be made on `device`.

    Parameters
    ----------
    device : Device
        The device.

    Raises
    ------
    DeviceError
        Saying what exists and what was asked for.
    """
    if device.index is None:
        return
    found = _driver.query()
    if found.devices == 0:
        raise DeviceError(f"{found.reason}, asked for {device}; the device 'cpu' is always there")
    number = f"{found.devices} device" + "s" * (found.devices > 1)
    if device.index >= found.devices:
        raise DeviceError(f"{number}, asked for {device}; the last one is cuda:{found.devices - 1}")
    reason = missing(device.type)
    if reason:
        raise DeviceError(
            f"{number}, asked for {device}, but {reason}; the device 'cpu' is always there"
        )
    announce(device.type)
