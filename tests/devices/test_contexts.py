"""The device in force: contexts, decorators, threads, tasks, generators."""

import asyncio
import concurrent.futures
import inspect
import threading

import pytest

import sharedarray as xp
from sharedarray import _devices

pytestmark = pytest.mark.usefixtures("two_cards")
CPU = xp.Device("cpu")
FIRST, SECOND = xp.Device("cuda:0"), xp.Device("cuda:1")
current = _devices.default


def test_the_cpu_is_in_force_at_first():
    assert current() == "cpu"
    assert xp.zeros(3).device == "cpu"


@pytest.mark.parametrize("make", [xp.Device, xp.device])
def test_a_context_puts_its_device_in_force(make):
    with make("cuda:1") as device:
        assert device == "cuda:1"
        assert current() == "cuda:1"
        with make("cpu"):
            assert current() == "cpu"
            assert xp.zeros(3).device == "cpu"
        assert current() == "cuda:1"
    assert current() == "cpu"


def test_nested_in_itself():
    with SECOND, SECOND, FIRST, SECOND:
        assert current() == SECOND
        with SECOND:
            assert current() == SECOND
        assert current() == SECOND
    assert current() == CPU
    with SECOND:
        with SECOND:
            pass
        assert current() == SECOND


def test_restored_after_exceptions():
    with pytest.raises(KeyError), FIRST:
        with pytest.raises(ZeroDivisionError), SECOND:
            1 / 0
        assert current() == FIRST
        raise KeyError
    assert current() == CPU


def test_exceptions_are_not_swallowed():
    assert FIRST.__enter__() is FIRST
    assert not FIRST.__exit__(ValueError, ValueError("x"), None)
    assert current() == CPU


def test_a_device_that_does_not_exist_changes_nothing():
    with SECOND:
        with pytest.raises(xp.DeviceError, match="2 devices, asked for cuda:7"):
            xp.Device("cuda:7").__enter__()
        assert current() == SECOND
    with pytest.raises(xp.DeviceError, match="2 devices, asked for cuda:2"), xp.Device("cuda:2"):
        raise AssertionError("entered")
    assert current() == CPU


def test_cuda_means_the_cuda_device_in_force():
    assert xp.Device("cuda") == "cuda:0"
    with SECOND:
        assert xp.Device("cuda") == "cuda:1"
        with CPU:
            assert xp.Device("cuda") == "cuda:1"
        with xp.Device("cuda", 0):
            assert xp.Device("cuda") == "cuda:0"
        assert xp.Device("cuda") == "cuda:1"
    assert xp.Device("cuda") == "cuda:0"


def test_a_device_keeps_its_index_when_another_is_in_force():
    made_outside = xp.Device("cuda")
    with SECOND:
        assert made_outside == "cuda:0"


def test_resolve():
    assert _devices.resolve(None) == "cpu"
    assert _devices.resolve("cpu") is CPU
    assert _devices.resolve(CPU) is CPU
    assert _devices.resolve("cuda:1") == SECOND
    with SECOND:
        assert _devices.resolve(None) == SECOND
        assert _devices.resolve("cuda") == SECOND
        assert _devices.resolve("cpu") == CPU
    with pytest.raises(xp.DeviceError, match="2 devices, asked for cuda:2"):
        _devices.resolve("cuda:2")
    with pytest.raises(ValueError, match="'cpu', 'cuda' or"):
        _devices.resolve("cpu:0")
    with pytest.raises(TypeError, match="a device is a string"):
        _devices.resolve(0)


# Decorators.


def test_decorated_function():
    @SECOND
    def function(a, *, b=2):
        """Say where."""
        return a, b, current()

    assert function(1, b=3) == (1, 3, SECOND)
    assert current() == CPU
    assert function.__name__ == "function"
    assert function.__doc__ == "Say where."
    assert str(inspect.signature(function)) == "(a, *, b=2)"


def test_decorated_recursion_and_exception():
    @SECOND
    def function(n):
        assert current() == SECOND
        if n == 0:
            raise ValueError("bottom")
        with FIRST:
            function(n - 1)

    with pytest.raises(ValueError, match="bottom"):
        function(5)
    assert current() == CPU


def test_decorated_method():
    class Model:
        @SECOND
        def place(self):
            return self, current()

    model = Model()
    assert model.place() == (model, SECOND)


def test_a_decorated_device_is_looked_for_when_called():
    @xp.Device("cuda:7")
    def function():
        raise AssertionError("called")

    with pytest.raises(xp.DeviceError, match="2 devices, asked for cuda:7"):
        function()


@pytest.mark.parametrize("wrong", [int, 3, "cpu", None])
def test_only_functions_are_decorated(wrong):
    with pytest.raises(TypeError, match="decorates functions"):
        CPU(wrong)


