"""What a type of devices other than the CPU brings along, and what finds it when it is needed."""

import contextlib
from collections.abc import Callable
from typing import Any, Protocol


class Backend(Protocol):
    """What a device type other than the CPU brings along: an array library over memory of ours.

    A *backend array* is what that library computes with. `Block` is a piece of device memory;
    `memory_of` tells what object holds the memory of a backend array, the same for all its views.
    """

    @property
    def name(self) -> str:
        """The library, for messages."""

    @property
    def storage_type(self) -> Any:
        """The class of Storage on these devices."""

    def arrive(
        self, block: Any, dtype: Any, shape: tuple, strides: tuple, offset: int, readonly: bool
    ) -> Any:
        """Make the Array of a handle that was opened."""

    def synchronize(self, index: int) -> None:
        """Wait until the device has done all that it was given."""

    def memory_summary(self, index: int) -> str:
        """Return a table of the memory of the device."""

    def stream(self, index: int) -> int:
        """Return the current stream of this thread on the device, as a pointer."""

    def scope(self, index: int) -> contextlib.AbstractContextManager:
        """Return a context: the device is current in it, and what is allocated are Blocks."""

    def is_array(self, obj: object) -> bool:
        """Whether `obj` is a backend array."""

    def array(self, block: Any, offset: int, shape: tuple, strides: tuple, dtype: Any) -> Any:
        """Make a backend array over a Block, which it keeps."""

    def foreign(
        self, owner: object, pointer: int, index: int, shape: tuple, strides: tuple, dtype: Any
    ) -> Any:
        """Make a backend array over memory that `owner` keeps."""

    def pointer(self, b: Any) -> int:
        """Return the address of the first element."""

    def device_of(self, b: Any) -> int:
        """Return the index of the device."""

    def device_at(self, pointer: int) -> int:
        """Return the index of the device that has this address."""

    def memory_of(self, b: Any) -> object:
        """Return what holds the memory of a backend array; None where it is not on a device."""

    def block_of(self, b: Any) -> Any:
        """Return the Block below a backend array; None for foreign memory."""

    def is_writable(self, b: Any) -> bool:
        """Whether the library allows writing to a view that it made."""

    def frozen(self, b: Any) -> Any:
        """Return a view that is read-only, where the library has such."""

    def place(self, b: Any, index: int) -> Any:
        """Return a result of an operation, copied into a new Block unless it lies in one."""

    def function(self, name: str, reference: Any) -> Callable[..., Any]:
        """Return the library's function for `reference`, of that dotted name in the namespace."""

    def method(self, b: Any, name: str, args: tuple, kwargs: dict) -> Any:
        """Call what does the work of a method of Array."""

    def operate(self, operation: Callable[..., Any], *operands: Any) -> Any:
        """Call an operation of Python's module ``operator`` on backend arrays and scalars."""


class Provider(Protocol):
    """Finds the backend of a device type when it is first needed."""

    def missing(self) -> str:
        """Return why no arrays can be made where there are devices; empty if they can."""

    def announce(self) -> None:
        """Devices of this type come into use: from now on they have to be looked for."""

    def load(self) -> Backend:
        """Return the backend."""


_backends: dict[str, Backend] = {}
_providers: dict[str, Provider] = {}


def provide(kind: str, provider: Provider) -> None:
    """Say who finds the backend of the device type `kind`, when it is needed.

    Parameters
    ----------
    kind : str
        The type, such as ``"cuda"``.
    provider : Provider
        What finds it.
    """
    _providers[kind] = provider


def loaded(kind: str = "cuda") -> Backend:
    """Return what computes on the devices of a type, of which there is one.

    Parameters
    ----------
    kind : str, optional
        The type.

    Returns
    -------
    Backend
        What its provider found when it was first needed.
    """
    found = _backends.get(kind)
    if found is None:  # one, though threads need it for the first time at the same moment
        found = _backends.setdefault(kind, _providers[kind].load())
    return found


def missing(kind: str) -> str:
    """Say why no arrays can be made on devices of a type.

    Parameters
    ----------
    kind : str
        The type.

    Returns
    -------
    str
        Empty if they can.
    """
    if kind in _backends:
        return ""
    if kind not in _providers:
        return "this version of sharedarray makes arrays on the CPU only"
    return _providers[kind].missing()


def announce(kind: str) -> None:
    """Say that devices of a type come into use.

    Parameters
    ----------
    kind : str
        The type.
    """
    if kind in _providers:
        _providers[kind].announce()
