"""array-api-compat: what it finds out about an Array."""

import array_api_compat as compat
import numpy as np
import pytest

import sharedarray as xp


def test_the_namespace_is_found():
    x = xp.ones(3)
    assert compat.array_namespace(x) is xp
    assert compat.array_namespace(x, 1.0, None, x) is xp
    assert compat.array_namespace(x, api_version="2022.12") is xp
    assert compat.get_namespace(x) is xp
    with pytest.raises(TypeError, match="Multiple namespaces"):
        compat.array_namespace(x, np.ones(3))


def test_kinds():
    x = xp.ones(3)
    assert compat.is_array_api_obj(x)
    for other in ("numpy", "torch", "cupy", "jax", "dask", "pydata_sparse", "ndonnx"):
        assert not getattr(compat, f"is_{other}_array")(x), other
    for other in ("numpy", "torch", "cupy", "jax", "dask", "pydata_sparse", "array_api_strict"):
        assert not getattr(compat, f"is_{other}_namespace")(xp), other
    assert compat.is_writeable_array(x)
    assert not compat.is_lazy_array(x)
    assert not compat.is_lazy_array(xp.empty(0))


def test_device_and_size():
    x = xp.ones((3, 4))
    assert compat.device(x) == xp.Device("cpu")
    assert compat.to_device(x, "cpu").tolist() == x.tolist()
    assert compat.to_device(x, compat.device(x)).is_shared()
    assert compat.size(x) == 12
    assert compat.size(xp.asarray(1.0)) == 1
    assert compat.size(xp.empty((0, 3))) == 0


def test_the_version_of_the_standard():
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert xp.ones(1).__array_namespace__(api_version=version) is xp
