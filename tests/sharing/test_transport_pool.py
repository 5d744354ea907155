"""Arrays go by handle into and out of `Pool` and `ProcessPoolExecutor`."""

import functools
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import METHODS

SIZES = [16, 4096, 1 << 20]


def add_one(x):
    """Write the argument; where it lies."""
    x += 1
    return x.is_shared(), x.storage().id


def doubled(x):
    """A new array."""
    return x * 2


def same(x):
    """The argument itself."""
    return x


def add(x, y):
    """Write the first argument."""
    x += y


def value_error(x):
    """Raise with an array in the frame."""
    raise ValueError(f"refused {x.size}")


@pytest.fixture(scope="module", params=METHODS)
def pool(request):
    with multiprocessing.get_context(request.param).Pool(2) as running:
        yield running
        running.close()
        running.join()


@pytest.fixture(scope="module", params=METHODS)
def executor(request):
    context = multiprocessing.get_context(request.param)
    with ProcessPoolExecutor(2, mp_context=context) as running:
        # both workers start now, not in the first test
        list(running.map(time.sleep, [0.3, 0.3]))
        yield running


CALLS = {
    "map": lambda pool, f, items: pool.map(f, items),
    "map_async": lambda pool, f, items: pool.map_async(f, items, chunksize=3).get(60),
    "imap": lambda pool, f, items: list(pool.imap(f, items)),
    "imap_unordered": lambda pool, f, items: list(pool.imap_unordered(f, items, chunksize=2)),
    "apply": lambda pool, f, items: [pool.apply(f, (item,)) for item in items],
    "apply_async": lambda pool, f, items: [
        answer.get(60) for answer in [pool.apply_async(f, (item,)) for item in items]
    ],
    "starmap": lambda pool, f, items: pool.starmap(f, [(item,) for item in items]),
    "starmap_async": lambda pool, f, items: pool.starmap_async(f, [(i,) for i in items]).get(60),
}


@pytest.mark.parametrize("nbytes", SIZES)
@pytest.mark.parametrize("call", CALLS)
def test_pool_arguments(pool, call, nbytes):
    arrays = [xp.full(nbytes // 8, float(i)) for i in range(8)]
    told = CALLS[call](pool, add_one, arrays)
    assert set(told) == {(True, x.storage().id) for x in arrays}
    for i, x in enumerate(arrays):
        assert (np.asarray(x) == i + 1).all()


@pytest.mark.parametrize("nbytes", SIZES)
@pytest.mark.parametrize("call", CALLS)
def test_pool_results(pool, call, nbytes):
    arrays = [xp.full(nbytes // 8, float(i)) for i in range(8)]
    results = CALLS[call](pool, doubled, arrays)
    assert all(y.is_shared() for y in results)
    assert sorted(float(y[0]) for y in results) == [2.0 * i for i in range(8)]
    assert all((np.asarray(y) == np.asarray(y)[0]).all() for y in results)


def test_pool_gives_the_same_memory_back(pool):
    arrays = [xp.full(1000, float(i)) for i in range(8)]
    for x, y in zip(arrays, pool.map(same, arrays), strict=True):
        assert y.storage() is x.storage()
        y[...] = -1
        assert (np.asarray(x) == -1).all()


def test_pool_tasks_share_what_they_are_given(pool):
    total = xp.zeros(100)
    pool.starmap(add, [(total[i : i + 10], i) for i in range(0, 100, 10)])
    assert (np.asarray(total) == np.repeat(np.arange(0, 100, 10), 10)).all()


def test_arrays_in_a_partial(pool):
    x = xp.zeros(1000)
    pool.map(functools.partial(add, x), [1, 2, 3])
    assert float(x[0]) == 6


def test_pool_initializer(context):
    x = xp.zeros(1000)
    with context.Pool(1, initializer=add, initargs=(x, 5)) as running:
        assert running.apply(abs, (-1,)) == 1
        running.close()
        running.join()
    assert (np.asarray(x) == 5).all()


def test_pool_whose_workers_are_replaced(context):
    x = xp.zeros(1000)
    with context.Pool(1, maxtasksperchild=2) as running:
        for i in range(6):
            shared, storage = running.apply(add_one, (x,))
            assert (shared, storage) == (True, x.storage().id)
            assert float(x[0]) == i + 1
        running.close()
        running.join()


def test_errors_raised_with_arrays(pool):
    with pytest.raises(ValueError, match="refused 7"):
        pool.apply(value_error, (xp.ones(7),))


@pytest.mark.parametrize("nbytes", SIZES)
def test_executor_arguments(executor, nbytes):
    x = xp.zeros(nbytes // 8)
    for i in range(1, 4):
        assert executor.submit(add_one, x).result(60) == (True, x.storage().id)
        assert (np.asarray(x) == i).all()


@pytest.mark.parametrize("nbytes", SIZES)
def test_executor_results(executor, nbytes):
    arrays = [xp.full(nbytes // 8, float(i)) for i in range(8)]
    results = list(executor.map(doubled, arrays, timeout=60))
    assert all(y.is_shared() for y in results)
    assert [float(y[-1]) for y in results] == [2.0 * i for i in range(8)]


def test_executor_gives_the_same_memory_back(executor):
    x = xp.zeros(1000)
    y = executor.submit(same, x).result(60)
    assert y.storage() is x.storage()


def test_results_of_results(executor):
    x = xp.ones(1000)
    for _ in range(5):
        x = executor.submit(doubled, x).result(60)
    assert (np.asarray(x) == 32).all()


def test_executor_errors(executor):
    with pytest.raises(ValueError, match="refused 7"):
        executor.submit(value_error, xp.ones(7)).result(60)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])  # what Python allows with it
def test_executor_whose_workers_are_replaced(context):
    x = xp.zeros(1000)
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=2) as running:
        for i in range(5):
            assert running.submit(add_one, x).result(60) == (True, x.storage().id)
            assert float(x[0]) == i + 1
            assert running.submit(same, x).result(60).storage() is x.storage()
