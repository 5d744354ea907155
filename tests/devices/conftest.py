"""Machines for the tests: without a driver, and with cards that a stand-in backend computes on."""

import contextlib

import numpy as np
import pytest

from sharedarray import _device, _devices, _driver


class Backend:
    """Computes with NumPy and remembers what was asked of it."""

    namespace = np

    def __init__(self):
        self.waited = []

    def allocating(self, index):
        return contextlib.nullcontext()

    def synchronize(self, index):
        self.waited.append(index)

    def memory_summary(self, index):
        return f"cuda:{index}: all free"


class Placed:
    """An array of another library, on any device."""

    def __init__(self, device=None, dlpack=None):
        if device is not None:
            self.device = device
        if dlpack is not None:
            self.__dlpack_device__ = lambda: dlpack


@pytest.fixture
def no_driver(monkeypatch):
    monkeypatch.setattr(_driver, "LIBRARY", "libcuda-that-is-not-there.so.1")


@pytest.fixture
def two_cards(monkeypatch):
    """Two CUDA devices; gives the backend."""
    monkeypatch.setattr(_driver, "query", lambda: _driver.Driver(2, (13, 0), ""))
    backend = Backend()
    monkeypatch.setattr(_device, "_backends", {})
    monkeypatch.setattr(_device, "_providers", {})
    _devices.register("cuda", backend)
    return backend


@pytest.fixture
def cards_without_backend(monkeypatch):
    monkeypatch.setattr(_driver, "query", lambda: _driver.Driver(2, (13, 0), ""))
    monkeypatch.setattr(_device, "_backends", {})
    monkeypatch.setattr(_device, "_providers", {})
