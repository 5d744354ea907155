"""The receiver may write exactly what the sender may; read-only pages are read-only there."""

import os

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Worker, WorkerError, procfs, run_script

from .facts import address, writable

MIB = 1 << 20
SIZES = [8, 4096, MIB, 4 * MIB]


def regions(x):
    """Permissions of the mappings that hold the array, here."""
    start, end = address(x), address(x) + x.nbytes
    found = [m for m in procfs.mappings() if m.start < end and m.end > start]
    return [mapping.permissions for mapping in found], {mapping.inode for mapping in found}


def access(x):
    """Access modes of the descriptors of the segment that holds the array, here."""
    import fcntl

    inodes = regions(x)[1]
    modes = set()
    for fd in procfs.descriptors():
        try:
            if os.fstat(fd).st_ino in inodes:
                modes.add(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE)
        except OSError:  # the descriptor of the listing itself
            continue
    return modes


@pytest.mark.parametrize("nbytes", SIZES)
def test_writable_stays_writable(worker, nbytes):
    x = xp.zeros(nbytes // 8)
    assert worker.call(writable, x)
    worker.run("x += 1\nnp.asarray(x)[0] += 1\nmemoryview(x)[-1] += 1.0", x=x)
    assert float(xp.sum(x)) == x.size + 2


@pytest.mark.parametrize("nbytes", SIZES)
def test_readonly_stays_readonly(worker, nbytes):
    x = xp.zeros(nbytes // 8)
    view = x.readonly()
    assert not writable(view)
    assert writable(x)
    assert not worker.call(writable, view)
    back = worker.get("x", x=view)
    assert not writable(back)
    assert back.storage() is x.storage()


def test_readonly_is_readonly_here():
    x = xp.ones(3)
    view = x.readonly()
    for write in (
        lambda: view.__setitem__(0, 2),
        lambda: view.__iadd__(1),
        lambda: view.fill_(3),
        lambda: np.asarray(view).__setitem__(0, 2),
        lambda: memoryview(view).__setitem__(0, 2.0),
        lambda: np.add(view, 1, out=view),
    ):
        with pytest.raises((ValueError, TypeError)):
            write()
    assert x.tolist() == [1, 1, 1]
    x[0] = 5
    assert float(view[0]) == 5


@pytest.mark.parametrize(
    "write",
    ["x[0] = 1", "x += 1", "np.asarray(x)[0] = 1", "x.fill_(1)", "np.asarray(x).setflags(write=1)"],
)
@pytest.mark.parametrize("nbytes", [8, MIB])
def test_writing_a_readonly_array_there_is_an_error(worker, nbytes, write):
    x = xp.zeros(nbytes // 8)
    with pytest.raises(WorkerError) as caught:
        worker.run(write, x=x.readonly())
    assert caught.value.kind == "ValueError"
    assert float(xp.sum(x)) == 0


def test_the_receiver_of_a_readonly_view_sees_later_writes(worker):
    x = xp.zeros(MIB)
    worker.run("keep['x'] = x", x=x.readonly())
    x[5] = 7
    assert worker.get("float(keep.pop('x')[5])") == 7


def test_views_of_readonly_views_are_readonly(worker):
    view = xp.reshape(xp.zeros(MIB), (1024, 1024)).readonly()[3:5].T
    assert not worker.call(writable, view)
    assert worker.get("x[0, :].handle() and not np.asarray(x[0, :]).flags.writeable", x=view)


WAYS_AROUND = [
    "x.storage().fill_(1)",
    "x.storage()[0] = 1",
    "x.storage()[0:2] = b'ab'",
    "memoryview(x.storage())[0] = 1",
    "np.asarray(x.storage())[0] = 1",
    "xp.from_storage(x.storage(), 'u1', (4,))[0] = 1",
    "xp.frombuffer(x.storage(), 'u1')[0] = 1",
    "xp.from_handle(x.storage().handle()).fill_(1)",
    "xp.from_handle(x.handle())[0] = 1",
    "xp.asarray(x)[0] = 1",
    "xp.asarray(np.asarray(x))[0] = 1",
    "xp.from_dlpack(x)[0] = 1",
    "x.share_memory_()[0] = 1",
    "xp.random.default_rng(1).shuffle(x)",
    "xp.sin(x, out=x)",
]


@pytest.mark.parametrize("nbytes", [8, MIB, 40 * MIB])
def test_no_way_leads_around_a_readonly_array(nbytes):
    """Its storage included: where only read-only views arrived, that is read-only, too."""
    x = xp.zeros(nbytes // 8)
    with Worker("spawn") as one, Worker("forkserver") as other:
        one.run("keep['x'] = x", x=x.readonly())
        for way in WAYS_AROUND:
            with pytest.raises(WorkerError) as caught:
                one.run(f"x = keep['x']\n{way}")
            assert caught.value.kind in ("ValueError", "TypeError"), way
        storage = one.get("bytes(keep['x'].storage().handle())")
        with pytest.raises(WorkerError, match="read-only"):
            other.run("xp.from_handle(xp.Handle.from_bytes(b)).fill_(1)", b=storage)
    assert not np.asarray(x).any()


def test_numpy_flags_travel(worker):
    x = xp.zeros(10)
    x.flags.writeable = False
    assert not worker.call(writable, x)


PAGES = """
    import sys
    from tests.harness import Worker, WorkerError

    if __name__ == "__main__":
        with Worker(sys.argv[1]) as reader, Worker(sys.argv[1]) as victim:
            import sharedarray as xp
            from tests.sharing.test_writability import access, address, regions

            x = xp.zeros(int(sys.argv[2]) // 8)
            x[0] = 5
            permissions, _ = reader.call(regions, x.readonly())
            assert permissions == ["r--s"], permissions
            assert reader.call(access, x.readonly()) == {0}
            assert access(x) == {2}
            assert all(p == "rw-s" for p in regions(x)[0])
            reader.run("keep['x'] = x", x=x.readonly())
            x[0] = 6
            assert reader.get("float(keep['x'][0])") == 6
            code = victim.death(
                '''
                import ctypes
                assert float(x[0]) == 6
                ctypes.memset(address(x), 1, 1)
                ''',
                x=x.readonly(),
                address=address,
            )
            assert code == -11, code
            assert float(x[0]) == 6

            reader.run("keep['y'] = x\\nx[1] = 8", x=x)  # a writable view arrives as well
            assert float(x[1]) == 8
            assert reader.get("keep['x'].storage() is keep['y'].storage()")
            try:
                reader.run("keep['x'][1] = 9")
            except WorkerError as error:
                assert error.kind == "ValueError", error
            else:
                raise AssertionError("a read-only view was written")
            assert reader.get("float(keep['x'][1])") == 8
            del reader, victim
    """


@pytest.mark.parametrize("nbytes", [MIB, pytest.param(64 * MIB, marks=pytest.mark.slow)])
def test_pages_are_readonly_where_only_readonly_views_arrived(method, nbytes):
    run_script(PAGES, method, nbytes).ok()


@pytest.mark.parametrize("nbytes", [*SIZES, 64 * MIB])
def test_a_readonly_view_under_way_is_opened_after_its_sender_may_write(method, nbytes):
    """The sender's mapping becomes writable in between; its message names the same descriptor."""
    with Worker(method) as sender, Worker(method) as receiver:
        x = xp.full(nbytes // 8, 3.0)
        blob = sender.run("keep['r'] = x\nreturn bytes(x.handle())", x=x.readonly())
        sender.run("keep['x'] = x\nx[0] = 4", x=x)
        del x
        told = receiver.run(
            """
            x = xp.from_handle(xp.Handle.from_bytes(b))
            return float(x[0]), float(x[-1]), x.flags.writeable
            """,
            b=blob,
        )
        assert told == (4.0, 4.0 if nbytes == 8 else 3.0, False)
