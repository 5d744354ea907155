"""Arrays go by handle as `Process` arguments and through every pipe and queue."""

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import join

CHANNELS = {
    "Pipe": lambda context: Ends(*context.Pipe()),
    "Queue": lambda context: context.Queue(),
    "SimpleQueue": lambda context: context.SimpleQueue(),
    "JoinableQueue": lambda context: context.JoinableQueue(),
}


class Ends:
    """Both ends of a pipe, with a queue's names."""

    def __init__(self, reading, writing):
        self._reading, self._writing = reading, writing

    def put(self, x):
        """Send."""
        self._writing.send(x)

    def get(self):
        """Receive."""
        return self._reading.recv()

    def close(self):
        """Close both ends."""
        self._reading.close()
        self._writing.close()


def fill(x, value):
    """Write the argument."""
    x[...] = value


def add_one(requests, answers):
    """Write what arrives and tell about it, until None."""
    while (x := requests.get()) is not None:
        x += 1
        answers.put((x.is_shared(), x.storage().id, float(xp.sum(x))))
        if hasattr(requests, "task_done"):
            requests.task_done()


def hand_out(requests, answers):
    """Make an array per request, and show it again when asked for the sum."""
    x = None
    while (request := requests.get()) is not None:
        if request == "sum":
            answers.put(float(xp.sum(x)))
        else:
            x = xp.full(request, 2.0)
            answers.put(x)


@pytest.fixture(params=CHANNELS)
def channels(request, context):
    """Two channels of one kind: for requests, and for answers."""
    pair = [CHANNELS[request.param](context) for _ in range(2)]
    yield pair
    for channel in pair:
        channel.close()


@pytest.fixture
def started(context, channels):
    """Start a child over the channels; it is told to end."""
    processes = []

    def start(target):
        process = context.Process(target=target, args=tuple(channels))
        process.start()
        processes.append(process)
        return channels

    yield start
    for process in processes:
        channels[0].put(None)
        join(process)
        process.close()


@pytest.mark.parametrize("nbytes", [8, 4096, 1 << 20, 16 << 20])
def test_process_arguments(context, nbytes):
    x = xp.zeros(nbytes // 8)
    process = context.Process(target=fill, args=(x,), kwargs={"value": 3})
    process.start()
    join(process)
    assert (np.asarray(x) == 3).all()


def test_slices_as_process_arguments(context):
    x = xp.zeros((4, 100))
    workers = [context.Process(target=fill, args=(x[i, :], i + 1)) for i in range(4)]
    for process in workers:
        process.start()
    for process in workers:
        join(process)
    assert (np.asarray(x) == np.arange(1, 5)[:, None]).all()


@pytest.mark.parametrize("nbytes", [8, 1 << 20])
def test_the_child_gets_this_very_memory(started, nbytes):
    requests, answers = started(add_one)
    x = xp.zeros(nbytes // 8)
    for i in range(1, 4):
        requests.put(x)
        shared, storage, total = answers.get()
        assert shared
        assert storage == x.storage().id
        assert total == i * x.size
        assert (np.asarray(x) == i).all()


@pytest.mark.parametrize("nbytes", [8, 1 << 20])
def test_what_the_child_made_is_shared_with_it(started, nbytes):
    requests, answers = started(hand_out)
    requests.put(nbytes // 8)
    x = answers.get()
    assert x.is_shared()
    assert (np.asarray(x) == 2).all()
    x += 5
    requests.put("sum")
    assert answers.get() == 7 * x.size


def test_many_arrays_in_flight_arrive_in_order(started):
    requests, answers = started(add_one)
    arrays = [xp.full(10, float(i)) for i in range(200)]
    for x in arrays:
        requests.put(x)
        answers_due = answers.get()
        assert answers_due[2] == 10 * (float(x[0]))
    assert [float(x[0]) for x in arrays] == [i + 1 for i in range(200)]


def test_joinable_queue_counts_arrays(context):
    requests, answers = context.JoinableQueue(), context.Queue()
    process = context.Process(target=add_one, args=(requests, answers))
    process.start()
    x = xp.zeros(1000)
    for _ in range(5):
        requests.put(x)
    requests.join()
    assert (np.asarray(x) == 5).all()
    for _ in range(5):
        answers.get()
    requests.put(None)
    join(process)


def test_storage_as_a_process_argument(context):
    storage = xp.Storage(1000)
    process = context.Process(target=fill_storage, args=(storage, 1))
    process.start()
    join(process)
    assert storage[:] == b"\1" * 1000


def fill_storage(storage, byte):
    """Write every byte."""
    storage.fill_(byte)


def test_a_handle_as_a_process_argument(context):
    x = xp.zeros(100)
    process = context.Process(target=fill_handle, args=(x.handle(), 4))
    process.start()
    join(process)
    assert (np.asarray(x) == 4).all()


def fill_handle(handle, value):
    """Open and write."""
    xp.from_handle(handle)[...] = value
