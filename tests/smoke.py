"""Used by the tests of the builds: does an installed package work? The argument is its folder."""

import importlib.metadata
import multiprocessing
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor

import sharedarray as xp


def double(array):
    """Double an array in the process that receives it."""
    array *= 2


def main(where, installed):
    """Check that the package was imported from `where`, computes and shares."""
    assert pathlib.Path(xp.__file__).parent == pathlib.Path(where), xp.__file__
    array = xp.arange(1000.0)
    assert array.is_shared()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        pool.submit(double, array).result(60)
    assert float(xp.sum(array)) == 999000.0
    if installed:
        assert importlib.metadata.version("sharedarray-xp") == xp.__version__
        (entry,) = importlib.metadata.entry_points(group="array_api", name="sharedarray")
        assert entry.load() is xp
    print("works")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] == "installed")
