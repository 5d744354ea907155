"""A progress bar for terminals, and nothing for anything else."""

import os
import shutil
import time
from typing import TextIO


class Bar:
    """Shows how much of a job is done.

    Parameters
    ----------
    label : str
        Stands before the bar.
    stream : file object
        Where to draw; nothing is drawn unless it is a terminal that can go back in its line.

    Attributes
    ----------
    seconds : float
        From making the bar until the last call.
    """

    def __init__(self, label: str, stream: TextIO):
        self.label = label
        self.stream = stream
        self.drawn = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.full, self.empty = _characters(stream)
        self.began = time.perf_counter()
        self.seconds = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` parts of `total` are done."""
        self.seconds = time.perf_counter() - self.began
        if not self.drawn:
            return
        tail = f" {100 * done // total:3d} %  {self.seconds:.1f} s"
        room = shutil.get_terminal_size().columns - len(self.label) - len(tail) - 4
        width = max(0, min(40, room))
        filled = width * done // total
        bar = self.full * filled + self.empty * (width - filled)
        self.stream.write(f"\r{self.label} {bar}{tail} ")
        self.stream.flush()

    def close(self) -> None:
        """Take the bar away, so that other lines can follow."""
        if self.drawn:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def _characters(stream: TextIO) -> tuple[str, str]:
    try:
        "█░".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return "#", "."
    return "█", "░"
