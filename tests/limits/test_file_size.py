"""``ulimit -f``: smaller segments and a smaller ledger, down to 372 KiB; below, an exception."""

import pytest

from tests.harness import METHODS, run_script

KIB, MIB = 1 << 10, 1 << 20

WORKING = """
    import signal, sys
    from tests.harness import Worker, procfs

    def main(method, limit):
        with Worker(method) as worker:
            import sharedarray as xp
            for n in (8, 1000, 20_000, limit // 2):
                x = xp.full(n // 8, 1.0)
                assert worker.get("(float(x[0]), float(x[-1]), x.is_shared())", x=x) == (1, 1, True)
                worker.run("x[0] = 5.0", x=x)
                assert float(x[0]) == 5
                y = worker.get("xp.full(n // 8, 3.0)", n=n)
                assert float(y[-1]) == 3 and y.is_shared()
            many = [xp.full(1000, float(i)) for i in range(500)]
            for i in range(0, 500, 50):
                assert worker.get("sum(float(x[7]) for x in xs)", xs=many[i : i + 50]) == sum(
                    range(i, i + 50)
                )
            for over in (limit + 8, 10 * limit):
                try:
                    xp.full(over // 8, 1.0)
                except MemoryError as error:
                    assert "RLIMIT_FSIZE" in str(error), error
                else:
                    raise AssertionError("larger than a file may be")
            sizes = [region.end - region.start for region in procfs.mappings()]
            assert max(sizes) <= limit, sizes

    if __name__ == "__main__":
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        main(sys.argv[1], int(sys.argv[2]))
    """


@pytest.mark.parametrize("limit", [372 * KIB, MIB, 16 * MIB])
@pytest.mark.parametrize("method", METHODS)
def test_sending_works_from_372_kib_on(method, limit):
    run_script(WORKING, method, limit, limits={"fsize": limit}).ok()


NARROW = """
    import errno, signal
    import sharedarray as xp

    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    x = xp.full(1000, 1.0)
    try:
        bytes(x.handle())
    except OSError as error:
        assert error.errno == errno.EFBIG and "ulimit -f" in str(error)
        print("refused", float(x[-1]))
    """


def test_below_that_arrays_work_and_sending_is_an_exception():
    assert run_script(NARROW, limits={"fsize": 256 * KIB}).ok() == "refused 1.0"


FEW = """
    import sharedarray as xp
    x, n = xp.full(10, 1.0), 0
    blobs = []
    try:
        while True:
            blobs.append(bytes(x.handle()))
    except OSError as error:
        assert "fill this process's ledger" in str(error), error
    for blob in blobs:
        assert float(xp.from_handle(xp.Handle.from_bytes(blob))[0]) == 1
    bytes(x.handle())
    y = [xp.full(10, float(i)) for i in range(3000)]  # more blocks than its ledger has words
    z = [xp.from_handle(xp.Handle.from_bytes(bytes(one.handle()))) for one in y]
    assert all(float(one[-1]) == i for i, one in enumerate(z))
    print(len(blobs))
    """


def test_a_small_ledger_is_full_earlier_and_says_so():
    assert run_script(FEW, limits={"fsize": 400 * KIB}).ok() == "1024"


def test_a_peer_without_the_limit_understands_a_small_ledger():
    code = """
        import os, resource, sys
        import sharedarray as xp

        request, answer = os.pipe(), os.pipe()
        if os.fork() == 0:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            x = xp.full(1000, 1.0)
            os.write(answer[1], bytes(x.handle()))
            os.read(request[0], 1)
            assert x.storage().attached() == 1
            print(float(x[0]), flush=True)
            os._exit(0)
        y = xp.from_handle(xp.Handle.from_bytes(os.read(answer[0], 4096)))
        y[0] = 8.0
        os.write(request[1], b"x")
        assert os.wait()[1] == 0
        """
    assert run_script(code).ok() == "8.0"
