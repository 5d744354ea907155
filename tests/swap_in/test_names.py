"""The tables name every public function, method and attribute of NumPy, or say why not."""

import ast

import numpy

from . import names
from .calls import CALLS
from .names import EXCLUDED, public


def faults(called, excluded):
    """Say which names are in neither list, or in both, or unknown to NumPy."""
    known = public()
    found = [f"{name}: in no list" for name in known if name not in called and name not in excluded]
    found += [f"{name}: in both lists" for name in sorted(set(called) & set(excluded))]
    unknown = (set(called) | set(excluded)) - set(known) - names.OTHER_VERSIONS
    return found + [f"{name}: no name of NumPy" for name in sorted(unknown)]


def test_every_name_is_in_one_list():
    assert faults(CALLS, EXCLUDED) == []


def test_every_exclusion_has_its_reason():
    assert all(len(reason.split()) > 3 for reason in EXCLUDED.values())


def mentioned(call):
    """The dotted names and the last attributes that a call asks for, and its operators."""
    found = set()
    for node in ast.walk(ast.parse(call)):
        if isinstance(node, ast.Attribute):
            found |= {ast.unparse(node), node.attr}
        found.add(type(node).__name__)
    return found


def about(name, call):
    """Whether a call asks for the function that it stands under."""
    if name.startswith("ndarray.__"):
        return True
    dotted, last = f"np.{name}", name.rpartition(".")[2]
    if name.startswith(("ndarray.", "random.Generator.", "random.RandomState.", "lib.recfunctions.")):
        return last in mentioned(call)
    return dotted in mentioned(call) or name in names.INDIRECT


def test_calls_are_about_their_name():
    assert [name for name, calls in CALLS.items() if not calls] == []
    wrong = [(name, c) for name, calls in CALLS.items() for c in calls if not about(name, c)]
    assert wrong == []


class TestPlantedFaults:
    """The checks find what they are for."""

    def test_a_missing_name(self):
        called = {name: calls for name, calls in CALLS.items() if name != "einsum"}
        assert faults(called, EXCLUDED) == ["einsum: in no list"]

    def test_a_missing_method(self):
        called = {name: calls for name, calls in CALLS.items() if name != "ndarray.cumsum"}
        assert faults(called, EXCLUDED) == ["ndarray.cumsum: in no list"]

    def test_a_new_function_of_numpy(self, monkeypatch):
        monkeypatch.setattr(numpy.linalg, "__all__", [*numpy.linalg.__all__, "newest"])
        assert faults(CALLS, EXCLUDED) == ["linalg.newest: in no list"]

    def test_a_name_in_both_lists(self):
        assert faults(CALLS, EXCLUDED | {"sin": "because it is"}) == ["sin: in both lists"]

    def test_a_name_that_numpy_has_not(self):
        assert faults(CALLS | {"sinn": ["np.sinn(v)"]}, EXCLUDED) == ["sinn: no name of NumPy"]

    def test_a_call_of_something_else(self):
        assert about("sin", "np.sin(v)")
        assert not about("sin", "np.cos(v)")
        assert not about("ndarray.sum", "v.mean()")
