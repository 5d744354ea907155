"""Thousands of live arrays, sent and held, with few file descriptors."""

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory

import numpy

from .table import Table, binary, duration

CASES = ((5_000, 4 << 10), (2_000, 1 << 20))
LIMIT = 256


def descriptors() -> int:
    """Return the number of open file descriptors of this process."""
    return len(os.listdir("/proc/self/fd")) - 1


def mappings() -> int:
    """Return the number of memory mappings of this process."""
    with open("/proc/self/maps", "rb") as lines:
        return sum(1 for _ in lines)


def hold(connection: Connection) -> None:
    """Receive arrays, hold them all, and tell what they contain and what they cost."""
    arrays = []
    while (message := connection.recv()) is not None:
        arrays.append(message)
    connection.send((len(arrays), sum(float(x[0]) for x in arrays), descriptors(), mappings()))
    connection.recv()
    connection.send(sum(float(x[-1]) for x in arrays))
    connection.close()


def trial(count: int, nbytes: int) -> dict:
    """Make, send and hold arrays in this process and a worker.

    Parameters
    ----------
    count : int
        Number of arrays.
    nbytes : int
        Bytes of each.

    Returns
    -------
    dict
        What was held, the time taken, and the descriptors and mappings of both processes.
    """
    import sharedarray

    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=hold, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    before = descriptors()
    begin = time.perf_counter()
    arrays = []
    for number in range(count):
        x = sharedarray.full(nbytes // 8, float(number))
        ours.send(x)
        arrays.append(x)
    ours.send(None)
    held, total, their_descriptors, their_mappings = ours.recv()
    taken = time.perf_counter() - begin
    for x in arrays:
        x[-1] = 2.0
    ours.send(None)
    seen = ours.recv()
    found = {
        "arrays": held,
        "nbytes": nbytes,
        "seconds": taken,
        "right": held == count and total == count * (count - 1) / 2 and seen == 2.0 * count,
        "descriptors": descriptors(),
        "descriptors_before": before,
        "mappings": mappings(),
        "worker_descriptors": their_descriptors,
        "worker_mappings": their_mappings,
    }
    process.join(60)
    return found


def stdlib(count: int, nbytes: int) -> int:
    """Return how many segments of the standard library could be held at once."""
    held = []
    try:
        for _ in range(count):
            segment = SharedMemory(create=True, size=nbytes)
            numpy.ndarray(1, buffer=segment.buf)[0] = 1.0
            held.append(segment)
    except OSError:
        pass
    made = len(held)
    for segment in held:
        segment.close()
        segment.unlink()
    return made


def run(count: int, nbytes: int, limit: int = LIMIT) -> dict:
    """Run a trial in a process of its own that may open ``limit`` descriptors.

    Parameters
    ----------
    count, nbytes : int
        Number of arrays and bytes of each.
    limit : int, optional
        The ``RLIMIT_NOFILE`` of the process and of its worker.

    Returns
    -------
    dict
        As of :func:`trial`, with ``stdlib``, the number that the standard library can hold.

    Raises
    ------
    RuntimeError
        If the process fails; with what it wrote.
    """
    command = [sys.executable, "-m", "sharedarray._bench.many", str(count), str(nbytes), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{count} arrays of {binary(nbytes)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(seconds: float = 10.0, cases=CASES, limit: int = LIMIT) -> list[Table]:
    """Hold thousands of arrays in two processes under a limit of descriptors.

    Parameters
    ----------
    seconds : float, optional
        Not used: every trial runs once.
    cases : sequence of (int, int), optional
        Number of arrays and bytes of each.
    limit : int, optional
        The ``RLIMIT_NOFILE`` of both processes.

    Returns
    -------
    list of Table
    """
    rows, records = [], []
    for count, nbytes in cases:
        found = run(count, nbytes, limit)
        records.append(found)
        rows.append(
            [
                f"{found['arrays']:,}",
                binary(nbytes),
                "yes" if found["right"] else "NO",
                duration(found["seconds"]),
                str(found["descriptors"]),
                str(found["worker_descriptors"]),
                f"{found['mappings']} / {found['worker_mappings']}",
                f"{found['stdlib']:,}",
            ]
        )
    heads = ["arrays", "each", "values right", "make and send", "descriptors: sender", "worker"]
    heads += ["mappings", "shared_memory holds"]
    return [Table(f"Arrays sent and held, ulimit -n {limit}", heads, rows, records)]


def main() -> None:
    """Run one trial under a limit and write what was found as JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    for name in ("count", "nbytes", "limit"):
        parser.add_argument(name, type=int)
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (asked.limit, asked.limit))
    found = trial(asked.count, asked.nbytes)
    found["stdlib"] = stdlib(asked.count, asked.nbytes)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
