"""Sending waits for the work on the array; without waiting a receiver sees old contents."""

import contextlib
import time

import sharedarray as xp

from . import machine, slow
from .common import DEVICE, peer
from .registry import check
from .table import Row

WAIT = 0.3  # seconds that the device works before it writes
TURNS = 10


@check("Waiting for work before it is seen elsewhere", timeout=90)
def sent_in_time(report):
    """The same late write, told by a bare message and by sending the array."""
    x = xp.zeros(64, dtype=xp.int32, device=DEVICE)
    slow.warm_up(x)
    with peer() as reader:
        reader.run("keep['x'] = x; x[0]", x=x)
        stale, at_once = unannounced(x, reader)
        report(
            Row.held(
                "negative control: told without waiting",
                stale > 0,
                f"old contents seen {stale} times of {TURNS}",
            )
        )
        report(
            Row.held(
                "... the write was still under way",
                at_once == TURNS,
                f"ordered in less than {WAIT / 2:g} s {at_once} times of {TURNS}",
            )
        )
        fresh = announced(x, reader, contextlib.nullcontext)
        report(Row.held("sent by handle", fresh == TURNS, f"new contents {fresh} times of {TURNS}"))
        if not machine.on_double():
            import cupy

            fresh = announced(x, reader, lambda: cupy.cuda.Stream(non_blocking=True))
            report(
                Row.held(
                    "sent by handle, work on a stream of its own",
                    fresh == TURNS,
                    f"new contents {fresh} times of {TURNS}",
                )
            )


def unannounced(x, reader):
    """How often the reader saw old contents, and how often the order took no time."""
    stale = at_once = 0
    for value in range(1, TURNS + 1):
        start = time.perf_counter()
        slow.write_late(x, value, WAIT)
        at_once += time.perf_counter() - start < WAIT / 2
        stale += reader.get("int(keep['x'][0])") != value
        xp.cuda.synchronize()
    return stale, at_once


def announced(x, reader, stream):
    """How often the reader saw new contents."""
    fresh = 0
    for value in range(101, 101 + TURNS):
        with stream():
            slow.write_late(x, value, WAIT / 3)
            fresh += reader.get("int(x[0])", x=x) == value
    return fresh


@check("Waiting for work before another library sees it", timeout=60, needs=("cupy",))
def exported_in_time(report):
    """DLPack and the CUDA array interface, on a stream that does not wait by itself."""
    import cupy

    x = xp.zeros(64, dtype=xp.int32, device=DEVICE)
    slow.warm_up(x)
    consumer = cupy.cuda.Stream(non_blocking=True)
    ways = {
        "DLPack, stream given": cupy.from_dlpack,
        "__cuda_array_interface__": cupy.asarray,
    }
    for name, way in ways.items():
        fresh = 0
        for value in range(1, TURNS + 1):
            slow.write_late(x, value, WAIT / 3)
            with consumer:
                fresh += int(way(FromTheDefaultStream(x))[0].get(stream=consumer)) == value
            xp.cuda.synchronize()
        report(Row.held(name, fresh == TURNS, f"new contents {fresh} times of {TURNS}"))


class FromTheDefaultStream:
    """
    An Array that is asked where it was worked on, while its consumer uses another stream.

    Both are of CuPy here, so both have one current stream, and asked on the consumer's the Array
    would have nothing to wait for.
    """

    def __init__(self, x):
        import cupy

        self._x, self._stream = x, cupy.cuda.Stream.null

    def __dlpack_device__(self):
        return self._x.__dlpack_device__()

    def __dlpack__(self, **options):
        with self._stream:
            return self._x.__dlpack__(**options)

    @property
    def __cuda_array_interface__(self):
        with self._stream:
            return self._x.__cuda_array_interface__
