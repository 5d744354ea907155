"""CuPy as what computes on the devices of the driver double."""

import os
import types

import pytest

# Other processes have no double, or no CuPy: `python -m tests.cupy` starts one that has.
if "CUDA_DOUBLE_DEVICES" in os.environ:
    import sharedarray as xp
    from sharedarray import _backends, _cuda, _cuda_backend, _cuda_blocks, _cuda_cupy, _driver

    CupyBackend = _cuda_cupy.CupyBackend
else:
    collect_ignore_glob = ["test_*.py"]
    CupyBackend = object


class Runtime:
    """The functions of the CUDA runtime that an operation needs to be begun."""

    def __init__(self):
        self.current = 0

    def getDevice(self):
        """Number of the current device."""
        return self.current

    def setDevice(self, index):
        """Make another device current."""
        self.current = index


class Backend(CupyBackend):
    """CuPy, but for the current stream: CuPy asks the runtime for that."""

    def stream(self, index):
        """The default stream."""
        return 0


@pytest.fixture
def runtime(monkeypatch):
    """The current device."""
    found = Runtime()
    monkeypatch.setattr(_cuda_cupy, "runtime", found)
    return found


@pytest.fixture
def backend(runtime, monkeypatch):
    """CuPy as what computes; arrays of this library are over its arrays."""
    with monkeypatch.context() as patch:  # the choice that is made where there is a driver
        patch.setattr(_driver, "is_double", lambda: False)
        patch.setattr(_cuda_cupy, "CupyBackend", Backend)
        made = _cuda_backend.Cuda().load()
    assert type(made) is Backend
    monkeypatch.setitem(_backends._backends, "cuda", made)
    return made


@pytest.fixture
def blocks(backend):
    """What allocates device memory; at the end of a test all of it is free again."""
    _cuda.start()
    xp.empty_cache()
    before = {i: xp.memory_stats().get(f"cuda:{i}", {}).get("allocated", 0) for i in (0, 1)}
    yield types.SimpleNamespace(
        allocate=_cuda_blocks.allocate,
        allocated=lambda i: xp.memory_stats()[f"cuda:{i}"]["allocated"] - before[i],
    )
    for i in (0, 1):
        left = xp.memory_stats().get(f"cuda:{i}", {}).get("allocated", 0) - before[i]
        assert left == 0, f"{left} bytes of cuda:{i} are left"
