"""Only results of the library land in shared memory: nothing that runs meanwhile does."""

import gc
import textwrap

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import run_script


def test_arrays_made_outside_are_private():
    x = xp.ones(1000)
    xp.sin(x) + x
    assert not xp.is_shared(np.ones(1000))
    assert not xp.is_shared(np.sin(np.ones(3)))


class Spy:
    """Notes where NumPy arrays made in user code lie."""

    def __init__(self):
        self.seen = []

    def note(self):
        """Make an array and remember whether it is shared."""
        self.seen.append(xp.is_shared(np.ones(10)))
        return 1.0


def callback(spy):
    """A function for NumPy functions that take one."""

    def function(*arguments):
        spy.note()
        return arguments[0] * 2 if arguments else 0

    return function


CALLBACKS = {
    "apply_along_axis": lambda f: xp.apply_along_axis(f, 0, xp.ones((3, 4))),
    "fromfunction": lambda f: xp.fromfunction(f, (3, 4)),
    "piecewise": lambda f: xp.piecewise(xp.arange(5.0), [xp.arange(5.0) > 2], [f, f]),
    "vectorize": lambda f: xp.vectorize(f)(xp.arange(5.0)),
    "apply_over_axes": lambda f: xp.apply_over_axes(lambda a, axis: f(a), xp.ones((2, 3)), [0]),
}


@pytest.mark.parametrize("name", CALLBACKS)
def test_user_functions_run_outside(name):
    spy = Spy()
    result = CALLBACKS[name](callback(spy))
    assert spy.seen
    assert not any(spy.seen)
    assert xp.is_shared(result)


@pytest.mark.parametrize("name", CALLBACKS)
def test_user_functions_get_arrays_where_numpy_gives_arrays(name):
    kinds = set()

    def function(*arguments):
        kinds.update(type(a) for a in arguments if not np.isscalar(a))
        return arguments[0] * 2

    CALLBACKS[name](function)
    # NumPy gives scalars to what it vectorizes.
    assert kinds == (set() if name == "vectorize" else {xp.Array})


def test_generators_run_outside():
    spy = Spy()
    x = xp.fromiter((spy.note() for _ in range(5)), dtype=float)
    assert x.is_shared()
    assert spy.seen == [False] * 5


def test_sequences_are_read_outside():
    spy = Spy()

    class Sequence:
        def __len__(self):
            return 3

        def __getitem__(self, i):
            if i >= 3:
                raise IndexError
            return spy.note()

    assert xp.asarray(Sequence()).is_shared()
    assert spy.seen
    assert not any(spy.seen)


def test_numbers_of_ones_own_are_asked_outside():
    spy = Spy()

    class Number:
        def __float__(self):
            return spy.note()

        def __array__(self, dtype=None, copy=None):
            spy.note()
            return np.asarray(1.0)

    xp.asarray([1.0, 2.0]) + Number()
    xp.full(3, Number())
    xp.ones(3)[...] = Number()
    assert spy.seen
    assert not any(spy.seen)


def test_finalizers_run_outside():
    spy = Spy()

    class Dying:
        def __del__(self):
            spy.note()

    for _ in range(20):
        cycle = [Dying()]
        cycle.append(cycle)
        del cycle
        xp.sum(xp.ones(100)) + xp.ones(3)
        gc.collect()
    assert len(spy.seen) == 20
    assert not any(spy.seen)


def test_errstate_calls_run_outside():
    spy = Spy()
    with xp.errstate(all="call", call=lambda *_: spy.note()):
        result = xp.ones(10) / xp.zeros(10)
    assert spy.seen
    assert not any(spy.seen)
    assert result.is_shared()


def test_nested_calls():
    def function(a):
        b = xp.ones(3) + 1
        assert b.is_shared()
        assert not xp.is_shared(np.ones(3))
        with xp.memory("private"):
            assert not xp.ones(3).is_shared()
        return a * float(xp.sum(b))

    x = xp.apply_along_axis(function, 0, xp.ones((3, 4)))
    assert x.is_shared()
    assert not xp.is_shared(np.ones(3))


def test_errors_leave_nothing_open():
    for fail in (
        lambda: xp.ones(3) + xp.ones(4),
        lambda: xp.reshape(xp.ones(3), (2, 2)),
        lambda: xp.linalg.inv(xp.zeros((2, 3))),
        lambda: xp.linalg.inv(xp.zeros((2, 2))),
        lambda: xp.asarray([[1], [1, 2]]),
        lambda: xp.apply_along_axis(lambda a: 1 / 0, 0, xp.ones((2, 2))),
        lambda: xp.concat([xp.ones(3), xp.ones((2, 2))]),
        lambda: xp.zeros(-1),
    ):
        with pytest.raises(Exception):  # noqa: B017
            fail()
        assert not xp.is_shared(np.ones(3))


def test_imports_happen_outside():
    """Modules that functions import when first called keep their arrays in private memory."""
    code = """
        import sys
        import numpy as np
        import sharedarray as xp
        x = xp.ones((8, 8))
        xp.linalg.svd(x); xp.fft.fft(x); xp.random.default_rng(1).random(3); xp.percentile(x, 5)
        xp.einsum("ij,jk", x, x); xp.pad(x, 2); xp.histogram(x)
        xp.polyfit(xp.arange(4.0), x[:4, 0], 1)
        repr(x); x._repr_html_()
        found = []
        for module, names in [(m, vars(m)) for m in sys.modules.values() if m is not None]:
            for name, value in list(names.items()):
                if type(value) is np.ndarray and xp.is_shared(value):
                    found.append(f"{module.__name__}.{name}")
        print(found)
        """
    assert run_script(textwrap.dedent(code)).ok() == "[]"


def test_cached_results_are_copied_in():
    """A function that returns memory made elsewhere: the result still lies in shared memory."""
    for make in (
        lambda: xp.unique_values(xp.asarray([1, 2, 1])),
        lambda: xp.broadcast_to(np.arange(3), (2, 3)),
        lambda: xp.real(np.ones(3)),
        lambda: xp.reshape(np.arange(6), (2, 3)),
        lambda: xp.squeeze(np.ones((1, 3))),
        lambda: xp.asarray(np.ones(3).T),
        lambda: xp.diagonal(np.eye(3)),
    ):
        assert make().is_shared()
