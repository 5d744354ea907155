"""Memory that moves to shared memory while threads use it: the same on every device."""

import contextlib

import sharedarray as xp

from .threads import at_once


def send_and_slice_while_it_moves(x, also=lambda: None):
    """Check what threads get that send and slice `x`, 8 by 100 zeros, while two share it.

    Returns
    -------
    object
        What `also`, which runs at the same time, gave.
    """
    rows = [x[i] for i in range(8)]

    def sends():
        found = []
        while len(found) < 20:
            with contextlib.suppress(ValueError):  # it is private yet
                found.append(rows[5].handle())
        return found

    def slices():
        return [x[2:] for _ in range(20)]

    def shares():
        x.share_memory_()
        return x[7].handle()

    sent, sliced, *ends, given = at_once(sends, slices, shares, shares, also)
    for handle in sent:
        y = xp.from_handle(xp.Handle.from_bytes(bytes(handle)))
        y[0] = y[0] + 1
    for y in sliced:
        y[0, 0] = y[0, 0] + 1
    for handle in ends:
        y = xp.from_handle(xp.Handle.from_bytes(bytes(handle)))
        y[1] = y[1] + 1
    assert [float(x[place]) for place in ((5, 0), (2, 0), (7, 1))] == [20.0, 20.0, 2.0]
    return given
