"""``vm.max_map_count``: a process that has as many mappings as the kernel allows."""

import pathlib

import pytest

from tests.harness import run_script

MOST = int(pathlib.Path("/proc/sys/vm/max_map_count").read_text())
few = pytest.mark.skipif(MOST > 200_000, reason="vm.max_map_count is too large to be reached")

CODE = """
    import ctypes, gc, mmap, os, sys
    import numpy as np
    import sharedarray as xp
    from tests.harness import procfs

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    left = int(sys.argv[1])
    page, most = 4096, int(open("/proc/sys/vm/max_map_count").read())
    held = [xp.full(1 << 22, float(i)) for i in range(3)]  # 32 MiB: segments of their own
    blob = bytes(held[0].handle())

    # One reservation; every other page is made readable, which splits it in two more each time.
    room = libc.mmap(None, 2 * most * page, 0, 0x4022, -1, 0)
    taken, at = [], room
    while libc.mprotect(at, page, 1) == 0:
        taken.append(at)
        at += 2 * page
    for _ in range(left):
        libc.mprotect(taken.pop(), page, 0)

    told = []
    made = []
    try:
        for n in (10, 1 << 12, 1 << 17, 1 << 22, 1 << 22, 1 << 22, 1 << 23, 1 << 23):
            made.append(xp.full(n, 1.0))
        told.append("made")
    except MemoryError as error:
        assert "vm.max_map_count is" in str(error), error
        told.append("refused")
    assert all(np.asarray(x)[-1] == 1 for x in made)
    assert all(np.asarray(x)[-1] == i for i, x in enumerate(held))
    try:
        y = xp.from_handle(xp.Handle.from_bytes(blob))
        assert np.asarray(y)[-1] == 0
    except (xp.HandleError, MemoryError):
        pass
    x = y = None
    made.clear()
    held.clear()
    gc.collect()
    xp.empty_cache()  # may fail to unmap: it is tried again
    while taken:
        libc.mprotect(taken.pop(), page, 0)
    x = xp.full(1 << 22, 5.0)
    assert float(xp.sum(x)) == 5 << 22
    x = None
    xp.empty_cache()
    segments = procfs.mappings()
    assert len(segments) <= 1, segments  # the ledger
    assert len([t for t in procfs.descriptors().values() if "memfd:" in t]) <= 1
    print(*told)
    """


@few
@pytest.mark.parametrize("left", [0, 1, 2, 5, 20])
def test_few_left(left):
    told = run_script(CODE, left).ok()
    # Between none and enough it depends on what the interpreter itself maps meanwhile.
    assert told in {0: ["refused"], 20: ["made"]}.get(left, ["made", "refused"])
