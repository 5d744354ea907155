"""The reader of stubs finds `Any` and missing types, and nothing else."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import loose_types  # noqa: E402

FAULTLESS = {
    "__init__.pyi": """
from typing import Any, Literal
import numpy as np
from . import sub as sub
from ._array import Array, _Axes
from ._names import *

__all__ = ["Array", "total"]

def total(x: np.dtype[Any], /, *, axis: _Axes = None) -> Array: ...
def _hidden(x: Any) -> Any: ...
mode: Literal["Any"]
""",
    "_array.pyi": """
from typing import Any, TypeAlias
import numpy.typing as npt
from ._mere import helper

_Axes: TypeAlias = int | None

class Array:
    shape: tuple[int, ...]
    def __add__(self, other: object, /) -> Array: ...
    def numpy(self) -> npt.NDArray[Any]: ...
    @staticmethod
    def of(size: int) -> Array: ...
    def _own(self, x: Any): ...

def unwrap(x: Any) -> Any: ...
""",
    "_mere.py": "def helper(x): return x",
    "_names.pyi": "def sine(x: float) -> float: ...",
    "_private.pyi": "from typing import Any\ndef use(x: Any) -> Any: ...",
    "sub/__init__.py": "from .._sets import Result",
    "_sets.py": """
class Result:
    count: "int"
    def __init__(self):
        self.count = 0
    def double(self) -> int:
        return 2 * self.count
def used(x):
    return x
""",
    "__main__.py": "def main(x): return x",
}


@pytest.fixture
def package(tmp_path):
    """A small package without faults."""
    for name, text in FAULTLESS.items():
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "package/_mere.pyi").write_text("def helper(x: int) -> int: ...")
    assert loose_types.faults(tmp_path / "package") == []
    return tmp_path / "package"


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("__init__.pyi", "axis: _Axes", "axis: Any", "total: axis is Any"),
        ("__init__.pyi", "-> Array: ...\ndef _h", "-> list[Any]: ...\ndef _h", "the result is Any"),
        ("__init__.pyi", "x: np.dtype[Any], /", "x, /", "total: x has no type"),
        ("__init__.pyi", 'Literal["Any"]', "dict[str, Any]", "mode: is Any"),
        ("_array.pyi", "other: object", "other: 'Any'", "Array.__add__: other is Any"),
        ("_array.pyi", "-> npt.NDArray[Any]", "-> npt.NDArray[Any] | Any", "Array.numpy: the res"),
        ("_array.pyi", "of(size: int)", "of(size)", "Array.of: size has no type"),
        ("_array.pyi", "tuple[int, ...]", "Any", "Array.shape: is Any"),
        ("_array.pyi", "TypeAlias = int", "TypeAlias = Any", "_Axes: is Any"),
        ("_mere.pyi", "-> int", "", "helper: the result has no type"),
        ("_names.pyi", "x: float", "*x: typing.Any", "sine: x is Any"),
        (
            "_sets.py",
            "double(self) -> int",
            "double(self)",
            "Result.double: the result has no type",
        ),
        ("_sets.py", "__init__(self)", "__init__(self, x)", "Result.__init__: x has no type"),
    ],
)
def test_faults_are_told(package, name, old, new, told):
    text = (package / name).read_text()
    assert text.count(old) == 1
    (package / name).write_text(text.replace(old, new))
    faults = loose_types.faults(package)
    assert any(told in fault and name in fault for fault in faults), faults


def test_users_see_no_loose_types():
    assert loose_types.faults() == []


def test_what_users_see():
    seen = loose_types.seen(loose_types.PACKAGE)
    assert seen["linalg"] is None
    assert "Array" in seen["_array"]
    assert "__main__" not in seen
    assert "_cli" not in seen
