"""Descriptors and mappings stay bounded, whatever the number of arrays."""

import pytest

from tests.harness import run_script

MANY = """
    import os, sys
    from tests.harness import Worker

    def total(arrays):
        return sum(float(x[0]) + float(x[-1]) for x in arrays)

    if __name__ == "__main__":
        method, count, nbytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        with Worker(method) as worker:
            import sharedarray as xp
            from tests.harness import procfs

            arrays = [xp.empty(nbytes // 8) for _ in range(count)]
            for i, x in enumerate(arrays):
                x[0], x[-1] = i, -2 * i
            expected = -count * (count - 1) / 2
            worker.run("keep['arrays'] = []")
            for i in range(0, count, 100):
                worker.run("keep['arrays'] += arrays", arrays=arrays[i : i + 100])
            assert worker.get("f(keep['arrays'])", f=total) == expected
            for x in arrays[:: count // 50]:
                x[1] = 42
            step = count // 50
            assert worker.get("sum(float(x[1]) for x in keep['arrays'][::n])", n=step) == 42 * 50
            back = worker.get("keep['arrays'][::100]")
            assert all(y.storage() is x.storage() for x, y in zip(arrays[::100], back))
            fds = [len(procfs.descriptors(pid)) for pid in (os.getpid(), worker.pid)]
            maps = [len(procfs.mappings(pid)) for pid in (os.getpid(), worker.pid)]
            assert max(fds) < 256 and max(maps) < 4096, (fds, maps)
            print(*fds, *maps)
            arrays.clear()
            back.clear()
            worker.run("keep.clear()")
    """


@pytest.mark.parametrize(("count", "nbytes"), [(5000, 4096), (2000, 1 << 20)])
def test_thousands_of_arrays_with_256_descriptors(method, count, nbytes):
    told = run_script(MANY, method, count, nbytes, limits={"nofile": 256}, timeout=120).ok()
    assert len(told.split()) == 4


MADE_THERE = """
    import sys
    from tests.harness import Worker

    if __name__ == "__main__":
        with Worker(sys.argv[1]) as worker:
            import sharedarray as xp

            arrays, n = [], int(sys.argv[2]) // 8
            for i in range(0, 2000, 100):
                arrays += worker.get("[xp.full(n, 1.0) for _ in range(100)]", n=n)
            assert sum(float(x[-1]) for x in arrays) == 2000
            for x in arrays:
                x += 1
            assert sum(float(x[0]) for x in arrays) == 4000
    """


@pytest.mark.parametrize("nbytes", [4096, pytest.param(256 << 10, marks=pytest.mark.slow)])
def test_thousands_of_arrays_made_by_a_worker(method, nbytes):
    run_script(MADE_THERE, method, nbytes, limits={"nofile": 256}, timeout=120).ok()


SOME_OF_EACH = """
    import os
    import sharedarray as xp
    from tests.harness import procfs

    limit = 128
    arrays = [xp.empty(1 << k) for k in range(24) for _ in range(20)]
    for i, x in enumerate(arrays):
        x[0] = i
    assert all(float(x[0]) == i for i, x in enumerate(arrays))
    print(len(procfs.descriptors()) <= limit)
    open("/dev/null").close()  # some are left for the program itself
    """


def test_some_descriptors_are_left_for_the_program():
    assert run_script(SOME_OF_EACH, limits={"nofile": 128}).ok() == "True"


LARGE_ONES = """
    import os, sys
    from tests.harness import Worker, WorkerError
    from tests.sharing.test_limits import receive_until_refused

    if __name__ == "__main__":
        import sharedarray as xp

        arrays = [xp.empty(5 << 20) for _ in range(80)]  # each has a segment of its own
        for i, x in enumerate(arrays):
            x[0] = i
        blobs = [bytes(x.handle()) for x in arrays]
        with Worker(sys.argv[1]) as worker:
            held, left = worker.call(receive_until_refused, blobs)
            assert 0 < held < 64, held
            print(left)
            # what it drops makes room
            worker.run("keep.clear()")
            again = "float(xp.from_handle(xp.Handle.from_bytes(b))[0])"
            assert worker.get(again, b=blobs[-1]) == 79
    """


def receive_until_refused(blobs):
    """Open handles with 64 descriptors; how many arrays could be had, and descriptors left."""
    import os
    import resource

    import sharedarray as xp

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    held = []
    try:
        for blob in blobs:
            held.append(xp.from_handle(xp.Handle.from_bytes(blob)))
    except xp.HandleError as error:
        assert "ulimit -n" in str(error), error
    assert [float(x[0]) for x in held] == list(range(len(held)))
    left = []
    try:
        while True:
            left.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        for fd in left:
            os.close(fd)
    return len(held), len(left)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_receiver_of_large_arrays_keeps_descriptors_for_the_program(method):
    assert int(run_script(LARGE_ONES, method).ok()) >= 6


@pytest.mark.slow
@pytest.mark.time_out(400)
def test_more_arrays_under_handles_than_the_ledger_has_words():
    """What finds no word is counted nowhere: it can be sent all the same, and is never recycled."""
    code = """
        import subprocess, sys
        import sharedarray as xp

        arrays = []
        for i in range((1 << 20) + 20):
            x = xp.empty(1, dtype=xp.int32)
            xp.from_handle(xp.Handle.from_bytes(bytes(x.handle())))
            arrays.append(x)
        x[0] = 7
        blob = bytes(x.handle()).hex()
        there = "; ".join([
            "import sys, sharedarray as xp",
            "x = xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(sys.argv[1])))",
            "print(int(x[0]), flush=True)",
            "sys.stdin.readline()",
            "print(int(x[0]), flush=True)",
        ])
        command = [sys.executable, "-c", there, blob]
        other = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
        assert other.stdout.readline() == "7\\n"
        arrays.pop()
        del x
        more = [xp.full(1, -1, dtype=xp.int32) for _ in range(1000)]
        assert other.communicate("\\n")[0] == "7\\n"
        """
    run_script(code, timeout=380).ok()
