"""Bandwidth over our segments and over cudaMalloc's memory: on the device, to and from the host."""

import numpy as np

import sharedarray as xp

from . import machine
from .common import DEVICE, MIB, bound, size
from .measure import binary, clock, duration, interleave, rate
from .registry import check
from .table import Row

OURS, PLAIN = "ours", "cudaMalloc"
SIZES = (size(256 * MIB, MIB), size(1024 * MIB, 4 * MIB))  # beyond the caches of a card


class Plain:
    """Memory that ``cudaMalloc`` would give: `cuMemAlloc`'s, freed at the end of a ``with``."""

    def __init__(self, driver, nbytes):
        self._driver, self.pointer = driver, driver("cuMemAlloc", nbytes)

    def __enter__(self):
        return int(self.pointer)

    def __exit__(self, *exception):
        self._driver("cuMemFree", self.pointer)


def ours(nbytes):
    """An Array of so many bytes on the device."""
    return xp.empty(nbytes, dtype=xp.uint8, device=DEVICE)


def copying(driver, target, source, nbytes):
    """Return a contestant that copies on the device, 4 GiB in a sample."""
    count = max(20, size(4096 * MIB, MIB) // nbytes)
    return lambda: driver.seconds(
        lambda: driver("cuMemcpyDtoDAsync", target, source, nbytes, 0), count
    )


@check("Copies on the device", timeout=60)
def on_the_device(report):
    """The copy engine's work over both kinds of memory, and what the card's memory gives."""
    xp.zeros(1, device=DEVICE)
    driver = machine.Driver()
    peak = driver.memory_rate()
    for nbytes in SIZES:
        source, target = ours(nbytes), ours(nbytes)
        with Plain(driver, nbytes) as theirs, Plain(driver, nbytes) as other:
            places = {
                OURS: (target.storage().data_ptr(), source.storage().data_ptr()),
                PLAIN: (other, theirs),
            }
            for to, _ in places.values():
                driver("cuMemsetD8", to, 1, nbytes)

            found = interleave(
                {name: copying(driver, *pair, nbytes) for name, pair in places.items()}
            )
        traffic, seconds = 2 * nbytes, found.median(OURS)
        report(
            Row.compared(
                f"copy of {binary(nbytes)}",
                rate(traffic, seconds),
                f"{PLAIN}: {rate(traffic, found.median(PLAIN))}",
                found.ratio(OURS, PLAIN),
                at_most=bound(1.02),
            )
        )
        share = machine.bandwidth_of(traffic, seconds, peak)
        report(Row("... of the card's memory bandwidth", share or "the driver tells no peak"))


@check("A triad on the device: a = b + 3 c", timeout=60, needs=("cupy",))
def triad(report):
    """What a kernel gets of the card's memory, over both kinds of it."""
    import cupy

    driver = machine.Driver()
    count = SIZES[-1] // 4
    kernel = cupy.ElementwiseKernel("float32 b, float32 c", "float32 a", "a = b + 3 * c", "triad")
    places = {
        OURS: [xp.ones(count, dtype=xp.float32, device=DEVICE).cupy() for _ in range(3)],
        PLAIN: [cupy.ones(count, dtype=cupy.float32) for _ in range(3)],
    }

    def contestant(a, b, c):
        return lambda: driver.seconds(lambda: kernel(b, c, a), 20)

    found = interleave({name: contestant(*arrays) for name, arrays in places.items()})
    traffic, peak = 3 * 4 * count, driver.memory_rate()
    report(
        Row.compared(
            f"three arrays of {binary(4 * count)}",
            rate(traffic, found.median(OURS)),
            f"{PLAIN}: {rate(traffic, found.median(PLAIN))}",
            found.ratio(OURS, PLAIN),
            at_most=bound(1.02),
        )
    )
    share = machine.bandwidth_of(traffic, found.median(PLAIN), peak)
    report(Row("... cudaMalloc of the card's memory bandwidth", share or "no peak told"))


@check("Copies between host and device", timeout=90)
def host_and_device(report):
    """Raw copies from pinned and from pageable memory, to our memory and to cudaMalloc's."""
    xp.zeros(1, device=DEVICE)
    driver = machine.Driver()
    nbytes = size(256 * MIB, MIB)
    pageable = np.ones(nbytes, dtype=np.uint8)
    pinned = int(driver("cuMemHostAlloc", nbytes, 0))
    target = ours(nbytes)
    try:
        with Plain(driver, nbytes) as plain:
            for kind, host in (("pinned", pinned), ("pageable", pageable.ctypes.data)):
                for direction, name in (("to", "cuMemcpyHtoDAsync"), ("from", "cuMemcpyDtoHAsync")):
                    places = {OURS: target.storage().data_ptr(), PLAIN: plain}

                    def copy(device, host=host, name=name, direction=direction):
                        pair = (device, host) if direction == "to" else (host, device)
                        return clock(lambda: driver(name, *pair, nbytes, 0), driver.wait)

                    found = interleave({k: copy(v) for k, v in places.items()}, rounds=9, budget=5)
                    report(
                        Row.compared(
                            f"{binary(nbytes)} {direction} the device, {kind}",
                            rate(nbytes, found.median(OURS)),
                            f"{PLAIN}: {rate(nbytes, found.median(PLAIN))}",
                            found.ratio(OURS, PLAIN),
                        )
                    )
    finally:
        driver("cuMemFreeHost", pinned)


@check("to_device both ways, and CuPy's copies", timeout=60, needs=("cupy",))
def to_device(report):
    """Whole arrays between the devices by the names that users write."""
    import cupy

    for nbytes in (4096, size(256 * MIB, MIB)):
        here = xp.ones(nbytes // 4, dtype=xp.float32)
        there = here.to_device(DEVICE)
        host, device = here.numpy().copy(), cupy.asarray(here.numpy())
        ways = {
            f"{binary(nbytes)} to the device": (
                lambda x=here: x.to_device(DEVICE),
                lambda x=host: cupy.asarray(x),
                "cupy.asarray",
            ),
            f"{binary(nbytes)} from the device": (
                lambda x=there: x.to_device("cpu"),
                lambda x=device: cupy.asnumpy(x),
                "cupy.asnumpy",
            ),
        }
        for what, (call, other, name) in ways.items():
            wait = xp.cuda.synchronize
            found = interleave({OURS: clock(call, wait), name: clock(other, wait)}, rounds=11)
            report(
                Row.compared(
                    what,
                    duration(found.median(OURS)),
                    f"{name}: {duration(found.median(name))}",
                    found.ratio(OURS, name),
                )
            )
