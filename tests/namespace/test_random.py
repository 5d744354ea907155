"""Random numbers: NumPy's streams, in shared memory."""

import concurrent.futures
import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import sharedarray as xp

DRAWS = {
    "random": ((3,), {}),
    "normal": ((), {"size": (2, 2)}),
    "integers": ((0, 10), {"size": 4, "dtype": np.int32}),
    "choice": ((5, 3), {"replace": False}),
    "permutation": ((5,), {}),
    "multivariate_normal": (([0, 0], [[1, 0], [0, 1]]), {}),
    "standard_normal": ((2,), {}),
    "dirichlet": (((1, 2, 3),), {}),
    "beta": ((0.5, [0.5, 0.7]), {}),
}


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_stream_is_numpys(name):
    args, kwargs = DRAWS[name]
    ours = getattr(xp.random.default_rng(7), name)(*args, **kwargs)
    theirs = getattr(np.random.default_rng(7), name)(*args, **kwargs)
    assert isinstance(ours, xp.Array)
    assert ours.is_shared()
    np.testing.assert_array_equal(np.asarray(ours), theirs)


def test_generator_is_one_of_numpy():
    rng = xp.random.default_rng(1)
    assert isinstance(rng, np.random.Generator)
    assert xp.random.default_rng(rng) is rng
    plain = np.random.default_rng(1)
    assert xp.random.default_rng(plain).bit_generator is plain.bit_generator
    assert all(type(child) is xp.random.Generator for child in rng.spawn(2))
    assert "normal" in rng.normal.__name__


def test_arguments_and_outputs_may_be_arrays():
    rng = xp.random.default_rng(2)
    x = xp.arange(10.0)
    rng.shuffle(x)
    assert sorted(x.tolist()) == list(range(10))
    assert x.tolist() != list(range(10))
    out = xp.empty(3)
    assert rng.random(out=out) is out
    assert rng.normal(xp.zeros(4), 1.0).shape == (4,)
    assert rng.choice(x, 2).is_shared()


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))]
)
def test_copies_continue_the_stream(again):
    for rng in (xp.random.default_rng(3), xp.random.RandomState(3)):
        rng.normal(size=5)
        other = again(rng)
        assert type(other) is type(rng)
        state = pickle.loads(pickle.dumps(rng))
        assert other.normal(size=3).tolist() == state.normal(size=3).tolist()


def draw(rng):
    """In another process."""
    return type(rng).__name__, rng.normal(size=3).tolist()


def test_survives_spawn():
    rng = xp.random.default_rng(4)
    expected = np.random.default_rng(4).normal(size=3).tolist()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(draw, rng).result(60) == ("Generator", expected)


def test_legacy_functions():
    xp.random.seed(5)
    ours = xp.random.rand(3)
    assert ours.is_shared()
    assert ours.tolist() == np.random.RandomState(5).rand(3).tolist()
    state = xp.random.get_state()
    first = xp.random.randint(0, 100, 5).tolist()
    xp.random.set_state(state)
    assert xp.random.randint(0, 100, 5).tolist() == first
    assert xp.random.PCG64 is np.random.PCG64
