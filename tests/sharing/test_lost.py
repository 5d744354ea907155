"""What arrives and cannot be opened is a lost Array: it says why, and hangs nobody."""

import copy
import operator
import os
import pickle
import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Worker, WorkerError


class Message:
    """Stands for bytes that `multiprocessing` sent: unpickling it unpickles them."""

    def __init__(self, blob):
        self.blob = blob

    def __reduce__(self):
        return pickle.loads, (self.blob,)


def message(source):
    """What a worker, killed since, sent: the array that `source` makes."""
    with Worker("spawn") as sender:
        blob = sender.run(
            f"from multiprocessing.reduction import ForkingPickler\nkeep['x'] = x = {source}\n"
            "return bytes(ForkingPickler.dumps(x))"
        )
        sender.kill()
    return blob


@pytest.fixture(scope="module")
def blob():
    """The message of a matrix whose sender is dead."""
    return message("xp.ones((3, 4), dtype=xp.float32)")


@pytest.fixture(scope="module")
def lost(blob):
    """The lost Array that it gives."""
    return pickle.loads(blob)


def test_what_still_works(lost):
    assert isinstance(lost, xp.Array)
    assert lost.shape == (3, 4)
    assert lost.dtype == xp.float32
    assert lost.device == xp.Device("cpu")
    assert lost.is_shared() is False
    assert xp.is_shared(lost) is False


def test_its_shape_can_be_asked_in_every_way(lost):
    assert len(lost) == 3
    assert (lost.ndim, lost.size, lost.itemsize, lost.nbytes) == (2, 12, 4, 48)


def test_the_length_of_a_lost_scalar_is_refused():
    with pytest.raises(TypeError, match="0-d"):
        len(pickle.loads(message("xp.asarray(1.0)")))


def test_a_format_is_of_its_data(lost):
    assert f"{lost}" == str(lost)
    with pytest.raises(xp.HandleError):
        f"{lost:.2f}"


def test_its_repr_says_why(lost):
    with pytest.raises(xp.HandleError) as caught:
        lost + 1
    assert str(caught.value) in repr(lost)
    assert len(str(caught.value).split()) > 4


def test_the_reason_says_what_to_do(lost):
    with pytest.raises(xp.HandleError, match=r"was killed, .*SHAREDARRAY_LINGER.* fill an array"):
        lost + 1


USES = {
    "add": lambda x: x + 1,
    "added": lambda x: np.ones(4) + x,
    "in place": lambda x: operator.iadd(x, 1),
    "index": lambda x: x[0],
    "assign": lambda x: x.__setitem__(0, 1),
    "sum": lambda x: x.sum(),
    "reshape": lambda x: x.reshape(12),
    "astype": lambda x: x.astype("f8"),
    "transpose": lambda x: x.T,
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x.item(0),
    "numpy": lambda x: x.numpy(),
    "asarray": np.asarray,
    "np.sin": np.sin,
    "np.mean": np.mean,
    "xp.sin": lambda x: xp.sin(x),
    "xp.sum": lambda x: xp.sum(x),
    "xp.concat": lambda x: xp.concat([x, x]),
    "out": lambda x: xp.add(xp.ones((3, 4)), 1, out=x),
    "from_dlpack": np.from_dlpack,
    "dlpack": lambda x: x.__dlpack__(),
    "storage": lambda x: x.storage(),
    "handle": lambda x: x.handle(),
    "share_memory_": lambda x: x.share_memory_(),
    "readonly": lambda x: x.readonly(),
    "fill_": lambda x: x.fill_(1),
    "clone": lambda x: x.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
    "send": ForkingPickler.dumps,
    "compare": lambda x: x == x,
    "abs": abs,
    "iterate": lambda x: list(x),
    "bool": bool,
    "float": float,
    "to_device": lambda x: x.to_device("cpu").tolist(),
}


@pytest.mark.parametrize("use", USES)
def test_every_use_raises(lost, use):
    with pytest.raises(xp.HandleError):
        USES[use](lost)


def test_memoryview_of_it_raises(lost):
    with pytest.raises((xp.HandleError, BufferError)):
        memoryview(lost)


def test_a_queue_goes_on(context, blob):
    queue = context.SimpleQueue()
    x = xp.ones(3)
    queue.put(Message(blob))
    queue.put(x)
    assert queue.get().shape == (3, 4)
    assert queue.get().storage() is x.storage()
    queue.close()


def use(x):
    """Use the argument."""
    return float(x.sum())


def shape(x):
    """What a lost Array still has."""
    return x.shape, x.is_shared()


