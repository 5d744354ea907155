"""Streams of fresh arrays, each way, beside one mapping that is kept; and a sum by two workers."""

import contextlib
import multiprocessing
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from typing import NamedTuple

import numpy

import sharedarray

from .peers import torch
from .sending import LARGE, STDLIB, Named, affordable
from .table import OURS, Measurement, Table, binary, duration
from .timing import Contestant, Samples, interleave
from .yardstick import Kept

YARDSTICK = "kept mapping"
TORCH = "torch"
AGAIN = "mapped anew"
SIZES = (64 << 10, 1 << 20, 64 << 20, 1 << 30)
FASTER = {STDLIB: 15.0, TORCH: 20.0}  # at least, from FROM bytes on
FROM = 1 << 20


class Wanted(NamedTuple):
    """An array that the other end is to make, in which way."""

    who: str
    count: int


class End:
    """
    One end of a stream, in the parent or the worker.

    Parameters
    ----------
    connection : multiprocessing.connection.Connection
        Leads to the other end.
    kept : Kept
        What the yardstick uses.
    """

    def __init__(self, connection: Connection, kept: Kept) -> None:
        self.connection, self.kept = connection, kept

    def give(self, who: str, count: int) -> None:
        """Make, fill, send and drop an array of ones."""
        if who == YARDSTICK:
            self.connection.send(self.kept.fill(count))
        elif who == OURS:
            x = sharedarray.empty(count)
            x.fill(1.0)
            self.connection.send(x)
        elif who == STDLIB:
            segment = SharedMemory(create=True, size=8 * count)
            x = numpy.ndarray(count, buffer=segment.buf)
            x.fill(1.0)
            self.connection.send(Named(segment.name, count))
            del x
            segment.close()
        else:
            x = torch.empty(count, dtype=torch.float64)
            x.fill_(1.0)
            self.connection.send(x)

    def take(self, message) -> float:
        """Touch what was received, and drop it; the sum of its ends."""
        if isinstance(message, Named):
            segment = SharedMemory(name=message.name)
            x = numpy.ndarray(message.count, buffer=segment.buf)
            answer = float(x[0]) + float(x[-1])
            del x
            segment.close()
            segment.unlink()
            return answer
        if type(message) is tuple:
            return self.kept.ends(message)
        return float(message[0]) + float(message[-1])


class Parent(End):
    """The end that is measured; asks the other one to do its part."""

    def down(self, who: str, count: int) -> None:
        """Give an array to the worker, and wait for its answer."""
        self.give(who, count)
        self.check(self.connection.recv())

    def up(self, who: str, count: int) -> None:
        """Take an array from the worker; the next question tells it so."""
        self.connection.send(Wanted(who, count))
        self.check(self.take(self.connection.recv()))

    @staticmethod
    def check(answer: float) -> None:
        """Raise unless both elements touched were ones."""
        if answer != 2.0:
            raise AssertionError(f"the ends of an array add up to {answer} instead of 2.0")


def serve(connection: Connection, kept: Kept) -> None:
    """Take and give arrays until the other end closes."""
    end = End(connection, kept)
    with contextlib.suppress(EOFError):
        while True:
            message = connection.recv()
            if isinstance(message, Wanted):
                end.give(*message)
            else:
                answer = end.take(message)
                del message
                connection.send(answer)


def add(connection: Connection, kept: Kept) -> None:
    """Sum what is sent: an Array, or which elements of the kept mapping; None empties the cache."""
    with contextlib.suppress(EOFError):
        while True:
            message = connection.recv()
            if message is None:
                connection.send(sharedarray.empty_cache())
            elif type(message) is tuple:
                connection.send(float(numpy.sum(kept.array[slice(*message)])))
            else:
                connection.send(float(sharedarray.sum(message)))
            del message


@contextlib.contextmanager
def started(target, kept: Kept, number: int = 1) -> Iterator[list[Connection]]:
    """Run workers; a connection to each."""
    context = multiprocessing.get_context("spawn")
    pairs = [context.Pipe() for _ in range(number)]
    made = [context.Process(target=target, args=(end, kept), daemon=True) for _, end in pairs]
    for process in made:
        process.start()
    for _, end in pairs:
        end.close()
    try:
        yield [end for end, _ in pairs]
    finally:
        for end, _ in pairs:
            end.close()
        for process in made:
            process.join(60)
            process.kill()


def rounds(nbytes: int) -> int:
    """Return how many rounds there are at least."""
    return 3 if nbytes > LARGE else 7


