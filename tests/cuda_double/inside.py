"""Tests whose bodies run in a process that has the double for its driver."""

import functools
import importlib
import inspect
import os
import pathlib
from unittest import mock

import pytest

from tests.harness.worker import Worker

from . import beside_real_driver, environment, load

LEFT = "left behind"


def run_body(module, name, arguments, delayed):
    """Run the body of a test in this process, and check that it left nothing."""
    from .calls import control

    double = control()
    double.set_failures("")
    double.set_delay(delayed)
    getattr(importlib.import_module(module), name).body(**arguments)
    left, faults = double.counts(), double.faults()
    assert not left, f"{LEFT}: {left}, {faults}"


def has_driver():
    """Return whether this process has loaded a driver: its forked children could not use it."""
    return "/libcuda.so" in pathlib.Path("/proc/self/maps").read_text()


def find_double(method):
    """Load the double by its path in a process that started before it could be found."""
    if method == "fork":
        load()


class Doubles:
    """Workers that have the double for their driver, one for each group of settings."""

    def __init__(self):
        self._workers = {}

    def start(self, method=None, **settings):
        """Start a worker of its own: by fork, unless this process has a driver, or as asked."""
        method = method or ("spawn" if has_driver() else "fork")
        with mock.patch.dict(os.environ, environment(**settings)):
            worker = Worker(method)
        worker.call(find_double, method)
        return worker

    def run(self, function, arguments, settings):
        """Run the body of a test in the worker of those settings."""
        key = tuple(sorted(settings.items()))
        if key not in self._workers:
            self._workers[key] = self.start(**settings)
        worker = self._workers[key]
        delayed = settings.get("delayed", False)
        try:
            worker.call(run_body, function.__module__, function.__name__, arguments, delayed)
        except BaseException:
            del self._workers[key]
            worker.kill()
            raise

    def stop(self):
        """End all workers."""
        for worker in self._workers.values():
            worker.stop()


@pytest.fixture(scope="module")
def doubles():
    """Workers of the tests of a module."""
    if beside_real_driver():
        pytest.skip("the driver double does not run beside a real driver")
    made = Doubles()
    yield made
    made.stop()


def run_elsewhere(function, test, *names):
    """Make a test of `test`, which runs `function`; `names` are its parameters before those."""
    functools.update_wrapper(test, function)
    own = inspect.signature(function).parameters.values()
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = [inspect.Parameter(name, kind) for name in names]
    test.__signature__ = inspect.Signature([*first, *own])
    test.body = function
    del test.__wrapped__
    return test


def inside(**settings):
    """Run a test in a process that has the double with these settings of `environment`."""

    def decorate(function):
        def test(doubles, **arguments):
            doubles.run(function, arguments, settings)

        return run_elsewhere(function, test, "doubles")

    return decorate


BOTH = {"immediate": {}, "delayed": {"delayed": True}}


def inside_both(**settings):
    """Run a test in both modes: work at once, and work that waits for who waits for it."""

    def decorate(function):
        def test(doubles, mode, **arguments):
            doubles.run(function, arguments, {**settings, **BOTH[mode]})

        made = run_elsewhere(function, test, "doubles", "mode")
        return pytest.mark.parametrize("mode", BOTH)(made)

    return decorate
