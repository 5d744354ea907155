"""device_of: arrays of any library, storages, and objects that hold arrays."""

import types

import array_api_strict
import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _devices

from .conftest import Placed

ARRAYS = [
    lambda: xp.ones(3),
    lambda: xp.ones((2, 3))[1:, ::2],
    lambda: xp.asarray(3.5),
    lambda: xp.empty(0),
    lambda: xp.ones(3).readonly(),
]


@pytest.mark.parametrize("make", ARRAYS)
def test_arrays_and_storages(make, capsys):
    x = make()
    assert xp.device_of(x) == x.device == "cpu"
    assert isinstance(xp.device_of(x), xp.Device)
    assert xp.device_of(x.storage()) == x.device
    print(xp.device_of(x))
    assert capsys.readouterr().out == "cpu\n"
    assert x.to_device(xp.device_of(xp.ones(1))).device == x.device


@pytest.mark.parametrize("make", ARRAYS)
def test_as_a_context_it_is_where_arrays_are_made(make):
    x = make()
    with xp.device_of(x):
        assert xp.zeros(3).device == x.device
        with xp.device_of(x):
            assert xp.zeros(3).device == x.device
    assert _devices.default() == "cpu"


def test_a_cpu_array_brings_the_cpu_back_into_force(two_cards):
    x = xp.ones(3)
    with xp.Device("cuda:1"):
        with xp.device_of(x):
            assert xp.zeros(3).device == x.device == "cpu"
        assert _devices.default() == "cuda:1"


@pytest.mark.parametrize(
    "other",
    [
        np.ones(3),
        np.float64(2.5),
        np.ones(3).view(np.recarray),
        np.array(["a"]),
        array_api_strict.ones(3),
    ],
    ids=lambda x: type(x).__name__,
)
def test_other_libraries(other):
    assert xp.device_of(other) == "cpu"


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        (Placed(dlpack=(1, 0)), "cpu"),
        (Placed(dlpack=(3, 0)), "cpu"),  # pinned memory of the host
        (Placed(dlpack=(2, 1)), "cuda:1"),
        (Placed(dlpack=(13, 2)), "cuda:2"),  # managed memory
        (Placed(device="cuda:3"), "cuda:3"),
        (Placed(device="cpu"), "cpu"),
        (Placed(device=types.SimpleNamespace(type="cuda"), dlpack=(2, 5)), "cuda:5"),
        (Placed(device=xp.Device("cuda:4"), dlpack=(1, 0)), "cuda:4"),
    ],
)
def test_what_an_array_says(placed, expected):
    device = xp.device_of(placed)
    assert isinstance(device, xp.Device)
    assert device == expected


def test_a_device_object_of_another_library():
    class Torchlike:
        def __str__(self):
            return "cuda:1"

    assert xp.device_of(Placed(device=Torchlike())) == "cuda:1"


def test_it_tells_also_what_does_not_exist_here(no_driver):
    assert xp.device_of(Placed(dlpack=(2, 9))) == "cuda:9"


def test_an_array_that_dlpack_cannot_describe():
    class Odd:
        device = "cuda:1"

        def __dlpack_device__(self):
            raise BufferError("not me")

    assert xp.device_of(Odd()) == "cuda:1"


# Objects that hold arrays.


class Module:
    def __init__(self, *values):
        self.values = values
        self.lr = 0.1

    def parameters(self):
        return iter(self.values)


def test_parameters():
    assert xp.device_of(Module(xp.ones(2), xp.zeros(3))) == "cpu"
    assert xp.device_of(Module(Placed(dlpack=(2, 1)), Placed(device="cuda:1"))) == "cuda:1"


def test_parameters_by_name():
    model = types.SimpleNamespace(parameters=lambda: {"weight": xp.ones(2), "name": "x"})
    assert xp.device_of(model) == "cpu"


def test_parameters_that_disagree_are_named():
    model = Module(xp.ones(2), Placed(device="cuda:1"))
    with pytest.raises(ValueError, match=r"parameters\(\)\[0\] on cpu, parameters\(\)\[1\] on cud"):
        xp.device_of(model)


def test_attributes():
    held = types.SimpleNamespace(weight=xp.ones(2), bias=np.ones(2), name="n", none=None, kind=int)
    assert xp.device_of(held) == "cpu"


def test_attributes_that_disagree_are_named():
    held = types.SimpleNamespace(weight=Placed(device="cuda:1"), bias=xp.ones(2))
    with pytest.raises(ValueError, match="weight on cuda:1, bias on cpu"):
        xp.device_of(held)


def test_numbers_among_attributes_have_no_place():
    held = types.SimpleNamespace(weight=Placed(device="cuda:1"), rate=np.float64(0.1), n=3)
    assert xp.device_of(held) == "cuda:1"


def test_no_parameters_but_attributes():
    held = Module()
    held.weight = xp.ones(2)
    assert xp.device_of(held) == "cpu"
    held = types.SimpleNamespace(parameters=lambda needed: None, weight=xp.ones(2))
    assert xp.device_of(held) == "cpu"
    held = types.SimpleNamespace(parameters=lambda: None, weight=xp.ones(2))
    assert xp.device_of(held) == "cpu"


def test_an_error_in_parameters_is_not_hidden():
    class Broken:
        def parameters(self):
            raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        xp.device_of(Broken())


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        "cpu",
        None,
        [1, 2],
        {},
        int,
        np.ndarray,
        Module,
        object(),
        types.SimpleNamespace(),
        types.SimpleNamespace(device="/dev/sda"),
        types.SimpleNamespace(device=0),
        types.SimpleNamespace(device=lambda: "cpu"),
        Placed(dlpack=(7, 0)),  # Vulkan
        Module(),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else type(x).__name__,
)
def test_no_device(wrong):
    with pytest.raises(TypeError, match="no device found"):
        xp.device_of(wrong)