def stream(parent: Parent, way: str, nbytes: int, seconds: float) -> Samples:
    """Measure one size in one direction, ``"down"`` to the worker or ``"up"``."""
    rivals = {}
    for who in (YARDSTICK, OURS, STDLIB, *([TORCH] if torch else [])):
        names = {"way": getattr(parent, way), "who": who, "count": nbytes // 8}
        rivals[who] = Contestant("way(who, count)", names)
    return interleave(rivals, seconds, at_least=rounds(nbytes))


def streams(title: str, found: list[tuple[int, Samples]], notes: list[str]) -> Table:
    """Return the table of one direction."""
    names = list(found[0][1].seconds)
    rows, records = [], []
    for nbytes, samples in found:
        one = Measurement.of("stream", nbytes, samples, YARDSTICK, 1.3)
        faster = {who: 1 / samples.ratio(OURS, who) for who in names if who in FASTER}
        aims = {who: FASTER[who] for who in faster if nbytes >= FROM}
        slow = [who for who, aim in aims.items() if faster[who] < aim]
        row = [binary(nbytes), *(duration(one.seconds[who]) for who in names), f"{one.ratio:.2f}"]
        row += [f"{times:.3g}" for times in faster.values()]
        most = {who: 1 / samples.ratio(YARDSTICK, who) for who in faster}
        row += [", ".join(f"{times:.3g}" for times in most.values())]
        row += [f"{one.target:.2f}", ", ".join(f"{aim:.3g}" for aim in aims.values())]
        row += ["missed" if slow or one.verdict == "missed" else "met"]
        rows.append(row)
        records.append({"case": "stream", "size": nbytes, "seconds": one.seconds})
        records[-1] |= {"ratio": one.ratio, "target": one.target, "faster": faster, "aims": aims}
        records[-1]["most"] = most
    heads = ["size", *names, f"ratio to {YARDSTICK}"]
    heads += [f"times faster than {who}" for who in names if who in FASTER]
    heads += [f"{YARDSTICK}'s own", "at most", "at least", ""]
    return Table(title, heads, rows, records, notes, inner=4)


def sums(nbytes: int, seconds: float) -> Table:
    """Measure a sum by two workers: of a kept mapping, and of an Array given by handle."""
    count = nbytes // 8
    kept = Kept(nbytes)
    kept.fill(count)
    x = sharedarray.full(count, 1.0)
    halves = (0, count // 2), (count // 2, count)
    with started(add, kept, 2) as workers:

        def ask(*messages) -> float:
            for worker, message in zip(workers, messages, strict=True):
                worker.send(message)
            return sum(worker.recv() for worker in workers)

        def total(*messages) -> None:
            if (found := ask(*messages)) != count:
                raise AssertionError(f"{count} ones add up to {found}")

        parts = [x[slice(*half)] for half in halves]
        rivals = {
            YARDSTICK: Contestant("total(*parts)", {"total": total, "parts": halves}),
            OURS: Contestant("total(*parts)", {"total": total, "parts": parts}),
            AGAIN: Contestant(
                "total(*parts)", {"total": total, "parts": parts}, before=lambda: ask(None, None)
            ),
        }
        samples = interleave(rivals, seconds, at_least=rounds(nbytes))
    kept.close()
    one = Measurement.of("sum", nbytes, samples, YARDSTICK, 1.2)
    again = samples.ratio(AGAIN, YARDSTICK)
    row = [binary(nbytes), *(duration(one.seconds[who]) for who in rivals), f"{one.ratio:.2f}"]
    row += [f"{again:.2f}", f"{one.target:.2f}", one.verdict]
    record = {"case": "sum", "size": nbytes, "seconds": one.seconds, "ratio": one.ratio}
    record |= {"target": one.target, "again": again}
    heads = ["size", *rivals, f"ratio to {YARDSTICK}", f"{AGAIN}: ratio", "at most", ""]
    return Table("Sum by two workers, half of the array each", heads, [row], [record], inner=2)


def measure(seconds: float = 60.0, sizes=SIZES) -> list[Table]:
    """Measure streams of fresh arrays between two processes, and a sum by two workers.

    Parameters
    ----------
    seconds : float, optional
        About how long to take; 1 GiB takes longer where memory is slow.
    sizes : sequence of int, optional
        Bytes of an array; the sum is of the largest.

    Returns
    -------
    list of Table
    """
    notes = [f"{binary(n)} left out: too little memory." for n in sizes if not affordable([n])]
    sizes = affordable(sizes)
    share = seconds / (2 * len(sizes) + 1)
    found: dict[str, list[tuple[int, Samples]]] = {"down": [], "up": []}
    kept = Kept(max(sizes))
    with started(serve, kept) as (connection,):
        parent = Parent(connection, kept)
        for nbytes in sizes:
            for way, samples in found.items():
                samples.append((nbytes, stream(parent, way, nbytes, share)))
            sharedarray.empty_cache()
    kept.close()
    return [
        streams("Stream of fresh arrays, parent to worker", found["down"], notes),
        streams("Stream of fresh arrays, worker to parent", found["up"], notes),
        sums(max(sizes), share),
    ]
