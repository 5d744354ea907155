"""What stubs say that NumPy's functions by name return is what their calls return."""

import ast
import builtins
import pathlib
import typing

import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _decompositions, _sets
from tests.swap_in.calls import CHAPTERS
from tests.swap_in.compare import outcome

from .test_programs import fits

PACKAGE = pathlib.Path(xp.__file__).parent
STUBS = {
    "": ("__init__", "_numpy_names", "_numpy_objects", "_numpy_polynomials"),
    "char.": ("char",),
    "ctypeslib.": ("ctypeslib",),
    "emath.": ("emath",),
    "fft.": ("fft",),
    "lib.recfunctions.": ("lib/recfunctions",),
    "lib.stride_tricks.": ("lib/stride_tricks",),
    "linalg.": ("linalg",),
    "strings.": ("strings",),
}
NAMES = {
    **{name: kind for name, kind in vars(_sets).items() if name.endswith("Result")},
    **{name: kind for name, kind in vars(_decompositions).items() if name.endswith("Result")},
    **vars(builtins),
    "Any": typing.Any,
    "Array": xp.Array,
    "Literal": typing.Literal,
    "builtins": builtins,
    "np": np,
    "npt": np.typing,
    "_T": typing.Any,
    "_Records": xp.Array | np.ndarray,
}


def results():
    """The annotations of results, by the dotted name of the function."""
    found = {}
    for prefix, stubs in STUBS.items():
        for stub in stubs:
            for node in ast.parse((PACKAGE / f"{stub}.pyi").read_text()).body:
                if isinstance(node, ast.FunctionDef):
                    kinds = found.setdefault(prefix + node.name, [])
                    kinds.append(ast.unparse(node.returns))
                elif isinstance(node, ast.AnnAssign) and "Ufunc" in ast.unparse(node.annotation):
                    _, _, kind = ast.unparse(node.annotation).partition("[")
                    found[prefix + ast.unparse(node.target)] = [kind.removesuffix("]") or "Array"]
    return found


pytestmark = pytest.mark.slow
RESULTS = results()


def calls_of(chapter):
    """The calls that are of a function, and nothing more."""
    for name, calls in CHAPTERS[chapter].items():
        for call in calls if name in RESULTS else ():
            last = ast.parse(call).body[-1].value
            if isinstance(last, ast.Call) and ast.unparse(last.func) == f"np.{name}":
                yield name, call


def loose(name, call, kinds):
    """A sentence if a call returns what no annotation says; nothing if it cannot be made here."""
    made = outcome(call, xp, xp)
    if made.error is not None or any(
        fits(made.value, eval(kind, NAMES) or type(None)) for kind in kinds
    ):
        return None
    return f"{name}: {call} returns {made.value!r}, not {' or '.join(kinds)}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_calls_return_what_the_stubs_say(chapter):
    found = [loose(name, call, RESULTS[name]) for name, call in calls_of(chapter)]
    assert not list(filter(None, found))


def test_most_functions_are_looked_at():
    assert len({name for chapter in CHAPTERS for name, _ in calls_of(chapter)}) > 400


def test_a_wrong_annotation_is_told():
    call = "np.sum(v)"
    assert loose("sum", call, ["Array"]) is None
    assert "not float" in loose("sum", call, ["float"])
