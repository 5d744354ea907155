"""Well-known programs, written for NumPy: the same results with this library, in both modes."""

import importlib.util
import pathlib

import numpy as np
import pytest

import sharedarray as xp
from tests.swap_in.compare import faults, ours_in

PATHS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "numeric").glob("*.py"))


def loaded(path):
    """The module of a program."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compared(run, mode):
    """What differs between the results of a program with NumPy and with this library."""
    expected = run(np)
    with xp.memory(mode):
        got = run(xp)
    return list(faults(got, expected, array_faults=ours_in(mode == "shared")))


def test_there_are_ten():
    assert len(PATHS) >= 10


@pytest.mark.parametrize("mode", ["shared", "private"])
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_results_are_numpys(path, mode):
    assert compared(loaded(path).run, mode) == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_prints_what_it_prints_with_numpy(path, capsys):
    printed = []
    for namespace in (np, xp):
        loaded(path).main(namespace)
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].count("\n") > 1


def test_a_planted_difference_is_found():
    def run(np):
        return {"sum": np.ones(3).sum() + hasattr(np, "is_shared") * 1e-15}

    assert "the result['sum'] is Array(3." in compared(run, "shared")[0]


def test_a_result_that_is_not_shared_is_found():
    def run(np):
        return {"x": np.asarray(np.zeros(3))} if np is not xp else {"x": private}

    with xp.memory("private"):
        private = xp.zeros(3)
    assert compared(run, "shared") == ["the result['x'].is_shared() is False"]
