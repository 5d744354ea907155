"""What PyTorch users know of the three features, on CUDA devices: each row is a function.

They run in a process that uses CUDA, on the driver double or on a card; `devices(2)` marks those
that need two devices.
"""

import asyncio
import contextlib
import io
import multiprocessing
import pickle
import threading
import types
from multiprocessing.reduction import ForkingPickler

import numpy as np

import sharedarray as xp
from tests.harness.worker import join

METHODS = ("spawn", "forkserver")


def devices(count):
    """Mark a row that needs so many devices."""

    def mark(row):
        row.devices = count
        return row

    return mark


@contextlib.contextmanager
def raises(kind, *words):
    """Check that the block raises, and that the message has the words."""
    try:
        yield
    except kind as error:
        for word in words:
            assert word in str(error), f"{word!r} is not in {error!s}"
    else:
        raise AssertionError(f"no {kind.__name__} was raised")


def run(method, target, *arguments):
    """Run a function of this module in a process, and wait for it."""
    process = multiprocessing.get_context(method).Process(target=target, args=arguments)
    process.start()
    join(process)


@contextlib.contextmanager
def running(method, target):
    """A process that runs `target` with its end of a pipe; gives it and our end."""
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs,))
    process.start()
    try:
        yield process, ours
        join(process)
    finally:
        process.kill()
        process.join()


# Tensor.is_shared


def arrays_are_born_shared():
    x = xp.zeros((3, 4), device="cuda")
    for one in (x, x + 1, x[1], x[::2, 1], x.T, xp.sum(x), x[:0]):
        assert one.is_shared() is True, one
        assert xp.is_shared(one) is True
    assert x.storage().is_shared() is True
    assert x.share_memory_() is x


def private_memory_is_of_the_cpu_alone():
    with xp.memory("private"):
        assert xp.zeros(3).is_shared() is False
        assert xp.zeros(3, device="cuda").is_shared() is True


def arrays_made_by_dlpack_tell_the_truth():
    x = xp.arange(4, device="cuda")
    y = xp.from_dlpack(x)
    assert y.is_shared() is True
    y[0] = 9
    assert x.tolist() == [9, 1, 2, 3]


def watch(connection):
    """Hold an array until told to let go."""
    x = connection.recv()
    connection.send(x.tolist())
    connection.recv()


def another_process_that_uses_it_can_be_told():
    for method in METHODS:
        x = xp.ones(5, device="cuda")
        assert x.storage().attached() == 0
        with running(method, watch) as (process, connection):
            connection.send(x)
            assert connection.recv() == [1.0] * 5
            assert x.storage().attached() == 1
            assert process.pid in x.storage().processes()
            connection.send("enough")


def descend(parameters, gradient, rate, steps):
    """Steps of stochastic gradient descent on parameters that others hold."""
    for _ in range(steps):
        parameters -= rate * gradient


def an_optimiser_step_on_a_shared_parameter_is_seen_by_all():
    for method in METHODS:
        parameters = xp.asarray([1.0, -2.0, 3.0], device="cuda")
        gradient = xp.asarray([0.5, 0.25, -0.5], device="cuda")
        run(method, descend, parameters, gradient, 0.1, 4)
        expected = np.array([1.0, -2.0, 3.0])
        descend(expected, np.array([0.5, 0.25, -0.5]), 0.1, 4)
        assert parameters.tolist() == expected.tolist()


def other_ways_to_look():
    x = xp.ones(3, device="cuda")
    assert str(x.device) == "cuda:0"
    assert "cuda:0" in xp.memory_summary()
    assert "cuda:0" in xp.cuda.memory_summary()
    assert xp.memory_stats()["cuda:0"]["allocated"] >= x.nbytes
    assert "device='cuda:0', shared" in repr(x)


# UntypedStorage.share_memory_


def fill(memory, *arguments):
    """Fill an array or a storage."""
    memory.fill_(*arguments)


def fill_slice(memory, offset, size):
    """Fill a slice of an array or a storage."""
    memory[offset : offset + size] = b"\1" * size if isinstance(memory, xp.Storage) else 1


