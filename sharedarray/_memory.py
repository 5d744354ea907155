"""Statistics of memory, on all devices, and letting go of what is cached or was never opened."""

from typing import Protocol

from . import _core
from ._limits import size_text

__all__ = ["collect", "empty_cache", "memory_stats", "memory_summary", "register", "table"]


class Account(Protocol):
    """Who keeps the books of memory other than the CPU's."""

    def stats(self) -> dict[str, dict[str, int]]:
        """Return the figures of `memory_stats` for each of its devices that is in use."""

    def trim(self) -> int:
        """Give cached memory back to the devices; return the bytes."""

    def settle(self) -> int:
        """Recycle what nobody can reach any more; return the bytes that arrays take no longer."""


_accounts: list[Account] = []


def register(account: Account) -> None:
    """Let `memory_stats` and its companions ask `account` too.

    Parameters
    ----------
    account : Account
        Of the devices of one type.
    """
    _accounts.append(account)


def memory_stats() -> dict[str, dict[str, int]]:
    """Return the memory that this process holds, in bytes, by device.

    Returns
    -------
    dict of str to dict of str to int
        For each device: ``allocated`` (arrays of this process), ``cached`` (kept warm for the next
        ones), ``published`` (named by a handle at least once), ``in_flight`` (sent and not opened
        yet), ``attached`` (received from other processes), ``peak`` (most ever allocated).

    Examples
    --------
    >>> import sharedarray as xp
    >>> before = xp.memory_stats()["cpu"]["allocated"]
    >>> x = xp.zeros(1000)
    >>> xp.memory_stats()["cpu"]["allocated"] - before >= 8000
    True
    """
    found = {"cpu": _core.stats()}
    for account in _accounts:
        found.update(account.stats())
    return found


def memory_summary() -> str:
    """Return `memory_stats()` as a table.

    Returns
    -------
    str

    Examples
    --------
    >>> import sharedarray as xp
    >>> print(xp.memory_summary().splitlines()[0].split()[0])
    device
    """
    return table(memory_stats())


def table(rows: dict[str, dict[str, int]]) -> str:
    """Return figures as a table.

    Parameters
    ----------
    rows : dict of str to dict of str to int
        For each device bytes by name, the same names for all.

    Returns
    -------
    str
        A line of the names, and one for each device.
    """
    names = list(next(iter(rows.values())))
    lines = ["device  " + "".join(f"{n:>14}" for n in names)]
    for device, row in rows.items():
        lines.append(f"{device:<8}" + "".join(f"{size_text(row[n]):>14}" for n in names))
    return "\n".join(lines)


def empty_cache() -> int:
    """Give cached memory back to the system.

    Returns
    -------
    int
        Bytes given back: free blocks kept warm, and mappings of other processes' memory that
        nobody here uses.

    Examples
    --------
    >>> import sharedarray as xp
    >>> x = xp.ones(1_000_000)
    >>> del x
    >>> xp.empty_cache() >= 8_000_000
    True
    """
    return _core.trim() + sum(account.trim() for account in _accounts)


def collect(older_than: float = 0.0) -> int:
    """Let go of what was sent and never opened.

    Who opens it later finds the memory gone (`HandleError`), unless somebody holds it. Handles keep
    what they keep.

    Parameters
    ----------
    older_than : float, optional
        Seconds: only what was sent at least so long ago.

    Returns
    -------
    int
        Bytes freed: of arrays of this process that nothing else here holds.

    Raises
    ------
    ValueError
        If `older_than` is negative or no number.

    Examples
    --------
    >>> import sharedarray as xp
    >>> message = bytes(xp.ones(1_000_000).handle())
    >>> xp.collect(older_than=3600.0), xp.collect() >= 8_000_000
    (0, True)
    """
    if not older_than >= 0.0:
        raise ValueError(f"collect: a number of seconds from 0 is needed, not {older_than!r}")
    return _core.cancel(older_than) + sum(account.settle() for account in _accounts)
