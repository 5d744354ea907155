"""Sending arrays to a running worker that touches them and answers."""

import contextlib
import multiprocessing
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from typing import NamedTuple

import numpy

import sharedarray

from .table import OURS, Measurement, Table, binary, compare
from .timing import STEADY, Contestant, interleave

YARDSTICK = "tuple"
STDLIB = "shared_memory"
PICKLE = "pickle"
SIZES = (1 << 10, 1 << 20, 64 << 20, 1 << 30)
LARGE = 256 << 20  # bytes: takes seconds by pickle
SPILLS = 1 << 20  # bytes: a copy drives everything else out of the caches of a core


class Named(NamedTuple):
    """An array of float64 in a segment of :mod:`multiprocessing.shared_memory`."""

    name: str
    count: int


def touch(message) -> float:
    """Return the sum of the first and the last element of what a message brings.

    Parameters
    ----------
    message : tuple of float, Named, Array or numpy.ndarray
    """
    if isinstance(message, Named):
        segment = SharedMemory(name=message.name)
        x = numpy.ndarray(message.count, buffer=segment.buf)
        answer = float(x[0]) + float(x[-1])
        del x
        segment.close()
        return answer
    return float(message[0]) + float(message[-1])


def serve(connection: Connection) -> None:
    """Answer messages until None comes."""
    while (message := connection.recv()) is not None:
        answer = touch(message)
        del message
        connection.send(answer)


class Worker:
    """A worker process, and the ways of sending it an array of ones.

    Parameters
    ----------
    connection : multiprocessing.connection.Connection
        Our end of the pipe.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def ask(self, message) -> None:
        """Send one message, wait for the answer and check it."""
        self.connection.send(message)
        answer = self.connection.recv()
        if answer != 2.0:
            raise AssertionError(f"the worker saw {answer} where 2.0 was sent")

    def fresh_array(self, count: int) -> None:
        """Make, fill, send and drop an Array."""
        x = sharedarray.empty(count)
        x.fill(1.0)
        self.ask(x)

    def fresh_segment(self, count: int) -> None:
        """Make, fill, send and unlink a segment of the standard library."""
        segment = SharedMemory(create=True, size=8 * count)
        x = numpy.ndarray(count, buffer=segment.buf)
        x.fill(1.0)
        self.ask(Named(segment.name, count))
        del x
        segment.close()
        segment.unlink()

    def fresh_pickle(self, count: int) -> None:
        """Make, fill, send and drop a NumPy array."""
        x = numpy.empty(count)
        x.fill(1.0)
        self.ask(x)


@contextlib.contextmanager
def worker(method: str = "spawn") -> Iterator[Worker]:
    """Run a worker process."""
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    try:
        yield Worker(ours)
        ours.send(None)
        process.join(60)
    finally:
        process.kill()
        process.join()
        ours.close()


@contextlib.contextmanager
def segment_of_ones(count: int) -> Iterator[Named]:
    """Hold a filled segment of the standard library."""
    segment = SharedMemory(create=True, size=8 * count)
    numpy.ndarray(count, buffer=segment.buf).fill(1.0)
    try:
        yield Named(segment.name, count)
    finally:
        segment.close()
        segment.unlink()


def same(peer: Worker, count: int, seconds: float, at_least: int):
    """Measure sending one array again and again."""
    with segment_of_ones(count) as named:
        messages = {
            YARDSTICK: (1.0, 1.0),
            OURS: sharedarray.full(count, 1.0),
            STDLIB: named,
            PICKLE: numpy.full(count, 1.0),
        }
        rivals = {}
        for who, message in messages.items():
            names = {"ask": peer.ask, "message": message}
            rivals[who] = Contestant("ask(message)", names, at_most=_ahead(who, count))
        return interleave(rivals, seconds, at_least=at_least, batch=STEADY)


def fresh(peer: Worker, count: int, seconds: float, at_least: int):
    """Measure making, filling, sending and dropping a new array each time."""
    ways = {OURS: peer.fresh_array, STDLIB: peer.fresh_segment, PICKLE: peer.fresh_pickle}
    rivals = {YARDSTICK: Contestant("ask(message)", {"ask": peer.ask, "message": (1.0, 1.0)})}
    for who, way in ways.items():
        names = {"way": way, "count": count}
        rivals[who] = Contestant("way(count)", names, at_most=_rounds(who, count))
    return interleave(rivals, seconds, at_least=at_least)


def _rounds(who: str, count: int) -> int | None:
    """Return how often a contestant is measured: once where it takes many seconds."""
    return 1 if who == PICKLE and 8 * count > LARGE else None


def _ahead(who: str, count: int) -> int | None:
    """Return how often to send the same array ahead of the rounds.

    A copy of a large array leaves nothing in the caches for whoever comes next, which is no
    property of theirs.
    """
    if who != PICKLE or 8 * count < SPILLS:
        return None
    return _rounds(who, count) or 7


def affordable(sizes) -> list[int]:
    """Return the sizes of which eight arrays fit into the memory that is available."""
    with open("/proc/meminfo") as lines:
        table = dict(line.split(":") for line in lines)
    available = 1024 * int(table["MemAvailable"].split()[0])
    return [nbytes for nbytes in sizes if 8 * nbytes <= available]


def measure(seconds: float = 20.0, sizes=SIZES) -> list[Table]:
    """Measure round trips of arrays to a worker process.

    Parameters
    ----------
    seconds : float, optional
        About how long to take; 1 GiB takes longer where memory is slow.
    sizes : sequence of int, optional
        Bytes of an array.

    Returns
    -------
    list of Table
    """
    left_out = [nbytes for nbytes in sizes if nbytes not in affordable(sizes)]
    sizes = affordable(sizes)
    share = seconds / (2 * len(sizes))
    repeated, new = [], []
    with worker() as peer:
        for nbytes in sizes:
            count, rounds = nbytes // 8, 3 if nbytes > LARGE else 7
            samples = same(peer, count, share, rounds)
            repeated.append(Measurement.of("same", nbytes, samples, YARDSTICK, 1.5))
            samples = fresh(peer, count, share, rounds)
            new.append(Measurement.of("fresh", nbytes, samples, STDLIB))
            sharedarray.empty_cache()
    labels = {nbytes: binary(nbytes) for nbytes in sizes}
    notes = [f"{binary(nbytes)} left out: too little memory." for nbytes in left_out]
    return [
        compare("Round trip of the same array to a worker", repeated, YARDSTICK, labels, notes),
        compare("Make, fill, send, touch and drop a new array", new, STDLIB, labels, notes),
    ]