def a_storage_is_shared_and_gives_a_handle():
    storage = xp.Storage(10, device="cuda")
    assert storage.device == "cuda:0"
    assert storage.share_memory_() is storage
    assert storage.is_shared() is True
    assert xp.from_handle(storage.handle()) is storage
    x = xp.zeros(10, device="cuda")
    assert xp.from_handle(x.handle()).storage() is x.storage()


def a_child_fills_the_memory_with_1_and_the_parent_sees_it():
    for method in METHODS:
        storage = xp.Storage(10, device="cuda")
        storage.fill_(0)
        run(method, fill, storage, 1)
        assert list(storage[:]) == [1] * 10
        x = xp.zeros((3, 4), device="cuda")
        run(method, fill, x, 1)
        assert x.tolist() == [[1.0] * 4] * 3


def a_child_fills_only_a_slice():
    part = [0, 0, 1, 1, 1, 1, 1, 0, 0, 0]
    storage, other = xp.Storage(10, device="cuda"), xp.Storage(10, device="cuda")
    storage.fill_(0)
    other.fill_(0)
    x, y = xp.zeros(10, device="cuda"), xp.zeros(10, device="cuda")
    run("spawn", fill_slices, storage, other, x, y[2:7])
    for one in (storage[:], other[:], x.tolist(), y.tolist()):
        assert list(one) == part


def fill_slices(storage, other, x, part):
    """The same elements in each of the ways."""
    fill_slice(storage, 2, 5)
    fill(other, 1, 2, 5)
    fill_slice(x, 2, 5)
    fill(part, 1)


def after_fork(x, connection):
    """What a forked child meets."""
    try:
        x += 1
    except RuntimeError as error:
        connection.send(str(error))
    else:
        connection.send("no error")


def fork_is_a_clear_error():
    x = xp.zeros(3, device="cuda")
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=after_fork, args=(x, theirs))
    process.start()
    message = ours.recv()
    join(process)
    assert "spawn" in message and "forkserver" in message, message
    assert x.tolist() == [0.0] * 3


def a_message_is_a_handle_whatever_the_size():
    sizes = {len(ForkingPickler.dumps(xp.empty(1 << k, device="cuda"))) for k in (4, 10, 20)}
    assert max(sizes) < 1000
    assert max(sizes) - min(sizes) < 32
    xp.collect()


def by_value_between_machines():
    x = xp.arange(1000, device="cuda")
    data = pickle.dumps(x)
    assert len(data) > x.nbytes
    y = pickle.loads(data)
    assert y.storage() is not x.storage()
    assert y.tolist() == x.tolist()


# torch.cuda.device_of


def it_tells_the_device_and_prints_as_that():
    x = xp.ones(3, device="cuda:0")
    for one in (x, x.storage(), x[1:]):
        device = xp.device_of(one)
        assert device == xp.Device("cuda:0") and isinstance(device, xp.Device)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            print(device)
        assert out.getvalue() == "cuda:0\n"


@devices(2)
def as_a_context_manager_it_makes_the_device_current_and_restores_it():
    x, y = xp.ones(3, device="cuda:0"), xp.ones(3, device="cuda:1")
    scope = xp.device_of(y)
    assert xp.zeros(1).device == "cpu"
    with scope:
        assert xp.zeros(3).device == y.device
        with xp.device_of(x), scope, scope:  # nested in itself
            assert xp.zeros(3).device == "cuda:1"
        with xp.device_of(x.storage()):
            assert xp.zeros(3).device == x.device
        assert xp.zeros(3).device == "cuda:1"
    with contextlib.suppress(LookupError), scope:
        raise LookupError
    with scope:  # entered again
        assert xp.zeros(3).device == "cuda:1"
    assert xp.zeros(1).device == "cpu"


