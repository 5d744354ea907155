"""``ulimit -n`` 64 and 256: other ways while there are some, then an exception; nothing is left."""

import pytest

from tests.harness import METHODS, run_script

#: Everything a program does, by fewer descriptors than arrays; the numbers come back.
ALL = """
    import multiprocessing as mp, os, sys
    import sharedarray as xp
    from tests.harness import Worker, procfs

    def total(arrays):
        return sum(float(x[0]) + float(x[-1]) for x in arrays)

    def main(method):
        with Worker(method) as worker:
            worker.run("keep['arrays'] = []")
            start = len(procfs.descriptors())
            sizes = [8, 5000, 300_000, 3 << 20, 33 << 20, 40 << 20, 70 << 20]
            arrays = [xp.empty(n // 8) for n in sizes * 15]
            for i, x in enumerate(arrays):
                x[0], x[-1] = i, i
            for i in range(0, len(arrays), 15):
                worker.run("keep['arrays'] += arrays", arrays=arrays[i : i + 15])
            assert worker.get("f(keep['arrays'])", f=total) == total(arrays)
            there = worker.get("[xp.full(n // 8, 2.0) for n in sizes]", sizes=[8, 5000, 1 << 20])
            assert total(there) == 12
            limit = int(sys.argv[2])
            for pid in (os.getpid(), worker.pid):
                assert len(procfs.descriptors(pid)) <= limit - 8, procfs.descriptors(pid)
            here = total(arrays)
            assert here == len(arrays) * (len(arrays) - 1)
            if os.fork() == 0:
                os._exit(0 if total(arrays) == here else 1)
            assert os.wait()[1] == 0
            with open("/dev/null"):
                pass  # some are left for the program itself
            del x, there
            arrays.clear()
            worker.run("keep.clear()")
            xp.empty_cache()
            left = [t for t in procfs.descriptors().values() if "memfd:" in t]
            assert len(left) <= 3, left  # ledgers, and a fork witness

    if __name__ == "__main__":
        main(sys.argv[1])
    """


@pytest.mark.parametrize("limit", [64, 256])
@pytest.mark.parametrize("method", METHODS)
def test_all_sizes_both_ways(method, limit):
    run_script(ALL, method, limit, limits={"nofile": limit}, timeout=120).ok()


#: A receiver of messages from many senders keeps a mapping and a ledger of each.
SENDERS = """
    import os, sys
    import sharedarray as xp

    def child(pipe, stop):
        x = xp.full(1000, float(os.getpid()))
        os.write(pipe, len(b := bytes(x.handle())).to_bytes(4, "little") + b)
        os.read(stop, 1)
        os._exit(0)

    stop_out, stop_in = os.pipe()
    read, write = os.pipe()
    pids, opened = [], 0
    for _ in range(80):
        pid = os.fork()
        if pid == 0:
            os.close(stop_in)
            child(write, stop_out)
        pids.append(pid)
        blob = os.read(read, int.from_bytes(os.read(read, 4), "little"))
        x = xp.from_handle(xp.Handle.from_bytes(blob))
        assert float(x[-1]) == pid
        opened += 1
        del x
    os.close(stop_in)
    for pid in pids:
        assert os.waitpid(pid, 0)[1] == 0
    print(opened)
    """


def test_messages_from_more_senders_than_descriptors():
    assert run_script(SENDERS, limits={"nofile": 64}).ok() == "80"


#: None is left: everything is an exception, and afterwards everything works.
NONE = """
    import errno, gc, os, pickle
    told = []
    from multiprocessing.reduction import ForkingPickler
    import numpy as np
    import sharedarray as xp
    from tests.harness import procfs

    def sender(requests, answers):
        keep = []
        while os.read(requests, 1):
            keep.append(xp.full(1000 + len(keep), 7.0))
            os.write(answers, bytes(ForkingPickler.dumps(keep[-1])))
        os._exit(0)

    requests, answers = os.pipe(), os.pipe()
    if (pid := os.fork()) == 0:
        os.close(requests[1])
        sender(requests[0], answers[1])
    os.close(requests[0])

    def message():
        os.write(requests[1], b"x")
        return os.read(answers[0], 4096)

    warm = int(os.environ["WARM"])
    if warm:
        x = xp.full(1000, 1.0)
        blob = bytes(x.handle())
        pickle.loads(message())
    start = len(procfs.descriptors())
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        pass
    try:
        x = xp.full(1000, 1.0)
        assert float(xp.sum(x)) == 1000
        told.append("made")
    except OSError as error:
        assert error.errno == errno.EMFILE and "ulimit -n" in str(error)
    try:
        bytes(xp.full(10, 1.0).handle())
        told.append("sent")
    except OSError as error:
        assert error.errno == errno.EMFILE and "ulimit -n" in str(error)
    lost = pickle.loads(message())
    assert lost.shape[0] >= 1000
    if not lost.is_shared():
        try:
            lost + 1
        except xp.HandleError as error:
            assert "ulimit -n" in str(error), error
        else:
            raise AssertionError("a lost array was used")
    child = os.fork()  # neither witness nor ledger
    if child == 0:
        os._exit(0 if not warm or np.asarray(x)[-1] == 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    for fd in taken:
        os.close(fd)
    del lost
    y = pickle.loads(message())
    assert float(y[-1]) == 7 and y.is_shared()
    z = xp.full(3000, 2.0)
    assert float(xp.from_handle(xp.Handle.from_bytes(bytes(z.handle())))[-1]) == 2
    x = y = z = None
    gc.collect()
    xp.empty_cache()
    print(len(procfs.descriptors()) - start, *told)
    os.close(requests[1])
    os.waitpid(pid, 0)
    """


@pytest.mark.parametrize("warm", [0, 1])
@pytest.mark.parametrize("limit", [64, 256])
def test_none_left(limit, warm):
    told = run_script(NONE, limits={"nofile": limit}, env={"WARM": str(warm)}).ok()
    more, *done = told.split()
    assert int(more) <= 2  # the ledgers: its own, and that of whom it received from
    # Who has a segment and a ledger needs no descriptor for more.
    assert done == (["made", "sent"] if warm else [])
