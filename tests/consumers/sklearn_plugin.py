"""
Pytest plugin: scikit-learn's array API tests, with ``sharedarray`` as their only namespace.

``SCIPY_ARRAY_API=1 python -m pytest -p tests.consumers.sklearn_plugin --pyargs sklearn.utils``
"""

import os
import pathlib

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when SciPy is imported; exactly 1 here

from sklearn import get_config
from sklearn.utils import _array_api

from . import suites

OURS = _array_api.NamespaceAndDevice(suites.NAME, "cpu")
NUMPY = _array_api.NamespaceAndDevice("numpy", None)


def yield_namespaces(include_numpy_namespaces=True):
    """Yield our name, in place of scikit-learn's list."""
    yield suites.NAME


def yield_namespace_device_dtype_combinations(include_numpy_namespaces=True):
    """Yield namespace, device and dtype: both precisions, and the defaults."""
    yield suites.NAME, None, None
    yield suites.NAME, "cpu", "float64"
    yield suites.NAME, "cpu", "float32"


def yield_mixed_namespace_input_permutations():
    """Yield pairs of namespaces between which inputs are moved."""
    yield OURS, NUMPY, f"{suites.NAME} to numpy"
    yield NUMPY, OURS, f"numpy to {suites.NAME}"


# Test modules import these by name, so they are replaced before any is collected.
_array_api.yield_namespaces = yield_namespaces
_array_api.yield_namespace_device_dtype_combinations = yield_namespace_device_dtype_combinations
_array_api.yield_mixed_namespace_input_permutations = yield_mixed_namespace_input_permutations


def names_ours(value):
    """Return whether a parameter of a test names our namespace."""
    if isinstance(value, tuple):
        return any(map(names_ours, value))
    if isinstance(value, str):
        return value == suites.NAME
    keywords = getattr(value, "keywords", None)  # a check: functools.partial
    return bool(keywords) and any(map(names_ours, keywords.values()))


class Suite(suites.Suite):
    """scikit-learn's tests and checks with a parameter that names our namespace."""

    def ours(self, item):
        """Return whether a test runs on our namespace."""
        return "callspec" in vars(item) and any(map(names_ours, item.callspec.params.values()))


def pytest_addoption(parser):
    """Add ``--expected`` and ``--figures``."""
    suites.add_options(parser, pathlib.Path(__file__).with_name("sklearn_xfails.txt"))


def pytest_configure(config):
    """Register the suite, and count the arrays that scikit-learn finds its namespaces by."""
    suite = Suite(config)
    config.pluginmanager.register(suite, "sharedarray-suite")
    find = _array_api._remove_non_arrays

    def counting(*arrays, **kwargs):
        if get_config()["array_api_dispatch"]:
            suite.count(*arrays)
        return find(*arrays, **kwargs)

    _array_api._remove_non_arrays = counting
    config.add_cleanup(lambda: setattr(_array_api, "_remove_non_arrays", find))
