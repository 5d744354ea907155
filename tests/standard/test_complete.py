"""Everything that the standard names is tested: its names against those of the tests.

What the standard names is what array-api-strict has: ``__all__`` of its namespace and of the
extensions, the members of its arrays, and of what ``__array_namespace_info__`` gives.
"""

import importlib
import inspect
import pathlib

import array_api_strict as strict
import pytest

import sharedarray as xp

from .compare import Strict, method

HERE = pathlib.Path(__file__).parent
# Of array-api-strict alone.
NOT_STANDARD = {
    "ArrayAPIStrictFlags",
    "Device",
    "__version__",
    "fft",
    "get_array_api_strict_flags",
    "linalg",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
}
COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
# Tested by functions of their own: the test that does it.
OWN = {
    "__array_api_version__": "test_inspection.test_version",
    "__array_namespace_info__": "test_inspection.test_dtypes",
    "from_dlpack": "test_creation.test_from_dlpack",
    "Array.__array__": "test_array_object.test_conversion_by_the_protocols_of_numpy",
    "Array.__array_namespace__": "test_array_object.test_namespace_of_an_array",
    "Array.__buffer__": "test_array_object.test_conversion_by_the_protocols_of_numpy",
    "Array.__dlpack__": "test_array_object.test_exchange_by_dlpack",
    "Array.__dlpack_device__": "test_array_object.test_exchange_by_dlpack",
    "Array.device": "test_array_object.test_device_of_an_array",
    "Array.to_device": "test_array_object.test_device_of_an_array",
}
DTYPES = {
    name: "test_data_types.test_types_are_those_of_arrays"
    for name in strict.__all__
    if isinstance(getattr(strict, name, None), strict._dtypes.DType)
}


class Empty:
    """What has nothing but what every class has."""

    member: int


def members(kind):
    """The public and the special names of a class."""
    known = set(dir(kind)) - set(dir(Empty)) - {"__slots__"}
    return {n for n in known if not n.startswith("_") or n.startswith("__")}


def functions(module):
    """The public functions of a module of array-api-strict, in ``__all__`` or not."""
    found = inspect.getmembers(module, inspect.isfunction)
    own = {n for n, f in found if f.__module__ == module.__name__ and not n.startswith("_")}
    return own.union(module.__all__)


def standard():
    """Every name of the standard, dotted."""
    names = set(strict.__all__) - NOT_STANDARD
    for extension in ("linalg", "fft"):
        names |= {f"{extension}.{n}" for n in functions(getattr(strict, extension))}
    names |= {f"Array.{n}" for n in members(Strict) | COMPARISONS}
    info = members(type(strict.__array_namespace_info__()))
    return names | {f"info.{n}" for n in info}


def chapters():
    """The modules of tests of this folder."""
    for path in sorted(HERE.glob("test_*.py")):
        if path.stem != "test_complete":
            yield importlib.import_module(f"{__package__}.{path.stem}")


def compared():
    """Every name that a chapter compares, with the chapters that do."""
    found = {}
    for module in chapters():
        for name in getattr(module, "CASES", ()):
            found.setdefault(name, []).append(module)
    return found


def known():
    """Every name that is tested."""
    names = set(compared()) | set(OWN) | set(DTYPES)
    for chapter, prefix in (("test_inspection", "info."), ("test_constants", "")):
        module = importlib.import_module(f"{__package__}.{chapter}")
        names |= {prefix + name for name in module.TESTED}
    return names


def untested(names):
    """Those of some names that nothing tests."""
    return sorted(names - known())


def test_everything_is_tested():
    assert untested(standard()) == []


def test_nothing_else_is_taken_for_the_standard():
    assert sorted(known() - standard()) == []


def test_a_function_without_a_test_is_seen():
    assert untested(standard() | {"new_function"}) == ["new_function"]
    assert untested(standard() | {"linalg.new", "Array.__new__", "info.new"}) == [
        "Array.__new__",
        "info.new",
        "linalg.new",
    ]


def test_the_names_are_many_and_from_every_part():
    names = standard()
    parts = {part: sum(n.startswith(part) for n in names) for part in ("linalg.", "fft.", "Array.")}
    assert parts["linalg."] >= 23
    assert parts["fft."] >= 14
    assert parts["Array."] >= 60
    assert len(names) - sum(parts.values()) >= 150


def test_tests_that_are_named_exist():
    for name in {*OWN.values(), *DTYPES.values()}:
        module, _, function = name.partition(".")
        assert callable(getattr(importlib.import_module(f"{__package__}.{module}"), function))


def test_cases_are_run_by_their_chapter():
    """A chapter with cases has the test that compares them, for each of them."""
    for module in chapters():
        if hasattr(module, "CASES"):
            (mark,) = [m for m in module.test_as_strict.pytestmark if m.name == "parametrize"]
            assert mark.args == ("name", sorted(module.CASES))


@pytest.mark.parametrize("name", sorted(standard()))
def test_the_name_is_there(name):
    """In this library, in the place where the standard has it."""
    owner, _, bare = name.rpartition(".")
    if owner == "Array":
        assert hasattr(xp.Array, bare) or bare == "__buffer__"
        assert f"Array.{bare}" in OWN or callable(method(bare))
    elif owner == "info":
        assert callable(getattr(xp.__array_namespace_info__(), bare))
    else:
        assert hasattr(getattr(xp, owner) if owner else xp, bare)
        assert owner or bare in xp.__all__
        assert not owner or bare in getattr(xp, owner).__all__
