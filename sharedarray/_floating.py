"""Floating-point error handling: NumPy's, with callbacks that run outside the allocation scope."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np

from ._core import Suspended


class _Writer(Protocol):
    def write(self, text: str, /) -> object:
        """Take a message."""


_Handler: TypeAlias = Callable[..., object] | _Writer | None

__all__ = ["errstate", "geterrcall", "seterrcall"]


def _guarded(call):
    """Return what NumPy may call while it computes into shared memory."""
    return Suspended(call) if callable(call) else call


class errstate(np.errstate):
    """Context manager for floating-point error handling; see `numpy.errstate`.

    Parameters
    ----------
    **kwargs
        ``divide``, ``over``, ``under``, ``invalid``, ``all``: ``"ignore"``, ``"warn"``,
        ``"raise"``, ``"call"``, ``"print"`` or ``"log"``; ``call``: what is called.

    Examples
    --------
    >>> import sharedarray as xp
    >>> with xp.errstate(divide="ignore"):
    ...     print(xp.ones(1) / xp.zeros(1))
    [inf]
    """

    __slots__ = ()

    def __init__(self, **kwargs: "str | _Handler") -> None:
        if "call" in kwargs:
            kwargs["call"] = _guarded(kwargs["call"])
        super().__init__(**kwargs)  # type: ignore[arg-type]  # NumPy tells what it refuses


def seterrcall(func: _Handler) -> _Handler:
    """Set the callback of the error mode ``"call"``, and return the former one.

    Parameters
    ----------
    func : callable, object with ``write``, or None
        See `numpy.seterrcall`.

    Returns
    -------
    callable, object or None

    Examples
    --------
    >>> import sharedarray as xp
    >>> former = xp.seterrcall(print)
    >>> xp.seterrcall(former) is print
    True
    """
    return _plain(np.seterrcall(_guarded(func)))


def geterrcall() -> _Handler:
    """Return the callback of the error mode ``"call"``.

    Returns
    -------
    callable, object or None

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.geterrcall() is None
    True
    """
    return _plain(np.geterrcall())


def _plain(call):
    return call.function if isinstance(call, Suspended) else call
