"""Tests below `on_device` need CUDA devices: a card, or the driver double (`test_on_double.py`)."""

from sharedarray import _devices

collect_ignore_glob = [] if _devices.count() else ["on_device/*"]
