"""What outlives a killed process: a file, mapped by all, with one row for each that ever ran.

A row is written by its process alone, except `condemned`, which its killer sets.
"""

import fcntl
import mmap
import os

ROWS, ROW, HEAD, SLOT = 1 << 16, 4096, 4096, 32
FIELDS = (
    "pid",
    "start",
    "parent",
    "condemned",
    "steps",
    "made",
    "sent",
    "forwarded",
    "taken",
    "opened",
    "lost",
    "looks",
    "forks",
    "kills",
    "bytes",
    "idle",
    "opening",
    "opening_from",
    "opening_bytes",
    "opening_maker",
    "ended",
)
INDEX = {name: i for i, name in enumerate(FIELDS)}
NAME, LINES, LINE = 256, 28, 128
PHASES = RUN, DRAIN, DROP, EXIT = range(4)


class Row:
    """One process: counters, its name, and its last actions."""

    def __init__(self, table, number):
        object.__setattr__(self, "_words", table.words)
        object.__setattr__(self, "_map", table.map)
        object.__setattr__(self, "_at", HEAD + number * ROW)
        object.__setattr__(self, "number", number)

    def __getattr__(self, name):
        return self._words[self._at // 8 + INDEX[name]]

    def __setattr__(self, name, value):
        self._words[self._at // 8 + INDEX[name]] = value

    def _text(self, at, size):
        return self._map[at : at + size].rstrip(b"\0").decode(errors="replace")

    @property
    def name(self):
        """Name of the process, as in the plan."""
        return self._text(self._at + NAME, 128)

    def begin(self, name, pid, start, parent=None):
        """Enter a process."""
        self._map[self._at + NAME : self._at + NAME + 128] = name.encode()[:128].ljust(128, b"\0")
        self.parent = parent.number + 1 if parent else 0
        self.start, self.pid = start, pid

    def note(self, number, text):
        """Enter an action into the journal."""
        at = self._at + 2 * NAME + self.steps % LINES * LINE
        self._map[at : at + LINE] = f"#{number} {text}".encode()[:LINE].ljust(LINE, b"\0")
        self.steps += 1

    def journal(self):
        """Return the last actions, oldest first."""
        lines = [self._text(self._at + 2 * NAME + i * LINE, LINE) for i in range(LINES)]
        turn = self.steps % LINES
        return [line for line in lines[turn:] + lines[:turn] if line]


class Table:
    """The file; `words` 0 the rows given, 1 the phase, 2 the faults, 3 whether a fault was
    planted; from 64 on the slots."""

    def __init__(self, path, create=False):
        self.path = path
        self.fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o600)
        if create:
            os.ftruncate(self.fd, HEAD + ROWS * ROW)
        self.map = mmap.mmap(self.fd, HEAD + ROWS * ROW)
        self.words = memoryview(self.map).cast("Q")

    def __reduce__(self):
        return Table, (self.path,)

    @property
    def phase(self):
        """What all are doing now."""
        return self.words[1]

    @phase.setter
    def phase(self, value):
        self.words[1] = value

    def new_row(self):
        """Return a row that nobody has."""
        own = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)  # a lock of this call alone
        try:
            fcntl.flock(own, fcntl.LOCK_EX)
            number = self.words[0]
            if number == ROWS:
                raise RuntimeError(f"more than {ROWS} processes")
            self.words[0] = number + 1
        finally:
            os.close(own)
        return Row(self, number)

    def rows(self):
        """Return all rows given so far."""
        return [Row(self, i) for i in range(self.words[0])]

    def slot(self, i):
        """Return the row of the worker in a slot, or None while there is none."""
        number = self.words[64 + i]
        return Row(self, number - 1) if number else None

    def set_slot(self, i, row):
        """Say who works in a slot."""
        self.words[64 + i] = 0 if row is None else row.number + 1

    def close(self):
        """Unmap it."""
        self.words.release()
        self.map.close()
        os.close(self.fd)
