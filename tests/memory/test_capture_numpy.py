"""Inside `capture_numpy()` what NumPy allocates is born shared, and adopted without a copy."""

import asyncio
import io
import threading

import numpy as np
import pytest

import sharedarray as xp

MAKERS = {
    "empty": lambda: np.empty(10),
    "zeros": lambda: np.zeros((3, 4)),
    "large zeros": lambda: np.zeros(1 << 18),
    "ones": lambda: np.ones(10, dtype="i2"),
    "copy": lambda: np.ones(10).copy(),
    "operator": lambda: np.ones(10) + 1,
    "concatenate": lambda: np.concatenate([np.ones(3), np.ones(4)]),
    "sort": lambda: np.sort(np.arange(10)[::-1]),
    "svd": lambda: np.linalg.svd(np.eye(5))[1],
    "fft": lambda: np.fft.fft(np.ones(16)),
    "random": lambda: np.random.default_rng(1).random(100),
    "load": lambda: _load(),
    "frombuffer's copy": lambda: np.frombuffer(bytes(80)).copy(),
    "fromiter": lambda: np.fromiter(range(1000), dtype="i8"),
    "fancy index": lambda: np.arange(100)[np.arange(50)],
    "astype": lambda: np.arange(100).astype("c16"),
}


def _load():
    file = io.BytesIO()
    np.save(file, np.arange(1000.0))
    file.seek(0)
    return np.load(file)


@pytest.mark.parametrize("maker", MAKERS)
def test_born_shared_and_adopted(maker):
    with xp.capture_numpy():
        a = MAKERS[maker]()
    assert xp.is_shared(a)
    x = xp.asarray(a)
    assert x.is_shared()
    assert np.shares_memory(np.asarray(x), a)
    assert np.asarray(x).ctypes.data == a.ctypes.data
    assert not xp.is_shared(MAKERS[maker]())


def test_adopted_arrays_are_sent_by_handle(worker):
    with xp.capture_numpy():
        a = np.arange(1000.0)
    x = xp.asarray(a)
    worker.run("x += 1", x=x)
    assert (a == np.arange(1000.0) + 1).all()


def test_adopted_arrays_outlive_the_numpy_array(worker):
    with xp.capture_numpy():
        x = xp.asarray(np.full(100000, 3.0))
    junk = [np.full(100000, -1.0) for _ in range(3)]
    worker.run("keep['x'] = x", x=x)
    del x
    assert worker.get("bool(xp.all(keep.pop('x') == 3))")
    del junk


def test_numpy_arrays_are_numpys_still():
    with xp.capture_numpy():
        a = np.arange(10)
    assert type(a) is np.ndarray
    a.resize(1000, refcheck=False)
    a[500:] = 1
    assert a[:10].tolist() == list(range(10))
    a.resize(5, refcheck=False)
    assert a.tolist() == list(range(5))


def test_resized_while_captured():
    with xp.capture_numpy():
        a = np.arange(10)
        for n in (1000, 100000, 1 << 20, 17, 3):
            a.resize(n, refcheck=False)
            assert a[:3].tolist() == [0, 1, 2]
            assert xp.is_shared(a)


def test_arrays_made_before_are_freed_inside_and_the_reverse():
    before = [np.ones(n) for n in (3, 3000, 300000)]
    with xp.capture_numpy():
        inside = [np.ones(n) for n in (3, 3000, 300000)]
        before.clear()
    inside.clear()
    assert not xp.is_shared(np.ones(3))


def test_it_nests_and_ends_with_exceptions():
    with xp.capture_numpy():
        with xp.capture_numpy():
            assert xp.is_shared(np.ones(3))
        assert xp.is_shared(np.ones(3))
        with pytest.raises(LookupError), xp.capture_numpy():
            raise LookupError
        assert xp.is_shared(np.ones(3))
    assert not xp.is_shared(np.ones(3))


def test_it_is_of_one_thread():
    seen = []
    with xp.capture_numpy():
        thread = threading.Thread(target=lambda: seen.append(xp.is_shared(np.ones(3))))
        thread.start()
        thread.join()
        assert xp.is_shared(np.ones(3))
    assert seen == [False]


def test_it_lasts_over_awaits_of_its_task_alone():
    async def inside():
        with xp.capture_numpy():
            for _ in range(10):
                await asyncio.sleep(0)
                assert xp.is_shared(np.ones(3))

    async def outside():
        for _ in range(10):
            await asyncio.sleep(0)
            assert not xp.is_shared(np.ones(3))

    async def main():
        await asyncio.gather(inside(), outside(), inside(), outside())

    asyncio.run(main())


def test_the_library_inside_it():
    with xp.capture_numpy():
        x = xp.ones(3)
        assert x.is_shared()
        assert xp.is_shared(np.asarray(x) + 1)
        with xp.memory("private"):
            assert not xp.ones(3).is_shared()
    assert x.is_shared()


def test_object_arrays_inside_work_while_nobody_forks():
    with xp.capture_numpy():
        a = np.array([object(), [1], None], dtype=object)
    with pytest.raises(TypeError):
        xp.asarray(a)
    assert a[1] == [1]
