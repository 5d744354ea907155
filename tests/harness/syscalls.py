"""Which system calls other processes make, counted by a tracer of our own."""

import array
import collections
import contextlib
import ctypes
import functools
import os
import pathlib
import re
import select
import subprocess
import tempfile

_HERE = pathlib.Path(__file__).resolve().parent
_LIMIT = 1024  # as in syscalls.c
_PR_SET_PTRACER = 0x59616D61


class TracerError(Exception):
    """The tracer could not be built or could not attach; the message says why."""


def allow_tracing():
    """Let a process that is no ancestor trace this one, where the kernel asks for that."""
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(-1), 0, 0, 0)


def _cc(*arguments, **names):
    done = subprocess.run(["cc", *arguments], capture_output=True, text=True, timeout=60, **names)
    if done.returncode:
        raise TracerError(f"cc {' '.join(arguments)}\n{done.stderr}")
    return done.stdout


@functools.cache
def names():
    """Names of the system calls of this machine by number."""
    text = _cc("-E", "-dM", "-", input="#include <sys/syscall.h>\n")
    return {int(m[2]): m[1] for m in re.finditer(r"#define __NR_(\w+) (\d+)\n", text)}


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="syscalls-")


@functools.cache
def _tracer():
    target = os.path.join(_folder().name, "syscalls")
    _cc("-O1", "-Wall", "-Wextra", "-Werror", str(_HERE / "syscalls.c"), "-o", target)
    return target


class Calls:
    """What a tracer has counted so far.

    Parameters
    ----------
    pids : sequence of int
        Processes, traced with all their threads.
    file : file object
        What the tracer writes into.
    """

    def __init__(self, pids, file):
        self._pids, self._file = list(pids), file

    def __getitem__(self, pid):
        """Counter of the calls of one process by name, since it is traced."""
        size = 8 * _LIMIT
        numbers = array.array("Q")
        numbers.frombytes(os.pread(self._file.fileno(), size, size * self._pids.index(pid)))
        known = names()
        return collections.Counter({known.get(i, str(i)): n for i, n in enumerate(numbers) if n})


@contextlib.contextmanager
def traced(*pids, timeout=20.0):
    """
    Count the system calls of processes while the block runs.

    Parameters
    ----------
    *pids : int
        The processes; each has called `allow_tracing`.
    timeout : float
        Seconds that attaching may take.

    Raises
    ------
    TracerError
        If they cannot be traced.
    """
    with tempfile.NamedTemporaryFile() as file:
        process = subprocess.Popen(
            [_tracer(), file.name, *map(str, pids)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            ready, _, _ = select.select([process.stdout], [], [], timeout)
            if not ready or process.stdout.read(1) != b"!":
                process.kill()
                raise TracerError(process.stderr.read().decode().strip() or "no answer")
            yield Calls(pids, file)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
