"""Programs that close descriptors wholesale, as daemons do: their own files stay as they are."""

import pytest

from tests.harness import run_script

PRELUDE = """
    import gc, os, sys, tempfile
    import numpy as np
    import sharedarray as xp

    def library():
        held = []
        for name in os.listdir("/proc/self/fd"):
            try:
                path = os.readlink(f"/proc/self/fd/{name}")
            except OSError:
                continue
            if "memfd:" in path or "socket:" in path:
                held.append(int(name))
        return held

    def take_over(how):
        taken = library()
        assert taken
        if how == "closerange":
            os.closerange(3, 200)
        files = []
        for number in taken:
            file = tempfile.TemporaryFile(buffering=0)
            file.write(b"precious " * 10_000)
            if file.fileno() != number:
                os.dup2(file.fileno(), number)
            files.append((number, os.fstat(number).st_ino, file))
        return files

    def check(files):
        for number, ino, file in files:
            assert os.fstat(number).st_ino == ino, number
            assert os.pread(number, 1 << 20, 0) == b"precious " * 10_000, number

    def refused(x):
        try:
            bytes(x.handle())
        except OSError as error:
            return type(error) is OSError and "os.closerange" in str(error)
        return False
    """

USE = """
    arrays = [xp.full(1000, 1.0), xp.full(100_000, 2.0), xp.full(6_000_000, 3.0)]
    pending = bytes(arrays[1].handle())
    if sys.argv[2] == "forked" and (child := os.fork()):
        status = os.waitpid(child, 0)[1]
        os._exit(os.waitstatus_to_exitcode(status))
    files = take_over(sys.argv[1])
    assert [float(x[-1]) for x in arrays] == [1, 2, 3]
    import time
    time.sleep(0.6)     # it is looked at twice a second whether they are there
    made = [xp.full(1000, 4.0), xp.full(100_000, 5.0), xp.full(6_000_000, 6.0)]
    if sys.argv[2] == "own":
        assert refused(arrays[0]) and refused(arrays[2]) and refused(made[0])
    else:
        y = xp.from_handle(xp.Handle.from_bytes(bytes(made[1].handle())))
        assert float(y[-1]) == 5
        assert refused(arrays[2])
    check(files)
    for i in range(30):
        x = xp.full(3_000_000 + 100_000 * i, float(i))
        assert float(x[-1]) == i
        if os.fork() == 0:
            del x, arrays
            xp.empty_cache()
            check(files)
            os._exit(0)
        assert os.wait()[1] == 0
    del arrays[2], x
    made.clear()
    gc.collect()
    xp.collect()
    xp.empty_cache()
    check(files)
    assert [float(x[-1]) for x in arrays] == [1, 2]
    arrays.clear()
    xp.empty_cache()
    check(files)
    print("unharmed", flush=True)
    """


@pytest.mark.parametrize("serve", ["0", "1"])
@pytest.mark.parametrize("whose", ["own", "forked"])
@pytest.mark.parametrize("how", ["closerange", "dup2"])
def test_files_that_took_our_numbers_are_unharmed(how, whose, serve):
    env = {"SHAREDARRAY_SERVE": serve, "SHAREDARRAY_LINGER": "5"}
    assert run_script(PRELUDE + USE, how, whose, env=env).ok() == "unharmed"


RECEIVED = """
    from tests.harness import Worker

    def main():
        with Worker("spawn") as worker:
            blobs = worker.run('''
                keep["x"] = [xp.full(1000, 1.0), xp.full(6_000_000, 2.0)]
                return [bytes(x.readonly().handle()) for x in keep["x"]]
            ''')
            arrays = [xp.from_handle(xp.Handle.from_bytes(blob)) for blob in blobs]
            keep = set(library())
            numbers = {os.open("/dev/null", os.O_RDONLY)}
            files = []
            for number in keep:
                if "memfd:sharedarray" not in os.readlink(f"/proc/self/fd/{number}"):
                    continue
                file = tempfile.TemporaryFile(buffering=0)
                file.write(b"precious " * 10_000)
                os.dup2(file.fileno(), number)
                files.append((number, os.fstat(number).st_ino, file))
            assert files
            assert [float(x[-1]) for x in arrays] == [1, 2]
            again = worker.run("return [bytes(x.handle()) for x in keep['x']]")
            writable = [xp.from_handle(xp.Handle.from_bytes(blob)) for blob in again]
            writable[1][0] = 9.0
            assert float(arrays[1][0]) == 9.0 == worker.get("float(keep['x'][1][0])")
            check(files)
            arrays.clear(); writable.clear()
            gc.collect()
            xp.empty_cache()
            check(files)
            worker.run("keep.clear()")
        print("unharmed")

    if __name__ == "__main__":
        main()
    """


def test_a_receiver_whose_descriptors_were_replaced():
    assert run_script(PRELUDE + RECEIVED).ok() == "unharmed"
