"""`Tensor.is_shared`: what PyTorch users know of it, row by row."""

import os

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import join


class Foreign:
    """An array of another library, with an answer of its own to `is_shared`."""

    def __init__(self, shared):
        self._a, self._shared = np.arange(4.0), shared

    def is_shared(self):
        """Whether it lies in that library's shared memory."""
        return self._shared

    def __dlpack__(self, **options):
        return self._a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._a.__dlpack_device__()


def test_plain_arrays_in_private_memory_are_not_shared_until_share_memory():
    with xp.memory("private"):
        x = xp.asarray([1.0, 2.0, 3.0])
    assert x.is_shared() is False
    assert x.share_memory_() is x
    assert x.is_shared() is True
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_arrays_are_born_shared_by_default():
    assert xp.zeros(3).is_shared() is True
    assert (xp.zeros(3) + 1).is_shared() is True


def test_arrays_made_from_a_memory_buffer_tell_the_truth():
    buffer = bytearray(np.arange(4.0).tobytes())
    x = xp.frombuffer(buffer)
    assert x.is_shared() is False
    x.share_memory_()
    assert x.is_shared() is True
    assert x.tolist() == [0, 1, 2, 3]
    ours = xp.arange(4.0)
    assert xp.frombuffer(memoryview(ours)).is_shared() is True


def test_arrays_made_by_dlpack_tell_the_truth():
    x = xp.from_dlpack(np.arange(4.0))
    assert x.is_shared() is False
    x.share_memory_()
    assert x.is_shared() is True
    assert xp.from_dlpack(xp.arange(4.0)).is_shared() is True
    assert xp.from_dlpack(np.from_dlpack(xp.arange(4.0))).is_shared() is True


@pytest.mark.parametrize("shared", [True, False])
def test_another_librarys_array_answers_for_itself_but_cannot_be_sent_on(shared):
    t = Foreign(shared)
    assert xp.is_shared(t) is shared
    x = xp.from_dlpack(t)
    assert x.is_shared() is False
    with pytest.raises(ValueError, match="share_memory_"):
        x.handle()


def test_it_finds_out_what_can_be_optimised():
    x = xp.ones(3)
    assert xp.is_shared(x)
    assert xp.is_shared(x.numpy())
    assert xp.is_shared(memoryview(x))
    assert xp.is_shared(x.storage())
    assert not xp.is_shared(np.ones(3))


def test_another_process_that_uses_it_can_be_told(worker):
    x = xp.ones(1 << 18)
    storage = x.storage()
    before = storage.attached()
    worker.run("keep['x'] = x", x=x)
    assert storage.attached() == before + 1
    assert worker.pid in storage.processes()
    worker.run("keep.clear()")


def sgd(parameters, gradient, rate, steps):
    """Steps of stochastic gradient descent on parameters that others hold."""
    for _ in range(steps):
        parameters -= rate * gradient


def test_an_optimiser_step_on_a_shared_parameter_is_seen_by_all(context, worker):
    parameters = xp.asarray([1.0, -2.0, 3.0])
    gradient = xp.asarray([0.5, 0.25, -0.5])
    worker.run("keep['p'] = p", p=parameters)
    expected = np.array([1.0, -2.0, 3.0])
    process = context.Process(target=sgd, args=(parameters, gradient, 0.1, 4))
    process.start()
    join(process)
    sgd(expected, np.array([0.5, 0.25, -0.5]), 0.1, 4)
    assert parameters.tolist() == expected.tolist()
    assert worker.get("keep.pop('p').tolist()") == expected.tolist()
    assert parameters.is_shared()


def test_other_ways_to_look():
    x = xp.ones(3)
    assert str(x.device) == "cpu"
    assert xp.from_dlpack(x).tolist() == [1, 1, 1]
    assert "cpu" in xp.memory_summary()


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="this machine has a CUDA device")
def test_the_cuda_summary_says_that_there_is_no_cuda():
    with pytest.raises(xp.DeviceError):
        xp.cuda.memory_summary()