def give(blob):
    """Return what cannot be opened."""
    return Message(blob)


def test_a_pool_goes_on(context, blob):
    with context.Pool(1) as pool:
        assert pool.apply_async(shape, (Message(blob),)).get(60) == ((3, 4), False)
        with pytest.raises(xp.HandleError):
            pool.apply_async(use, (Message(blob),)).get(60)
        result = pool.apply_async(give, (blob,)).get(60)
        assert shape(result) == ((3, 4), False)
        assert pool.map_async(use, [xp.ones(4)]).get(60) == [4.0]
        with pytest.raises(xp.HandleError):
            pool.map_async(use, [xp.ones(4), Message(blob)]).get(60)
        assert pool.apply_async(use, (xp.ones(4),)).get(60) == 4.0
        pool.close()
        pool.join()


def test_an_executor_goes_on(context, blob):
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        assert executor.submit(shape, Message(blob)).result(60) == ((3, 4), False)
        with pytest.raises(xp.HandleError):
            executor.submit(use, Message(blob)).result(60)
        assert shape(executor.submit(give, blob).result(60)) == ((3, 4), False)
        assert executor.submit(use, xp.ones(4)).result(60) == 4.0


def test_sending_a_lost_array_to_a_pool_is_an_error_there(context, lost):
    with context.Pool(1) as pool:
        with pytest.raises(xp.HandleError):
            pool.apply_async(use, (lost,)).get(60)
        assert pool.apply_async(use, (xp.ones(4),)).get(60) == 4.0
        pool.close()
        pool.join()


def test_a_worker_that_gets_one_says_why(worker, blob):
    with pytest.raises(WorkerError) as caught:
        worker.run("x + 1", x=Message(blob))
    assert caught.value.kind == "HandleError"
    assert worker.get("(x.shape, str(x.dtype))", x=Message(blob)) == ((3, 4), "float32")


def test_all_sizes_and_dtypes():
    blobs = [message(f"xp.zeros({n}, dtype={d!r})") for n, d in [(1, "i1"), (1 << 20, "c16")]]
    for blob, n, d in zip(blobs, (1, 1 << 20), ("i1", "c16"), strict=True):
        lost = pickle.loads(blob)
        assert lost.shape == (n,)
        assert lost.dtype == d
        with pytest.raises(xp.HandleError):
            lost + 1


def test_readonly_ones_too():
    lost = pickle.loads(message("xp.zeros(5).readonly()"))
    assert lost.shape == (5,)
    with pytest.raises(xp.HandleError):
        lost[0]


def use_up_descriptors():
    """Lower the limit of descriptors to what is open; the way back."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 10, before[1]))
    taken = []
    while True:
        try:
            taken.append(os.dup(0))
        except OSError:
            return before, taken


def give_back(before, taken):
    """Undo `use_up_descriptors`."""
    for fd in taken:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_receiver_without_descriptors(own_worker):
    own_worker.run("xp.ones(10) + x", x=xp.ones(10))
    own_worker.run("xp.empty_cache()\nkeep['way back'] = f()", f=use_up_descriptors)
    x = xp.ones(4 << 20)
    assert own_worker.get("(x.shape, x.is_shared())", x=x) == ((4 << 20,), False)
    with pytest.raises(WorkerError) as caught:
        own_worker.run("x + 1", x=x)
    assert caught.value.kind == "HandleError"
    assert "ulimit -n" in caught.value.message
    own_worker.run("f(*keep.pop('way back'))", f=give_back)
    assert own_worker.get("float(xp.sum(x))", x=x) == 4 << 20


def test_a_receiver_lets_go_of_its_cache_for_a_descriptor(own_worker):
    own_worker.run("x + 1", x=xp.ones(4 << 20))  # its mapping is kept, unused
    own_worker.run("keep['way back'] = f()", f=use_up_descriptors)
    x = xp.ones(5 << 20)
    assert own_worker.get("(float(xp.sum(x)), x.is_shared())", x=x) == (5 << 20, True)
    own_worker.run("f(*keep.pop('way back'))", f=give_back)


def limit_address_space(more):
    """Forbid this process more than so many further bytes of address space."""
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + more,) * 2)


def test_a_receiver_without_address_space_lives_on(own_worker):
    own_worker.run("xp.ones(10) + x", x=xp.ones(10))
    own_worker.call(limit_address_space, 64 << 20)
    arrays = [xp.empty(64 << 20) for _ in range(3)]
    for x in arrays:
        assert own_worker.get("x.shape", x=x) == (64 << 20,)
    assert own_worker.get("float(xp.sum(x))", x=xp.ones(100)) == 100
