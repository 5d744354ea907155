"""Machines for the tests: without a driver, and with cards that a stand-in backend computes on."""

import pytest

from sharedarray import _backends, _driver


class Backend:
    """Remembers what was asked of it."""

    def __init__(self):
        self.waited = []

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
    monkeypatch.setattr(_backends, "_backends", {"cuda": backend})
    monkeypatch.setattr(_backends, "_providers", {})
    return backend


@pytest.fixture
def cards_without_backend(monkeypatch):
    monkeypatch.setattr(_driver, "query", lambda: _driver.Driver(2, (13, 0), ""))
    monkeypatch.setattr(_backends, "_backends", {})
    monkeypatch.setattr(_backends, "_providers", {})