def test_decorated_generator():
    seen = []

    @SECOND
    def generator():
        """Give numbers."""
        try:
            seen.append(("sent", (yield 1), current()))
            try:
                yield 2
            except KeyError as error:
                seen.append(("thrown", error.args, current()))
            yield 3
            return "end"
        finally:
            seen.append(("closed", current()))

    assert inspect.isgeneratorfunction(generator)
    assert generator.__doc__ == "Give numbers."
    g = generator()
    assert next(g) == 1
    assert current() == CPU
    with FIRST:
        assert g.send("x") == 2
        assert current() == FIRST
    assert g.throw(KeyError("y")) == 3
    assert current() == CPU
    with pytest.raises(StopIteration) as stop:
        next(g)
    assert stop.value.value == "end"
    assert current() == CPU
    assert seen == [
        ("sent", "x", SECOND),
        ("thrown", ("y",), SECOND),
        ("closed", SECOND),
    ]


def test_decorated_generator_closed_early():
    seen = []

    @SECOND
    def generator():
        try:
            yield 1
        finally:
            seen.append(current())

    g = generator()
    next(g)
    g.close()
    assert seen == [SECOND]
    assert current() == CPU


def test_decorated_generator_that_raises():
    @SECOND
    def generator():
        yield 1
        raise KeyError("inside")

    g = generator()
    next(g)
    with pytest.raises(KeyError, match="inside"):
        next(g)
    assert current() == CPU


def test_decorated_coroutine():
    @SECOND
    async def coroutine(x):
        await asyncio.sleep(0)
        return x, current()

    async def main():
        found = await asyncio.gather(coroutine(1), asyncio.sleep(0), coroutine(2))
        assert current() == CPU
        assert await coroutine(3) == (3, SECOND)
        assert current() == CPU
        return found

    assert inspect.iscoroutinefunction(coroutine)
    assert asyncio.run(main()) == [(1, SECOND), None, (2, SECOND)]


def test_decorated_asynchronous_generator():
    seen = []

    @SECOND
    async def generator():
        try:
            await asyncio.sleep(0)
            seen.append(("sent", (yield 1), current()))
            try:
                yield 2
            except KeyError:
                seen.append(("thrown", current()))
            yield 3
            yield 4
        finally:
            await asyncio.sleep(0)
            seen.append(("closed", current()))

    async def main():
        g = generator()
        assert await anext(g) == 1
        assert current() == CPU
        assert await g.asend("x") == 2
        assert await g.athrow(KeyError()) == 3
        await g.aclose()
        assert current() == CPU
        places = [(n, current()) async for n in generator()]
        assert places == [(n, CPU) for n in (1, 2, 3, 4)]

    assert inspect.isasyncgenfunction(generator)
    asyncio.run(main())
    assert seen[:3] == [("sent", "x", SECOND), ("thrown", SECOND), ("closed", SECOND)]
    assert seen[-1] == ("closed", SECOND)


# A generator that is not decorated may leave its `with` in any order.


def test_a_context_left_out_of_order():
    def generator():
        with SECOND:
            yield

    g = generator()
    next(g)
    assert current() == SECOND
    with FIRST:
        g.close()
        assert current() == FIRST
    assert current() == CPU


def test_a_context_left_where_it_was_not_entered():
    def generator():
        with SECOND:
            yield

    g = generator()
    next(g)
    thread = threading.Thread(target=g.close)
    thread.start()
    thread.join()
    assert current() == SECOND
    SECOND.__exit__(None, None, None)
    assert current() == CPU


# Threads and tasks.


def test_each_thread_has_its_own():
    barrier = threading.Barrier(3, timeout=60)

    def work(device):
        before = current()
        with device:
            barrier.wait()
            inside = current()
            barrier.wait()
        return before, inside, current()

    with concurrent.futures.ThreadPoolExecutor(3) as pool, SECOND:
        found = list(pool.map(work, [CPU, FIRST, SECOND]))
        assert current() == SECOND
    assert [inside for _, inside, _ in found] == [CPU, FIRST, SECOND]
    assert all(before == after for before, _, after in found)


def test_one_device_object_in_many_threads():
    def work(_):
        for _ in range(200):
            with SECOND:
                assert current() == SECOND
                with SECOND:
                    assert current() == SECOND
            assert current() == CPU
        return True

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_each_task_has_its_own():
    async def work(device, ready, others):
        with device:
            ready.set()
            await others.wait()
            assert current() == device
            await asyncio.sleep(0)
            inside = current()
        return inside, current()

    async def main():
        a, b = asyncio.Event(), asyncio.Event()
        found = await asyncio.gather(work(FIRST, a, b), work(SECOND, b, a))
        assert current() == CPU
        return found

    assert asyncio.run(main()) == [(FIRST, CPU), (SECOND, CPU)]


def test_a_task_begins_with_the_device_of_its_maker():
    async def where():
        return current()

    async def main():
        with SECOND:
            task = asyncio.create_task(where())
        return await task, current()

    assert asyncio.run(main()) == (SECOND, CPU)
