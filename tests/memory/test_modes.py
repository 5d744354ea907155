"""Where arrays are born: `memory("shared")`, `memory("private")`, and the environment."""

import asyncio
import threading

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import run_script

MAKERS = {
    "zeros": lambda: xp.zeros(4),
    "empty": lambda: xp.empty((2, 3)),
    "ones": lambda: xp.ones(4),
    "full": lambda: xp.full(4, 2.0),
    "arange": lambda: xp.arange(4),
    "linspace": lambda: xp.linspace(0, 1, 5),
    "eye": lambda: xp.eye(3),
    "asarray of a list": lambda: xp.asarray([1, 2]),
    "asarray of NumPy": lambda: xp.asarray(np.ones(3), copy=True),
    "0-d": lambda: xp.asarray(3.0),
    "empty shape": lambda: xp.zeros((0, 3)),
    "zeros_like": lambda: xp.zeros_like(xp.ones(3)),
    "operator": lambda: xp.ones(3) + 1,
    "function": lambda: xp.sin(xp.ones(3)),
    "NumPy's function": lambda: np.sin(xp.ones(3)),
    "reduction": lambda: xp.sum(xp.ones(3)),
    "method": lambda: xp.ones(3).cumsum(),
    "copy": lambda: xp.ones(3).copy(),
    "clone": lambda: xp.ones(3).clone(),
    "astype": lambda: xp.ones(3).astype("f4"),
    "fancy index": lambda: xp.ones(3)[[0, 1]],
    "large": lambda: xp.ones(1 << 20),
    "sort": lambda: xp.sort(xp.asarray([3.0, 1.0])),
    "linalg": lambda: xp.linalg.inv(xp.eye(3)),
    "fft": lambda: xp.fft.fft(xp.ones(8)),
    "random": lambda: xp.random.default_rng(1).random(5),
    "concat": lambda: xp.concat([xp.ones(3), xp.ones(2)]),
    "tuple's first": lambda: xp.unique_all(xp.asarray([1, 1, 2]))[0],
}


@pytest.mark.parametrize("maker", MAKERS)
def test_the_mode_decides(maker):
    assert MAKERS[maker]().is_shared()
    with xp.memory("private"):
        assert not MAKERS[maker]().is_shared()
        with xp.memory("shared"):
            assert MAKERS[maker]().is_shared()
        assert not MAKERS[maker]().is_shared()
    assert MAKERS[maker]().is_shared()


def test_the_mode_ends_with_an_exception():
    with pytest.raises(LookupError), xp.memory("private"):
        raise LookupError
    assert xp.ones(1).is_shared()


def test_views_stay_where_their_base_is():
    x = xp.ones(4)
    with xp.memory("private"):
        assert x[1:].is_shared()
        y = xp.ones(4)
    assert not y[1:].is_shared()


def test_in_place_keeps_the_memory():
    x = xp.ones(4)
    storage = x.storage()
    with xp.memory("private"):
        x += 1
        x *= xp.ones(4)
    assert x.is_shared()
    assert x.storage() is storage


def test_results_of_private_arrays_follow_the_mode():
    with xp.memory("private"):
        x = xp.ones(4)
    assert (x + x).is_shared()
    with xp.memory("private"):
        assert not (xp.ones(3).share_memory_() + 1).is_shared()


@pytest.mark.parametrize("wrong", ["", "Shared", "cuda", None, 1, b"shared"])
def test_other_modes_are_refused(wrong):
    with pytest.raises((ValueError, TypeError)), xp.memory(wrong):
        pass
    assert xp.ones(1).is_shared()


def test_threads_start_with_the_default():
    seen = []

    def run():
        seen.append(xp.ones(1).is_shared())
        with xp.memory("private"):
            seen.append(xp.ones(1).is_shared())

    with xp.memory("private"):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert not xp.ones(1).is_shared()
    assert seen == [True, False]


def test_tasks_keep_theirs_over_awaits():
    async def task(mode):
        with xp.memory(mode):
            for _ in range(20):
                await asyncio.sleep(0)
                assert xp.ones(3).is_shared() == (mode == "shared")
                assert (xp.ones(3) + 1).is_shared() == (mode == "shared")

    async def main():
        await asyncio.gather(*(task(mode) for mode in ("shared", "private") * 5))
        assert xp.ones(3).is_shared()
        with xp.memory("private"):
            child = asyncio.create_task(inherits())
        await child

    async def inherits():
        await asyncio.sleep(0)
        assert not xp.ones(3).is_shared()

    asyncio.run(main())


def test_a_generator_keeps_its_own_scope_out_of_its_callers_way():
    with xp.memory("shared"):
        assert xp.ones(3).is_shared()
        with xp.memory("private"):
            x = xp.ones(3)
        y = xp.ones(3)
    assert (x.is_shared(), y.is_shared()) == (False, True)


@pytest.mark.parametrize(("setting", "shared"), [("private", False), ("shared", True), ("", True)])
def test_the_environment_sets_the_default(setting, shared):
    code = """
        import sharedarray as xp
        print(xp.ones(3).is_shared(), (xp.ones(3) + 1).is_shared())
        with xp.memory("shared"):
            print(xp.ones(3).is_shared())
        with xp.memory("private"):
            print(xp.ones(3).is_shared())
        """
    env = {"SHAREDARRAY_MEMORY": setting}
    assert run_script(code, env=env).ok().split() == [str(shared)] * 2 + ["True", "False"]


def test_a_wrong_setting_is_told():
    result = run_script("import sharedarray", env={"SHAREDARRAY_MEMORY": "swapped"})
    assert result.rc != 0
    assert "SHAREDARRAY_MEMORY" in result.stderr
    assert "swapped" in result.stderr


def test_the_environment_reaches_workers(method):
    code = """
        import sys
        from tests.harness import Worker
        if __name__ == "__main__":
            with Worker(sys.argv[1]) as worker:
                print(worker.get("xp.ones(3).is_shared()"))
                print(worker.get("xp.ones(3)").is_shared())
        """
    env = {"SHAREDARRAY_MEMORY": "private"}
    assert run_script(code, method, env=env).ok().split() == ["False", "False"]


def test_private_arrays_are_numpys_memory():
    with xp.memory("private"):
        x = xp.ones(5)
    assert not xp.is_shared(x)
    assert x.storage() is x[1:].storage()
    assert np.asarray(x).tolist() == [1] * 5
