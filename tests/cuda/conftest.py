"""Tests below `on_device` need CUDA devices: a card, or the driver double (`test_on_double.py`).

All of this runs on a card too, in `make gpu`, but for what needs more devices than there are, or
the double's own functions.
"""

import inspect
import pathlib

import pytest

from sharedarray import _devices

from .machines import ON_CARD

HERE = pathlib.Path(__file__).parent
collect_ignore_glob = [] if _devices.count() else ["on_device/*"]


def reason_to_skip(source, devices):
    """Why a test with this source cannot run on a card; nothing if it can."""
    if devices < 2 and "cuda:1" in source:
        return "this machine has one CUDA device"
    if "COUNTS" in source or "cuda_double" in source:
        return "the driver double counts and fails to order, a driver does not"
    return ""


def pytest_collection_modifyitems(items):
    """Mark what runs on a card, and skip there what cannot."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("gpu")
            if ON_CARD and (why := reason_to_skip(inspect.getsource(item.function), devices())):
                item.add_marker(pytest.mark.skip(reason=why))


def devices():
    """How many devices there are."""
    return _devices.count()
