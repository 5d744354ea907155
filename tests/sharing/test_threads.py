"""Threads share the library: allocation, sending and opening from many at once."""

import threading

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import run_script, stays_level
from tests.harness.threads import COUNT, hasty, together


@pytest.fixture(name="hasty")
def take_turns_quickly():
    """Threads take turns after every few bytecodes."""
    with hasty():
        yield


def churn(seed, rounds=300):
    """Allocate and drop arrays of many sizes, and check that nobody else wrote them."""
    chance = np.random.default_rng(seed)
    held = []
    for i in range(rounds):
        n = int(chance.choice([1, 10, 511, 512, 513, 5000, 40000, 140000]))
        held.append((xp.full(n, float(seed * rounds + i)), seed * rounds + i))
        if len(held) > 15:
            x, value = held.pop(int(chance.integers(len(held))))
            assert bool((np.asarray(x) == value).all())
    assert all(bool((np.asarray(x) == value).all()) for x, value in held)


def test_allocation():
    stays_level(lambda: together(churn), rounds=2, slack=8 << 20)


def test_one_thread_drops_what_another_made():
    made = together(lambda i: [xp.full(5000, float(i)) for _ in range(50)])
    assert all(float(x[-1]) == i for i, arrays in enumerate(made) for x in arrays)
    together(lambda i: made[(i + 1) % COUNT].clear())
    more = [xp.full(5000, 77.0) for _ in range(100)]
    assert all(float(x[0]) == 77 for x in more)


@pytest.mark.parametrize("nbytes", [64, 4096, 1 << 20])
def test_many_threads_open_one_handle(worker, nbytes):
    blob = worker.run(
        "keep['x'] = xp.zeros(n)\nkeep['h'] = h = keep['x'].handle()\nreturn bytes(h)",
        n=nbytes // 8,
    )
    arrays = together(lambda i: xp.from_handle(xp.Handle.from_bytes(blob)))
    assert all(x.storage() is arrays[0].storage() for x in arrays)
    assert len({np.asarray(x).ctypes.data for x in arrays}) == 1
    arrays[3][-1] = 8
    assert worker.get("float(keep['x'][-1])") == 8
    worker.run("keep.clear()")


@pytest.mark.parametrize("mode", ["shared", "private"])
def test_threads_agree_on_one_storage(hasty, mode):
    for _ in range(100):
        with xp.memory(mode):
            x = xp.zeros(1000)
        views = [x[i:] for i in range(COUNT)]
        found = together(lambda i, views=views: (views[i].storage(), views[i].storage().id))
        assert len({id(storage) for storage, _ in found}) == 1
        assert len({name for _, name in found}) == 1


def test_threads_that_share_one_storage_share_it_once(hasty):
    for _ in range(50):
        with xp.memory("private"):
            x = xp.arange(100_000.0)
        storage, views = x.storage(), [x[i:] for i in range(COUNT)]
        found = together(
            lambda i, s=storage, v=views: (s.share_memory_().data_ptr(), s.id, v[i].share_memory_())
        )
        assert {(where, name) for where, name, _ in found} == {(storage.data_ptr(), storage.id)}
        assert all(y.storage() is storage for y in views)
        x[-1] = -1
        assert [float(y[-1]) for y in views] == [-1.0] * COUNT
    with xp.memory("private"):
        x = xp.arange(10.0)
    held = np.asarray(x)
    with pytest.raises(BufferError, match="1 NumPy view"):
        x.share_memory_()
    assert held[3] == 3


