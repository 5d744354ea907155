"""torch: DLPack in both directions, without copies."""

import warnings

import numpy as np
import pytest
import torch

import sharedarray as xp

from .common import check

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
VIEWS = [..., slice(None, None, 2), (slice(None), 1), (slice(1, 3), slice(None, None, 3))]


@pytest.mark.parametrize("dtype", DTYPES)
def test_to_torch(dtype):
    x = xp.asarray(np.arange(12).reshape(3, 4), dtype=dtype)
    tensor = torch.from_dlpack(x)
    assert str(tensor.dtype) == f"torch.{dtype}"
    assert tensor.data_ptr() == x.storage().data_ptr()
    assert tensor.tolist() == x.tolist()
    tensor[0, 1] = 0
    assert x[0, 1] == 0
    assert xp.is_shared(tensor)


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_torch(dtype):
    tensor = torch.arange(12).reshape(3, 4).to(getattr(torch, dtype))
    x = xp.from_dlpack(tensor)
    assert x.dtype == dtype
    assert x.tolist() == tensor.tolist()
    x[0, 1] = 0
    assert tensor[0, 1] == 0
    assert not x.is_shared()
    copied = xp.from_dlpack(tensor, copy=True)
    assert copied.is_shared()
    check(xp.asarray(tensor), tensor.numpy())


@pytest.mark.parametrize("view", VIEWS)
def test_views_keep_their_strides(view):
    x = xp.asarray(np.arange(24.0).reshape(4, 6))[view]
    tensor = torch.from_dlpack(x)
    assert tensor.stride() == tuple(step // 8 for step in x.strides)
    assert tensor.tolist() == x.tolist()
    back = xp.from_dlpack(tensor)
    assert back.is_shared()
    back += 1
    assert x.tolist() == back.tolist() == tensor.tolist()


def test_there_and_back_is_the_same_storage():
    x = xp.arange(6.0)
    back = xp.from_dlpack(torch.from_dlpack(x))
    assert back.storage() is x.storage()
    assert back.storage().id == x.storage().id


def test_the_tensor_keeps_the_memory():
    tensor = torch.from_dlpack(xp.full(1000, 7.0))
    xp.full(1000, 1.0)
    assert tensor.sum() == 7000


def test_what_torch_computed_in_place_is_seen_in_a_child(worker):
    x = xp.asarray(np.arange(6.0).reshape(2, 3))
    tensor = torch.from_dlpack(x)
    torch.nn.init.constant_(tensor, 2.0)
    got = worker.get("x.sum()", x=x)
    assert float(got) == 12.0
    worker.run("x += 1", x=x)
    assert tensor.tolist() == [[3.0] * 3] * 2


def test_tensors_made_from_arrays():
    x = xp.asarray([1.0, 2.0])
    for make in (torch.tensor, torch.as_tensor):
        assert make(x).tolist() == [1.0, 2.0]
        assert make(x[None, :]).tolist() == [[1.0, 2.0]]
    assert torch.from_numpy(x.numpy()).data_ptr() == x.storage().data_ptr()


@pytest.mark.xfail(strict=True, reason="torch.asarray reads any buffer as float32 numbers")
def test_torch_asarray():
    assert torch.asarray(xp.asarray([1.0, 2.0])).tolist() == [1.0, 2.0]


@pytest.mark.xfail(strict=True, reason="torch passes over DLPack's read-only flag, NumPy's too")
def test_what_is_read_only():
    x = xp.zeros(2).readonly()
    torch.from_dlpack(x)[0] = 1.0
    assert x.tolist() == [0.0, 0.0]


def test_a_tensor_that_requires_a_gradient():
    with pytest.raises(BufferError, match="gradient"):
        xp.from_dlpack(torch.ones(2, requires_grad=True))


def test_device_of():
    assert xp.device_of(torch.ones(2)) == xp.Device("cpu")
    assert xp.device_of(torch.nn.Linear(2, 2)) == xp.Device("cpu")


def test_training_on_shared_memory():
    """Parameters whose memory is an Array's are trained in place."""
    weights = xp.zeros((1, 2))
    model = torch.nn.Linear(2, 1, bias=False)
    model.weight = torch.nn.Parameter(torch.from_dlpack(weights))
    inputs = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    wanted = torch.tensor([[2.0], [-1.0]], dtype=torch.float64)
    for _ in range(60):
        model.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), wanted).backward()
        with torch.no_grad():
            model.weight -= 0.5 * model.weight.grad
    np.testing.assert_allclose(weights, [[2.0, -1.0]], atol=1e-3)


@pytest.mark.parametrize(
    "change",
    [
        lambda tensor: tensor.requires_grad_(),
        lambda tensor: tensor.view(torch.bfloat16),
        lambda tensor: tensor.view(torch.complex64).conj(),
        lambda tensor: torch.nn.Parameter(tensor)[1:],
    ],
)
def test_tensors_that_numpy_cannot_read_are_told_by_address(change):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = xp.ones(4, dtype=xp.float32)
        assert xp.is_shared(change(torch.from_dlpack(x)))
        assert not xp.is_shared(change(torch.ones(4)))
        assert xp.is_shared(change(torch.ones(4).share_memory_()))  # its own answer
