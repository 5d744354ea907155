"""``ulimit -v``: a smaller reservation, a smaller ledger; then an exception, and no end."""

import resource

import pytest

from tests.harness import run_script

CODE = """
    import gc, os, resource, sys
    import numpy, numpy.random
    import sharedarray as xp
    from multiprocessing.reduction import ForkingPickler
    from tests.harness import procfs

    def size():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()

    def sender(requests, answers):
        keep = []
        while os.read(requests, 1):
            keep.append(xp.full(1 << (10 + len(keep)), 7.0))
            os.write(answers, bytes(keep[-1].handle()))
        os._exit(0)

    requests, answers = os.pipe(), os.pipe()
    if (pid := os.fork()) == 0:
        os.close(requests[1])
        sender(requests[0], answers[1])
    os.close(requests[0])
    more = int(sys.argv[1]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (size() + more,) * 2)
    told = []
    try:
        x = xp.full(1000, 1.0)
        assert float(x[-1]) == 1
        told.append("made")
        blob = bytes(x.handle())
        told.append("sent")
        assert float(xp.from_handle(xp.Handle.from_bytes(blob))[0]) == 1
    except MemoryError as error:
        assert "RLIMIT_AS" in str(error), error
    for n in range(4):
        os.write(requests[1], b"x")
        blob = os.read(answers[0], 4096)
        try:
            y = xp.from_handle(xp.Handle.from_bytes(blob))
            assert float(y[-1]) == 7
            told.append("got")
        except xp.HandleError as error:
            assert "ulimit -v" in str(error), error
        y = None
    kept = []
    try:
        while True:
            kept.append(xp.full(1 << 15, float(len(kept))))
    except MemoryError as error:
        assert "RLIMIT_AS" in str(error) or not kept, error
    assert all(float(numpy.asarray(one)[-1]) == i for i, one in enumerate(kept))
    many = len(kept)
    kept.clear()
    if many:
        assert float(numpy.asarray(xp.full(1 << 15, 3.0))[-1]) == 3
    one = x = None
    gc.collect()
    xp.empty_cache()
    left = [m for m in procfs.mappings() if m.end - m.start]
    assert len(left) <= 2, left
    os.close(requests[1])
    os.waitpid(pid, 0)
    print(*told, many)
    """


@pytest.mark.parametrize("more", [2, 12, 40, 200, 1000])
def test_megabytes_left(more):
    told = run_script(CODE, more).ok().split()
    if more >= 12:
        assert told[:2] == ["made", "sent"]
        assert int(told[-1]) >= more  # of a quarter MiB each
    if more >= 200:
        assert told.count("got") == 4


def test_locked_memory_is_no_obstacle():
    """`mlockall` counts a reservation as memory; a smaller one is taken then."""
    code = """
        import ctypes, os
        import numpy
        import sharedarray as xp
        from tests.harness import procfs
        if os.geteuid() == 0:
            os.setuid(61234)  # root may lock without limit
        if ctypes.CDLL(None).mlockall(2):  # MCL_FUTURE
            print("refused")
            raise SystemExit
        try:
            x = xp.full(1 << 20, 1.0)
            assert float(xp.sum(x)) == 1 << 20
            blob = bytes(x.handle())
            assert float(xp.from_handle(xp.Handle.from_bytes(blob))[5]) == 1
            print("worked")
        except MemoryError as error:
            assert "RLIMIT_MEMLOCK (ulimit -l) is" in str(error), error
            print("too little")
        """
    enough = 512 << 20
    limit = min(enough, resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] % (1 << 62))
    told = run_script(code, limits={"memlock": limit}).ok()
    if told == "refused":
        pytest.skip("memory may not be locked here")
    assert told == ("worked" if limit == enough else "too little")
