"""Three things NumPy programs rely on: shared memory aliases, private memory does as NumPy."""

import multiprocessing

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import join

MODES = ("numpy", "private", "shared")


def make(mode, n):
    """Zeros of NumPy, or of the library in a memory mode."""
    if mode == "numpy":
        return np.zeros(n)
    with xp.memory(mode):
        return xp.zeros(n)


def ramp(scratch, start, queue, barrier):
    """Compute in the scratch buffer, while somebody else does."""
    scratch[...] = start
    barrier.wait(60)
    scratch += 1
    barrier.wait(60)
    queue.put(float(scratch[0]))


def scratch_made_before_a_fork(mode):
    """Two forked workers and their parent use one buffer; what each of them sees."""
    context = multiprocessing.get_context("fork")
    scratch = make(mode, 1000)
    queue, barrier = context.SimpleQueue(), context.Barrier(2)
    workers = [
        context.Process(target=ramp, args=(scratch, start, queue, barrier)) for start in (10, 10)
    ]
    for worker in workers:
        worker.start()
    seen = [queue.get() for _ in workers]
    for worker in workers:
        join(worker)
    queue.close()
    return seen, float(scratch[0])


_result = None


def reusing(task):
    """Fill the worker's one result buffer, and return it."""
    global _result
    mode, value = task
    if _result is None:
        _result = make(mode, 1000)
    _result[...] = value
    return _result


def result_buffer_used_again(mode, context):
    """What a caller finds in the results of three tasks of one worker."""
    with context.Pool(1) as pool:
        results = [pool.apply(reusing, ((mode, value),)) for value in (1, 2, 3)]
        seen = [float(x[0]) for x in results]
        pool.close()
        pool.join()
    return seen


def normalise(x):
    """Change the argument, as a function on its own copy may."""
    x -= x.mean()
    return float(x[0])


def argument_written(mode, context):
    """What a task returns, and what the caller's array holds afterwards."""
    x = make(mode, 1000)
    x[...] = np.arange(1000)
    with context.Pool(1) as pool:
        first = pool.apply(normalise, (x,))
        second = pool.apply(normalise, (x,))
        pool.close()
        pool.join()
    return first, second, float(x[0])


def test_numpy_and_private_scratch_buffers_are_each_workers_own():
    assert scratch_made_before_a_fork("numpy") == ([11, 11], 0)
    assert scratch_made_before_a_fork("private") == scratch_made_before_a_fork("numpy")


def test_a_shared_scratch_buffer_is_one_for_all():
    seen, here = scratch_made_before_a_fork("shared")
    assert here in (11, 12)  # two unguarded additions of 1
    assert all(value == here for value in seen)


def test_numpy_and_private_results_are_each_callers_own(context):
    assert result_buffer_used_again("numpy", context) == [1, 2, 3]
    assert result_buffer_used_again("private", context) == [1, 2, 3]


def test_a_shared_result_buffer_is_the_workers_buffer(context):
    assert result_buffer_used_again("shared", context) == [3, 3, 3]


def test_numpy_and_private_arguments_are_copies(context):
    assert argument_written("numpy", context) == (-499.5, -499.5, 0)
    assert argument_written("private", context) == argument_written("numpy", context)


def test_a_shared_argument_is_the_callers_array(context):
    assert argument_written("shared", context) == (-499.5, -499.5, -499.5)


@pytest.mark.parametrize("mode", MODES)
def test_what_the_modes_have_in_common(mode):
    x = make(mode, 5)
    assert isinstance(x, np.ndarray if mode == "numpy" else xp.Array)
    assert xp.is_shared(x) is (mode == "shared")
