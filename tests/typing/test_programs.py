"""What the stubs say is so: the programs that type checkers read, run with a look at each value.

`make stubs` reads them with mypy; here each `assert_type` looks at its value.
"""

import pathlib
import runpy
import types
import typing

import numpy as np
import numpy.typing as npt
import pytest

import sharedarray as xp

PROGRAMS = pathlib.Path(__file__).parent / "programs"
#: Read only: its mistakes are its point.
WRONG = "wrong.py"


def fits(value, kind):
    """Whether a value is what a type says."""
    kind = getattr(kind, "__value__", kind)  # what a `type` statement names
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any or kind is object:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is tuple and arguments[-1:] != (...,):
        return (
            type(value) is tuple
            and len(value) == len(arguments)
            and all(map(fits, value, arguments))
        )
    if origin in (tuple, list):
        return isinstance(value, origin) and all(fits(item, arguments[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            fits(key, arguments[0]) and fits(item, arguments[1]) for key, item in value.items()
        )
    if origin is not None:
        return isinstance(value, origin)
    return type(value) is kind or (kind is not float and isinstance(value, kind))


@pytest.fixture
def looking(monkeypatch):
    """`assert_type` looks at values; the values it saw."""
    seen = []

    def assert_type(value, kind):
        assert fits(value, kind), f"{value!r} is of type {type(value).__name__}, not {kind}"
        seen.append(value)
        return value

    monkeypatch.setattr(typing, "assert_type", assert_type)
    return seen


@pytest.mark.parametrize(
    "name", sorted(path.name for path in PROGRAMS.glob("*.py") if path.name != WRONG)
)
def test_values_are_of_the_types_that_the_stubs_say(name, looking):
    runpy.run_path(str(PROGRAMS / name))
    assert len(looking) > 20


def test_each_wrong_use_is_named_in_its_line():
    lines = (PROGRAMS / WRONG).read_text().splitlines()
    uses = [line for line in lines if line.startswith(("x", "number"))]
    assert len(uses) > 10
    assert all("# type: ignore[" in line for line in uses if line != "x = xp.zeros(3)")


@pytest.mark.parametrize(
    ("value", "kind", "right"),
    [
        (xp.ones(2), xp.Array, True),
        (np.ones(2), xp.Array, False),
        (1.0, float, True),
        (np.float64(1.0), float, False),
        ((xp.ones(1), 1), tuple[xp.Array, int], True),
        ((xp.ones(1),), tuple[xp.Array, int], False),
        ((xp.ones(1), np.ones(1)), tuple[xp.Array, ...], False),
        ([xp.ones(1)], list[xp.Array], True),
        ((xp.ones(1),), list[xp.Array], False),
        ({"a": 1}, dict[str, int], True),
        ({"a": "1"}, dict[str, int], False),
        (1, xp.Array | int, True),
        ("1", xp.Array | int, False),
        (np.dtype("f4"), np.dtype[np.generic], True),
        (np.ones(2), npt.NDArray[typing.Any], True),
        (xp.ones(2), npt.NDArray[typing.Any], False),
    ],
)
def test_what_fits(value, kind, right):
    assert fits(value, kind) is right