def test_bytes_of_a_storage_while_another_thread_moves_it():
    code = """
        import sys, threading
        import sharedarray as xp
        sys.setswitchinterval(1e-6)
        n = 64 << 20

        class Mover:
            def __index__(self):
                thread = threading.Thread(target=storage.share_memory_)
                thread.start()
                thread.join()
                return n - 1

        for use in (
            lambda i: storage[i],
            lambda i: storage[i:][0],
            lambda i: storage.__setitem__(i, 5) or storage[i],
            lambda i: storage.__setitem__(n - 1, Mover() and 5) or storage[n - 1],
        ):
            with xp.memory("private"):
                storage = xp.Storage(n)
            storage[n - 1] = 5
            assert use(Mover()) == storage[n - 1] == 5
        for _ in range(10):
            with xp.memory("private"):
                storage = xp.Storage(n)
            ready = threading.Barrier(2)
            moving = threading.Thread(target=lambda: ready.wait() + storage.share_memory_().nbytes)
            moving.start()
            ready.wait()
            storage.fill_(1)    # here or there: it must not be the memory of nobody
            moving.join()
            assert storage.is_shared()
        print("done")
        """
    assert run_script(code).ok() == "done"


def test_threads_that_open_and_drop_one_block(worker):
    blob = worker.run(
        "keep['x'] = xp.arange(200000)\nkeep['h'] = h = keep['x'].handle()\nreturn bytes(h)"
    )

    def run(i):
        for _ in range(100):
            x = xp.from_handle(xp.Handle.from_bytes(blob))
            assert int(x[i * 1000]) == i * 1000
            del x

    together(run)
    worker.run("keep.clear()")


def test_threads_send_through_pipes_of_their_own(method):
    from tests.harness import Worker

    workers = [Worker(method) for _ in range(3)]

    def run(i):
        for k in range(50):
            x = xp.full(1000 * (k % 5 + 1), float(i))
            workers[i].run("x += 1", x=x)
            assert bool((np.asarray(x) == i + 1).all())
            y = workers[i].get("x * 2", x=x)
            assert bool((np.asarray(y) == 2 * i + 2).all())

    together(run, 3)
    for one in workers:
        one.stop()


def test_threads_in_the_receiver(worker):
    arrays = [xp.zeros(1000) for _ in range(8)]
    worker.run(
        """
        import threading
        def run(x):
            for _ in range(100):
                x += 1
                xp.sum(x)
        threads = [threading.Thread(target=run, args=(x,)) for x in arrays]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
        arrays=arrays,
    )
    assert all((np.asarray(x) == 100).all() for x in arrays)


def test_threads_that_end_with_arrays_leave_them_whole():
    kept = {}

    def run(i):
        kept[i] = xp.full(5000, float(i))

    for i in range(50):
        thread = threading.Thread(target=run, args=(i,))
        thread.start()
        thread.join()
    together(churn, 2)
    assert all(bool((np.asarray(x) == i).all()) for i, x in kept.items())


def test_memory_modes_are_of_one_thread():
    def run(i):
        with xp.memory("private" if i % 2 else "shared"):
            for _ in range(200):
                assert xp.ones(10).is_shared() == (i % 2 == 0)
        return True

    assert all(together(run))


def test_no_thread_is_started():
    code = """
        import os
        import sharedarray as xp
        x = xp.ones(1000)
        bytes(x.handle())
        y = xp.full(1 << 20, 2.0) + 1
        print(len(os.listdir("/proc/self/task")))
        """
    env = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "SHAREDARRAY_LINGER": "0.2"}
    assert run_script(code, env=env).ok() == "1"


def test_threads_that_import_it_at_the_same_time():
    code = """
        import sys, threading
        from concurrent.futures import ThreadPoolExecutor
        sys.setswitchinterval(1e-6)
        barrier = threading.Barrier(8)
        def run(i):
            barrier.wait(60)
            import sharedarray as xp
            x = xp.ones(1000) + i
            y = xp.from_handle(xp.Handle.from_bytes(bytes(x.handle())))
            chance = xp.random.default_rng(3).random(3)
            return (float(xp.sum(y)), y.storage() is x.storage(), float(xp.linalg.norm(chance)),
                    complex(xp.fft.fft(chance)[0]))
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(run, range(8)))
        assert [(total, same) for total, same, *_ in found] == [
            (1000.0 * (i + 1), True) for i in range(8)]
        assert len({tuple(numbers) for _, _, *numbers in found}) == 1
        """
    assert run_script(code, env={"SHAREDARRAY_LINGER": "0.2"}).ok() == ""
