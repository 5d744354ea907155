"""The untyped memory below arrays, used by several processes."""

import os
import pickle

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Worker, WorkerError, procfs

MIB = 1 << 20


@pytest.mark.parametrize("nbytes", [1, 100, 4096, MIB])
def test_bytes_written_there_are_read_here(worker, nbytes):
    storage = xp.Storage(nbytes)
    assert (storage.nbytes, len(storage), storage.device) == (nbytes, nbytes, xp.Device("cpu"))
    assert storage.is_shared()
    worker.run("s.fill_(7)", s=storage)
    assert storage[:] == b"\7" * nbytes
    storage[0] = 9
    assert worker.get("(s[0], s.nbytes, s.id)", s=storage) == (9, nbytes, storage.id)


def test_items_and_slices_both_ways(worker):
    storage = xp.Storage(10)
    storage.fill_(0)
    worker.run("s[2] = 5\ns[4:7] = b'abc'\ns[-1] = 255", s=storage)
    assert storage[:] == bytes([0, 0, 5, 0, *b"abc", 0, 0, 255])
    assert storage[2] == 5
    assert isinstance(storage[2], int)
    assert storage[4:7] == b"abc"
    storage[0:2] = b"xy"
    assert worker.get("s[0:2]", s=storage) == b"xy"


def test_part_of_it_filled(worker):
    storage = xp.Storage(100)
    storage.fill_(0)
    worker.run("s.fill_(1, offset=10, nbytes=20)", s=storage)
    assert storage[:] == bytes(10) + b"\1" * 20 + bytes(70)
    worker.run("s.fill_(2, 95)", s=storage)
    assert storage[90:] == bytes(5) + b"\2" * 5


USES = {
    "array": lambda s: xp.from_storage(s, xp.uint8, (3,)),
    "empty array": lambda s: xp.from_storage(s, xp.uint8, (0,)),
    "item": lambda s: s[0],
    "slice": lambda s: s[0:0],
    "assignment": lambda s: s.__setitem__(slice(0, 0), b""),
    "fill": lambda s: s.fill_(1, 0, 0),
    "address": lambda s: s.data_ptr(),
    "handle": lambda s: s.handle(),
    "sharing": lambda s: s.share_memory_(),
    "id": lambda s: s.id,
    "buffer": memoryview,
    "elements": np.asarray,
}


@pytest.fixture(scope="module")
def lost():
    """A Storage whose sender was killed before it was opened."""
    with Worker("spawn") as sender:
        data = sender.run(
            "from multiprocessing.reduction import ForkingPickler\n"
            "keep['s'] = xp.Storage(100)\nreturn bytes(ForkingPickler.dumps(keep['s']))"
        )
        sender.kill()
    return pickle.loads(data)


@pytest.mark.parametrize("use", USES)
def test_a_lost_one_and_one_never_initialised_are_refused(lost, use):
    with pytest.raises(xp.HandleError, match="killed"):
        USES[use](lost)
    assert "lost: " in repr(lost)
    bare = xp.Storage.__new__(xp.Storage)
    assert repr(bare) == "<Storage, never initialised>"
    if use == "array":
        with pytest.raises(ValueError, match="outside the 0 bytes"):
            USES[use](bare)
        return
    with pytest.raises(TypeError, match="never initialised"):
        USES[use](bare)


@pytest.mark.parametrize("index", [0, -1, slice(0, 2), 1000])
def test_its_bytes_cannot_be_deleted(index):
    storage = xp.Storage(10)
    with pytest.raises(TypeError, match="cannot be deleted"):
        del storage[index]
    assert len(storage) == 10


