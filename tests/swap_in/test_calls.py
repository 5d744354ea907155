"""Every public function of NumPy, really called: values, types and memory as they ought to be."""

import numpy as np
import pytest

import sharedarray as xp

from .calls import CHAPTERS
from .compare import WAYS, compare, ways


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_calls_agree_with_numpy(chapter, way):
    found = [
        f"{name}: {fault}"
        for name, calls in CHAPTERS[chapter].items()
        if way in ways(name)
        for call in calls
        for fault in compare(call, name, way)
    ]
    assert not found, "\n".join(found)


class Planted:
    """The library with one function replaced."""

    def __init__(self, **members):
        self.__dict__ |= members

    def __getattr__(self, name):
        return getattr(xp, name)


def late(x):
    """A right result, in private memory."""
    with xp.memory("private"):
        return xp.cos(x)


FAULTS = {
    "value": (lambda x: xp.nextafter(xp.cos(x), 2.0), "is Array"),
    "sign of zero": (lambda x: xp.abs(xp.cos(x)) * 0.0, "is Array"),
    "dtype": (lambda x: xp.cos(x).astype("f4"), "is of float32, not float64"),
    "shape": (lambda x: xp.cos(x)[None], "has shape (1, 4), not (4,)"),
    "memory": (late, "is_shared() is False"),
    "NumPy's array": (lambda x: np.cos(x.numpy()), "is ndarray, no Array"),
    "number": (lambda x: 1.0, "is float, no Array"),
    "container": (lambda x: (xp.cos(x),), "is tuple, no Array"),
    "exception": (lambda x: x.nothing, "raises AttributeError"),
    "warning": (lambda x: xp.cos(x) + 0 * xp.log(xp.zeros(4) - 1)[0], "warns"),
    "nothing": (None, "raises TypeError"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault):
    planted, sentence = FAULTS[fault]
    found = compare("np.cos(v)", "cos", "shared", Planted(cos=planted))
    assert any(sentence in line for line in found), found
    assert compare("np.cos(v)", "cos", "shared", Planted(cos=xp.cos)) == []


def test_planted_faults_of_containers_are_found():
    def compared(call, **members):
        (found,) = compare(call, next(iter(members)), "shared", Planted(**members))
        return found

    assert "is a tuple, not a list" in compared("np.split(v, 2)", split=lambda x, n: (x[:2], x[2:]))
    assert "has 1 items, not 2" in compared("np.split(v, 2)", split=lambda x, n: [x[:2]])
    assert "[1] is Array" in compared("np.split(v, 2)", split=lambda x, n: [x[:2], x[:2]])
    assert "is a tuple, not a UniqueCounts" in compared(
        "np.unique_counts(v)", unique_counts=lambda x: tuple(xp.unique_counts(x))
    )
    assert "is 3, not 4" in compared("np.size(v)", size=lambda x: 3)
    assert "is a float, not a int" in compared("np.size(v)", size=lambda x: 4.0)


def test_planted_faults_in_mixed_calls_are_found():
    planted = Planted(cos=lambda x: np.cos(x))
    (found,) = compare("np.cos(v)", "cos", "function", planted)
    assert "what the function returns is ndarray, no Array" in found
    aliased = Planted(reshape=lambda x, shape: xp.asarray(x, copy=False).reshape(shape))
    assert compare("np.reshape(m, (4, 3))", "reshape", "function", aliased)


def test_a_call_that_numpy_refuses_is_found(monkeypatch):
    monkeypatch.setattr("tests.swap_in.compare.OLDER", False)
    assert "NumPy raises" in compare("np.cos('a')", "cos", "shared")[0]
