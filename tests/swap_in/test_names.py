"""The tables name every public function, method and attribute of NumPy, or say why not."""

import ast
import inspect

import numpy

from . import names
from .calls import CALLS
from .compare import OLDER, place, ways
from .names import EXCLUDED, UNUSED, public


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
    if name.startswith(
        ("ndarray.", "random.Generator.", "random.RandomState.", "lib.recfunctions.")
    ):
        return last in mentioned(call)
    return dotted in mentioned(call) or name in names.INDIRECT


def test_calls_are_about_their_name():
    assert [name for name, calls in CALLS.items() if not calls] == []
    wrong = [(name, c) for name, calls in CALLS.items() for c in calls if not about(name, c)]
    assert wrong == []


def parameters(name):
    """The named parameters of a function or method of NumPy, where it tells them."""
    holder, function = place(name)
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    if isinstance(holder, type):
        found = found[1:]
    return [p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def unused(name, calls):
    """The parameters of a function that none of its calls passes."""
    named = parameters(name)
    places = [p.name for p in named if p.kind is not p.KEYWORD_ONLY]
    passed = set()
    for call in calls:
        for node in ast.walk(ast.parse(call)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                f".{name.rpartition('.')[2]}"
            ):
                passed |= {*places[: len(node.args)], *(k.arg for k in node.keywords)}
    left = [p.name for p in named if p.name not in passed]
    return [p for p in left if p not in UNUSED and f"{name} {p}" not in UNUSED]


def test_every_parameter_is_passed():
    """Of functions; operators have none to pass, classes are of many kinds, NumPy changes."""
    checked = {
        name: calls
        for name, calls in CALLS.items()
        if not name.startswith(("ndarray.__", "lib.recfunctions."))
        and ways(name)
        and not OLDER
        and not isinstance(place(name)[1], type)
    }
    left = {name: unused(name, calls) for name, calls in checked.items()}
    assert {name: names for name, names in left.items() if names} == {}


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

    def test_a_parameter_that_is_not_passed(self):
        assert unused("ptp", ["np.ptp(m, 0)", "np.ptp(m, out=w)"]) == ["keepdims"]
        assert unused("repeat", ["np.repeat(m, 2)", "np.tile(m, axis=1)"]) == ["axis"]

    def test_a_call_of_something_else(self):
        assert about("sin", "np.sin(v)")
        assert not about("sin", "np.cos(v)")
        assert not about("ndarray.sum", "v.mean()")