@pytest.mark.parametrize(
    "arguments",
    [
        *((1, 101), (1, 0, 101), (1, 50, 51), (1, -1), (1, 0, -1), (1, 2**63), (1, 0, 2**70)),
        *((256,), (-1,), (2**70,)),
    ],
)
def test_filling_out_of_bounds_is_an_error(arguments):
    storage = xp.Storage(100)
    storage.fill_(0)
    with pytest.raises(ValueError, match=r"reach outside|no byte"):
        storage.fill_(*arguments)
    assert storage[:] == bytes(100)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [((0, 2**62), (8, 8)), ((2**40, 2**40), (0, 0)), ((2**62,), (0,)), ((2**62, 0, 2), (0, 0, 0))],
)
def test_an_array_of_it_whose_bytes_cannot_be_counted(shape, strides):
    """NumPy counts them with no regard to strides and to axes of length 0."""
    storage = xp.Storage(100)
    with pytest.raises(ValueError, match=r"from_storage: .* is too big"):
        xp.from_storage(storage, xp.float64, shape, strides=strides)


@pytest.mark.parametrize("index", [10, -11, 1000])
def test_bytes_outside_of_it_are_an_index_error(index):
    storage = xp.Storage(10)
    storage.fill_(7)
    with pytest.raises(IndexError, match="outside its 10 bytes"):
        storage[index]
    with pytest.raises(IndexError, match="outside its 10 bytes"):
        storage[index] = 1
    for key, value in ((slice(0, 3), b"ab"), (slice(8, 20), b"abc"), (0, 256), (0, -1)):
        with pytest.raises(ValueError):
            storage[key] = value
    assert storage[:] == b"\7" * 10


def test_it_cannot_be_resized():
    storage = xp.Storage(10)
    assert not hasattr(storage, "resize") and not hasattr(storage, "resize_")
    with pytest.raises(AttributeError):
        storage.nbytes = 20
    assert len(storage) == 10


def test_where_it_lies_follows_the_mode():
    with xp.memory("private"):
        storage = xp.Storage(10)
        x = xp.from_storage(storage, xp.uint8, (10,))
    assert not storage.is_shared() and not x.is_shared()
    assert storage.share_memory_() is storage
    assert storage.is_shared() and x.is_shared()
    assert x.storage() is storage


@pytest.mark.parametrize(
    ("dtype", "shape", "strides", "offset"),
    [
        ("f8", (13,), None, 0),
        ("f8", (12,), None, 8),
        ("u1", (1,), None, 100),
        ("u1", (1,), None, -1),
        ("f8", (2,), (-8,), 0),
        ("f8", (2,), (96,), 0),
        ("f8", (2, 2), (2**62, 2**62), 0),
        ("f8", (2**62,), (8,), 0),
        ("S101", (1,), None, 0),
        ("f8", (-1,), None, 0),
        ("f8", (2,), (8, 8), 0),
    ],
)
def test_arrays_outside_of_it_are_refused(dtype, shape, strides, offset):
    with pytest.raises(ValueError):
        xp.from_storage(xp.Storage(100), dtype, shape, strides, offset)


def test_arrays_over_it(worker):
    storage = xp.Storage(96)
    x = xp.from_storage(storage, xp.float64, (3, 4))
    y = xp.from_storage(storage, "u1", (96,))
    assert x.storage() is storage
    assert y.storage() is storage
    worker.run("x[...] = 1", x=x)
    assert y.tolist() == list(np.ones(12).view("u1"))
    assert xp.from_storage(storage, "f8", (3,), (-32,), 64).tolist() == [1, 1, 1]
    assert xp.from_storage(storage, "f8", 12).shape == (12,)


def test_the_buffer_protocol():
    storage = xp.Storage(10)
    storage.fill_(0)
    view = memoryview(storage)
    assert (view.nbytes, view.readonly, view.format) == (10, False, "B")
    view[3] = 4
    assert storage[3] == 4
    assert np.asarray(storage).ctypes.data == storage.data_ptr()
    assert np.asarray(storage).nbytes == 10


def test_the_address_is_the_arrays():
    x = xp.zeros(1000)
    assert x.storage().data_ptr() == np.asarray(x).ctypes.data


