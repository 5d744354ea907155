"""Whose death an array survives: its maker's, its sender's, before and after it was opened."""

import time

import sharedarray as xp

from .common import DEVICE, MAKE, MIB, is_ramp, opened, peer, ramp, size
from .registry import check
from .table import Row

COUNT = size(16 * MIB, MIB) // 4
SOON = 1.0  # seconds within which a handle to nothing must be refused


@check("When processes are killed (SIGKILL)", timeout=90)
def killed(report):
    """The maker is killed after, and before, its array was opened elsewhere."""
    third = peer()
    with third:
        after_opening(report, third)
        while_held(report, third)
    nobody_holds(report)


def after_opening(report, third):
    """The maker is gone; what it sent is read, written and passed on."""
    maker = peer()
    x = opened(maker.run(MAKE, count=COUNT, kept=True))
    maker.kill()
    report(Row.held("maker killed after opening: contents", is_ramp(x), "every element right"))
    x[0] = 7
    report(Row.held("... written", int(x[0]) == 7, "the new value is there"))
    seen = third.get("int(x[0]), int(x[-1]), x.size", x=x)
    good = seen == (7, COUNT - 1, COUNT)
    report(Row.held("... passed on to a third process", good, f"it sees {seen}"))


def while_held(report, third):
    """Who sent the handle is killed before it is opened, and another process has the array."""
    x = ramp(COUNT)
    sender = peer()
    data = sender.run("keep['x'] = x; return bytes(x.handle())", x=x)
    sender.kill()
    last = third.run("x = xp.from_handle(xp.Handle.from_bytes(data)); return int(x[-1])", data=data)
    report(
        Row.held(
            "sender killed before opening, maker holds it",
            last == COUNT - 1,
            f"opened, its last element is {last}",
        )
    )
    maker = peer()
    y = opened(maker.run(MAKE, count=COUNT, kept=True))
    data = bytes(y.handle())
    maker.kill()
    last = third.run("x = xp.from_handle(xp.Handle.from_bytes(data)); return int(x[-1])", data=data)
    report(
        Row.held(
            "maker killed before opening, sender holds it",
            last == COUNT - 1,
            f"opened, its last element is {last}",
        )
    )


def nobody_holds(report):
    """Maker and sender in one are killed: the handle names nothing, and that is said."""
    maker = peer()
    data = maker.run(MAKE, count=COUNT, kept=True)
    maker.kill()
    start = time.perf_counter()
    try:
        x = opened(data)
    except xp.HandleError as error:
        taken = time.perf_counter() - start
        found = f"HandleError after {taken:.2f} s: {str(error).splitlines()[0][:60]}"
        report(Row.held("maker killed before opening, nobody holds it", taken < SOON, found))
    else:
        found = f"opened all the same: {x!r}"[:60]
        report(Row.held("maker killed before opening, nobody holds it", False, found))


@check("When processes end", timeout=60)
def ended(report):
    """The maker ends normally before its array is opened: it is kept for the receiver."""
    maker = peer()
    data = maker.run(MAKE, count=COUNT, kept=False)
    code = maker.stop()
    x = opened(data)
    report(
        Row.held(
            "maker ended before opening",
            code == 0 and is_ramp(x),
            "opened after its end, every element right",
        )
    )
    y = xp.zeros(4, device=DEVICE)
    report(Row.held("... beside new arrays", bool(xp.all(y == 0)), "they are as they should be"))
