"""
Pytest plugin: SciPy's array API tests, with ``sharedarray`` as their only backend.

``SCIPY_ARRAY_API=1 python -m pytest -p tests.consumers.scipy_plugin --pyargs scipy.fft``
"""

import os
import pathlib
import sys

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when SciPy is imported

import pytest

import sharedarray

from . import suites

# Backends that SciPy's conftest would import and set up although nothing runs on them here.
OTHERS = ("torch", "jax.numpy", "dask.array", "cupy")
FOUND = {name: sys.modules[name] for name in OTHERS if name in sys.modules}
sys.modules.update(dict.fromkeys(OTHERS))  # None: cannot be imported
try:
    import scipy.conftest
finally:
    for other in OTHERS:
        del sys.modules[other]
    sys.modules.update(FOUND)

from scipy._lib import _array_api  # noqa: E402


def _function(fixture):
    """Return the function that a fixture was made from."""
    return fixture._get_wrapped_function()


@pytest.fixture
def devices(xp):
    """List the devices: the standard makes them a tuple, SciPy 1.17 adds a list to them."""
    return [*xp.__array_namespace_info__().devices(), None]


scipy.conftest.xp_known_backends.add(suites.NAME)
scipy.conftest.xp = pytest.fixture(
    params=[pytest.param(sharedarray, id=suites.NAME, marks=pytest.mark.array_api_backends)],
    name="xp",
)(_function(scipy.conftest.xp))
scipy.conftest.devices = devices


class Suite(suites.Suite):
    """SciPy's tests with a parameter ``xp``."""

    def ours(self, item):
        """Return whether a test runs on our backend."""
        return "callspec" in vars(item) and item.callspec.params.get("xp") is sharedarray


def pytest_addoption(parser):
    """Add ``--expected`` and ``--figures``."""
    suites.add_options(parser, pathlib.Path(__file__).with_name("scipy_xfails.txt"))


def pytest_configure(config):
    """Register the suite, and count what its assertions compare."""
    suite = Suite(config)
    config.pluginmanager.register(suite, "sharedarray-suite")
    check = _array_api._strict_check

    def counting(actual, desired, *args, **kwargs):
        suite.count(actual)
        return check(actual, desired, *args, **kwargs)

    _array_api._strict_check = counting
    config.add_cleanup(lambda: setattr(_array_api, "_strict_check", check))