@devices(2)
def it_is_of_one_thread_and_one_task():
    scope, seen = xp.device_of(xp.ones(3, device="cuda:1")), []
    with scope:
        thread = threading.Thread(target=lambda: seen.append(xp.zeros(1).device))
        thread.start()
        thread.join()
    assert seen == ["cpu"]

    async def task(device):
        with xp.Device(device):
            await asyncio.sleep(0.001)
            return xp.zeros(1).device

    async def main():
        return await asyncio.gather(task("cuda:0"), task("cuda:1"), task("cpu"))

    assert asyncio.run(main()) == ["cuda:0", "cuda:1", "cpu"]
    assert xp.zeros(1).device == "cpu"


class Module:
    """A layer as frameworks have it."""

    def __init__(self, *places):
        self.arrays = [xp.ones(2, device=place) for place in places]

    def parameters(self):
        """The arrays that are trained."""
        yield from self.arrays


@devices(2)
def modules_have_the_device_of_their_arrays():
    assert xp.device_of(Module("cuda:1", "cuda:1")) == "cuda:1"
    held = types.SimpleNamespace(x=xp.ones(3, device="cuda:0"), name="model")
    assert xp.device_of(held) == "cuda:0"
    with xp.device_of(held):
        assert xp.zeros(3).device == "cuda:0"
    with raises(ValueError, "cuda:0", "cuda:1"):
        xp.device_of(Module("cuda:0", "cuda:1"))


@devices(2)
def moving_to_the_device_of_another():
    x, y = xp.arange(3.0, device="cuda:0"), xp.zeros(3, device="cuda:1")
    z = x.to_device(xp.device_of(y))
    assert z.device == y.device
    assert (z + y).tolist() == [0, 1, 2]
    assert z.to_device(xp.device_of(xp.zeros(1))).device == "cpu"
    with raises(ValueError, "cuda:0", "cuda:1"):
        x + y


def a_cpu_arrays_device_is_the_cpu_and_becomes_current():
    with xp.Device("cuda"):
        assert xp.zeros(1).device == "cuda:0"
        for one in (xp.ones(3, device="cpu"), np.ones(3)):
            with xp.device_of(one):
                assert xp.zeros(3).device == "cpu"
        assert xp.zeros(1).device == "cuda:0"
    with raises(TypeError):
        xp.device_of("no array")


def the_queries_and_contexts_by_their_names():
    assert xp.cuda.is_available() is True
    assert xp.cuda.device_count() >= 1
    assert xp.cuda.current_device() == 0
    x = xp.ones(3)
    assert x.is_cuda is False and x.cuda(0).is_cuda is True
    assert x.cuda(0).device == "cuda:0" and x.cuda(0).cpu().device == "cpu"
    with xp.Device("cuda:0"), xp.Device("cpu"):
        assert xp.zeros(3).device == "cpu"
    with xp.device("cuda:0"):
        assert xp.zeros(3).device == "cuda:0"
    make = xp.Device("cuda:0")(lambda: xp.zeros(3).device)
    assert make() == "cuda:0"
    xp.cuda.synchronize()


@devices(2)
def set_device_is_what_cuda_means():
    try:
        xp.cuda.set_device(1)
        assert xp.cuda.current_device() == 1
        assert xp.zeros(3, device="cuda").device == "cuda:1"
        assert xp.zeros(3).device == "cpu"  # not the default
        assert xp.ones(3).cuda().device == "cuda:1"
        with xp.Device("cuda:0"):
            assert xp.zeros(3, device="cuda").device == "cuda:0"
    finally:
        xp.cuda.set_device(0)


def a_device_that_is_not_there_is_an_error_that_says_so():
    with raises(xp.DeviceError, "cuda:63"):
        xp.zeros(3, device="cuda:63")
    with raises(xp.DeviceError, "cuda:63"), xp.Device("cuda:63"):
        pass
    assert xp.zeros(3).device == "cpu"


NOT_ROWS = {
    devices,
    raises,
    run,
    running,
    watch,
    descend,
    fill,
    fill_slice,
    fill_slices,
    after_fork,
}
ROWS = [
    one
    for one in list(globals().values())
    if isinstance(one, types.FunctionType) and one.__module__ == __name__ and one not in NOT_ROWS
]
