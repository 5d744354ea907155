"""Which functions of the namespace CuPy has: looked for by name, without calling them."""

import pathlib
import re

import cupy
import pytest

import sharedarray as xp
from sharedarray._cuda_dispatch import name_of
from sharedarray._dispatch import Function

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "cuda.md"


def functions():
    """Every function of the namespace that computes with arrays."""
    found = {}
    for space in (xp, xp.linalg, xp.fft):
        for name in dir(space):
            one = None if name.startswith("_") else getattr(space, name)
            if isinstance(one, Function):
                found[name_of(one)] = one
    return found


@pytest.fixture
def lacking(backend):
    """The names that CuPy does not have."""
    names = []
    for name, function in functions().items():
        try:
            assert callable(backend.function(name, function)), name
        except NotImplementedError as error:
            assert str(error).startswith(f"{name}: CuPy {cupy.__version__}")
            names.append(name)
    return names


def test_every_function_of_the_standard_is_there(lacking):
    assert len(functions()) > 300
    assert set(lacking).isdisjoint(xp.__all__)
    assert not any(name.startswith("fft.") for name in lacking)
    assert {name for name in lacking if name.startswith("linalg.")} <= {"linalg.multi_dot"}


def test_the_page_lists_what_is_lacking(lacking):
    told = re.search(r"CuPy (\d+\.\d+) lacks ([^.;]*(?:`[^`]*`[^.;]*)+)", PAGE.read_text())
    assert told is not None
    if not cupy.__version__.startswith(f"{told[1]}."):
        pytest.skip(f"the page tells of CuPy {told[1]}, this is {cupy.__version__}")
    assert re.findall(r"`([\w.]+)`", told[2]) == sorted(lacking)


def test_dtypes_that_cupy_lacks_are_named(backend):
    for make in (xp.empty, xp.zeros, xp.ones):
        with pytest.raises(TypeError, match="objects"):
            make(3, dtype=object, device="cuda:0")
        for dtype in ("U3", "M8[s]"):
            with pytest.raises(NotImplementedError, match=r"CuPy \d.*dtype"):
                make(3, dtype=dtype, device="cuda:0")
