"""`torch.cuda.device_of`: what PyTorch users know of it, row by row, on the CPU."""

import asyncio
import threading
import types

import numpy as np
import pytest

import sharedarray as xp

without_cuda = pytest.mark.skipif(xp.cuda.is_available(), reason="this machine has a CUDA device")


def test_it_tells_the_device_of_an_array_or_storage():
    x = xp.ones(3)
    for one in (x, x.storage(), x.numpy()):
        device = xp.device_of(one)
        assert isinstance(device, xp.Device)
        assert device == xp.Device("cpu")


def test_it_prints_as_the_device(capsys):
    print(xp.device_of(xp.ones(3)))
    print(xp.Device("cuda:0"))
    assert capsys.readouterr().out == "cpu\ncuda:0\n"


def test_as_a_context_manager_it_makes_the_device_current_and_restores_it():
    x = xp.ones(3)
    outside = xp.zeros(1).device
    with xp.device_of(x):
        assert xp.zeros(3).device == x.device
        with xp.device_of(x.storage()):
            assert xp.zeros(3).device == x.device
        assert xp.zeros(3).device == x.device
    assert xp.zeros(1).device == outside


def test_it_can_be_entered_again_and_nested_in_itself():
    scope = xp.device_of(xp.ones(3))
    with scope, scope:
        with scope:
            assert xp.zeros(1).device == scope
        assert xp.zeros(1).device == scope
    with scope:
        assert xp.zeros(1).device == scope


def test_it_restores_after_exceptions():
    outside = xp.zeros(1).device
    with pytest.raises(LookupError), xp.device_of(xp.ones(3)):
        raise LookupError
    assert xp.zeros(1).device == outside


def test_it_is_of_one_thread_and_one_task():
    scope = xp.device_of(xp.ones(3))
    seen = []
    with scope:
        thread = threading.Thread(target=lambda: seen.append(xp.zeros(1).device))
        thread.start()
        thread.join()

    async def task():
        with scope:
            await asyncio.sleep(0)
            return xp.zeros(1).device

    async def main():
        return await asyncio.gather(task(), task())

    seen += asyncio.run(main())
    assert seen == ["cpu"] * 3


class Module:
    """A layer as frameworks have it."""

    def __init__(self):
        self.weight, self.bias = xp.ones((3, 3)), xp.zeros(3)

    def parameters(self):
        """The arrays that are trained."""
        yield self.weight
        yield self.bias


def test_modules_have_the_device_of_their_arrays():
    assert xp.device_of(Module()) == "cpu"
    assert xp.device_of(types.SimpleNamespace(x=xp.ones(3), name="model", n=5)) == "cpu"
    with xp.device_of(Module()):
        assert xp.zeros(3).device == "cpu"


def test_moving_to_the_device_of_another():
    x, y = xp.ones(3), xp.zeros(3)
    z = x.to_device(xp.device_of(y))
    assert z.device == y.device
    assert z.tolist() == [1, 1, 1]


def test_a_cpu_arrays_device_is_the_cpu_and_becomes_current():
    x = xp.ones(3)
    with xp.device_of(x):
        assert xp.zeros(3).device == x.device == xp.Device("cpu")
    with xp.device_of(np.ones(3)):
        assert xp.zeros(3).device == xp.Device("cpu")


@pytest.mark.parametrize("thing", [5, "text", None, object(), [], types.SimpleNamespace(a=1)])
def test_an_object_without_any_array_is_a_type_error(thing):
    with pytest.raises(TypeError):
        xp.device_of(thing)


@without_cuda
def test_the_queries_of_a_machine_without_cuda():
    assert xp.cuda.is_available() is False
    assert xp.cuda.device_count() == 0
    for query in (xp.cuda.current_device, lambda: xp.cuda.set_device(0), xp.cuda.synchronize):
        with pytest.raises(xp.DeviceError):
            query()


def test_is_cuda():
    assert xp.ones(3).is_cuda is False


def test_the_cpu_as_a_context_manager():
    with xp.Device("cpu"):
        assert xp.zeros(3).device == "cpu"
    with xp.device("cpu"):
        assert xp.zeros(3).device == "cpu"

    @xp.Device("cpu")
    def function():
        return xp.zeros(3).device

    assert function() == "cpu"


@without_cuda
def test_cuda_without_a_driver_is_an_error_that_says_so():
    for use in (
        lambda: xp.Device("cuda:0").__enter__(),
        lambda: xp.zeros(3, device="cuda:0"),
        lambda: xp.ones(3).to_device("cuda:0"),
        lambda: xp.ones(3).cuda(0),
    ):
        with pytest.raises(xp.DeviceError, match=r"NVIDIA|CUDA"):
            use()
    assert xp.zeros(3).device == "cpu"
