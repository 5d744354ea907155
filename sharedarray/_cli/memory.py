"""The memory of this process and its children while something runs."""

import contextlib
import os
import pathlib
import threading
from typing import Self


class Peak:
    """Measures, every few hundredths of a second, what all processes of this job occupy.

    The sum of their proportional set sizes counts a shared page once. Use as a context manager.

    Parameters
    ----------
    interval : float, optional
        Seconds between measurements.

    Attributes
    ----------
    nbytes : int or None
        The largest sum seen; None where it cannot be measured.
    """

    def __init__(self, interval: float = 0.05):
        self.interval = interval
        self.nbytes: int | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)

    def __enter__(self) -> Self:
        self.measure()
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._done.set()
        self._thread.join()

    def measure(self) -> None:
        """Measure now."""
        sizes = [size for pid in family() if (size := pss(pid)) is not None]
        if sizes:
            self.nbytes = max(self.nbytes or 0, sum(sizes))

    def _watch(self) -> None:
        while not self._done.wait(self.interval):
            self.measure()


def pss(pid: int) -> int | None:
    """Return the proportional set size of a process, in bytes; None if it cannot be had."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return None


def family() -> list[int]:
    """Return the ids of this process and of all that descend from it."""
    parents = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                # The name in parentheses may hold spaces and parentheses.
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(fields[1])
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found