def test_the_kernel_refuses_to_resize_it(own_worker):
    """The creator has sealed it: a peer's truncation would be SIGBUS for all."""
    x = xp.ones(MIB)
    own_worker.run(
        """
        keep['x'] = x
        import numpy as np
        from tests.harness import procfs
        fds = [fd for fd, name in procfs.descriptors().items() if procfs.SEGMENT in name]
        assert fds
        for fd in fds:
            size = os.fstat(fd).st_size
            for other in (0, size // 2, size * 2):
                try:
                    os.ftruncate(fd, other)
                except OSError:
                    continue
                raise AssertionError(f"resized from {size} to {other}")
        """,
        x=x,
    )
    assert (np.asarray(x) == 1).all()


def until(condition):
    """Whether the condition comes to hold."""
    return procfs.wait_until(condition)


@pytest.mark.parametrize("nbytes", [100, 4096, MIB])
def test_attached_counts_the_other_holders(method, nbytes):
    storage = xp.Storage(nbytes)
    assert storage.attached() == 0
    with Worker(method) as first, Worker(method) as second:
        if method == "fork":  # they inherited it
            assert until(lambda: storage.attached() == 2)
            return
        assert storage.attached() == 0
        first.run("keep['s'] = s", s=storage)
        assert storage.attached() == 1
        second.run("keep['s'] = s\nkeep['x'] = xp.from_storage(s, 'u1', (5,))", s=storage)
        assert storage.attached() == 2
        assert first.get("keep['s'].attached()") == 2
        first.run("keep.clear()")
        assert until(lambda: storage.attached() == 1)
        second.run("del keep['s']")
        assert storage.attached() == 1
        second.kill()
        assert until(lambda: storage.attached() == 0)


def test_attached_counts_forked_children_until_they_end():
    storage = xp.Storage(1000)
    with Worker("fork"):
        assert until(lambda: storage.attached() == 1)
    assert until(lambda: storage.attached() == 0)
    with Worker("fork") as child:
        child.kill()
    assert until(lambda: storage.attached() == 0)


@pytest.mark.parametrize("nbytes", [100, MIB])
def test_processes_names_the_holders(method, nbytes):
    storage = xp.Storage(nbytes)
    storage.fill_(1)
    with Worker(method) as one:
        one.run("keep['s'] = s", s=storage)
        assert {one.pid, os.getpid()} <= set(storage.processes())
        assert {one.pid, os.getpid()} <= set(one.get("keep['s'].processes()"))
    assert until(lambda: one.pid not in storage.processes())


@pytest.mark.parametrize("nbytes", [1, 100, 4096, MIB])
def test_ids_are_strings_of_one_memory(worker, nbytes):
    a, b = xp.Storage(nbytes), xp.Storage(nbytes)
    assert isinstance(a.id, str)
    assert a.id != b.id
    assert worker.get("(a.id, b.id)", a=a, b=b) == (a.id, b.id)


def test_an_error_there_is_an_error_here(worker):
    with pytest.raises(WorkerError) as caught:
        worker.run("s.fill_(0, 5, 6)", s=xp.Storage(10))
    assert caught.value.kind == "ValueError"


def test_share_memory_of_a_private_storage(worker):
    with xp.memory("private"):
        x = xp.zeros(100)
    storage = x.storage()
    assert not storage.is_shared()
    with pytest.raises(ValueError, match="share_memory_"):
        storage.handle()
    storage.share_memory_()
    assert storage.is_shared()
    assert x.is_shared()
    worker.run("s.fill_(255)", s=storage)
    assert bytes(memoryview(x).cast("B")) == b"\xff" * 800


def test_private_storages_are_refused_by_multiprocessing_or_copied(worker):
    """A Storage goes by handle; one that cannot is an error that says what to do."""
    with xp.memory("private"):
        storage = xp.zeros(10).storage()
    with pytest.raises((ValueError, TypeError), match="share_memory_"):
        worker.get("s.nbytes", s=storage)
    assert worker.get("1") == 1


@pytest.mark.parametrize(
    "use",
    [
        lambda s: s["a"],
        lambda s: s.__setitem__(0, "a"),
        lambda s: s.fill_("a"),
        lambda s: s.fill_(0, "a"),
        lambda s: s.fill_(0, 0, "a"),
    ],
)
def test_what_is_no_integer_is_a_type_error(use):
    with pytest.raises(TypeError):
        use(xp.Storage(8))
