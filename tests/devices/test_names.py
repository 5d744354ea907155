"""Device: names, equality, immutability."""

import copy
import pickle

import cloudpickle
import numpy as np
import pytest

import sharedarray as xp


@pytest.mark.parametrize(
    ("arguments", "text", "kind", "index"),
    [
        (("cpu",), "cpu", "cpu", None),
        (("cpu", None), "cpu", "cpu", None),
        (("cuda:0",), "cuda:0", "cuda", 0),
        (("cuda:17",), "cuda:17", "cuda", 17),
        (("cuda", 0), "cuda:0", "cuda", 0),
        (("cuda", 3), "cuda:3", "cuda", 3),
        (("cuda", np.int64(3)), "cuda:3", "cuda", 3),
        (("cuda",), "cuda:0", "cuda", 0),
        ((np.str_("cuda:1"),), "cuda:1", "cuda", 1),
    ],
)
def test_parts_of_a_device(arguments, text, kind, index):
    device = xp.Device(*arguments)
    assert str(device) == text
    assert f"{device}" == text
    assert device.type == kind
    assert device.index == index
    assert type(device.index) is type(index)
    assert repr(device) == f"Device('{text}')"


def test_a_device_of_a_device_is_the_same():
    for name in ("cpu", "cuda:1"):
        device = xp.Device(name)
        assert xp.Device(device) is device


def test_index_by_keyword():
    assert xp.Device("cuda", index=2) == "cuda:2"


def test_device_is_spelled_as_elsewhere():
    assert xp.device("cuda:1") == xp.Device("cuda:1")
    assert isinstance(xp.device("cpu"), xp.Device)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "cpu:0",
        "cpu:",
        "CPU",
        "gpu",
        "cuda:",
        "cuda:-1",
        "cuda:+1",
        "cuda:01",
        "cuda:0x1",
        "cuda:1.0",
        "cuda:0:1",
        "cuda0",
        "cuda: 0",
        " cuda:0",
        "cuda:0\n",
        "cpu\n",
        "cuda:١",
        "cuda:0\0",
        "Device('cpu')",
    ],
)
def test_malformed_names(name):
    with pytest.raises(ValueError, match="'cpu', 'cuda' or 'cuda:N'"):
        xp.Device(name)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("cuda", -1), "not negative"),
        (("cuda:0", 0), "has its index already"),
        (("cpu", 0), "without an index"),
    ],
)
def test_malformed_indices(arguments, match):
    with pytest.raises(ValueError, match=match):
        xp.Device(*arguments)
    with pytest.raises(ValueError, match="has its index already"):
        xp.Device(xp.Device("cuda:1"), 1)


@pytest.mark.parametrize("wrong", [None, 0, 1.5, b"cpu", ["cpu"], object(), True, ("cuda", 0)])
def test_other_types_are_no_device(wrong):
    with pytest.raises(TypeError, match="a device is a string"):
        xp.Device(wrong)


@pytest.mark.parametrize("wrong", ["0", 0.0, True, [0]])
def test_other_types_are_no_index(wrong):
    with pytest.raises(TypeError, match="index of a device is an integer"):
        xp.Device("cuda", wrong)


@pytest.mark.parametrize("name", ["cpu", "cuda:0", "cuda:7"])
def test_equal_to_its_string_and_of_equal_hash(name):
    device = xp.Device(name)
    assert device == name
    assert name == device
    assert (device != name) is False
    assert hash(device) == hash(name)
    assert {device: 1}[name] == 1
    assert {name: 1}[device] == 1
    assert device in {name}
    assert len({device, name, xp.Device(name)}) == 1


def test_unequal():
    assert xp.Device("cuda:0") != xp.Device("cuda:1")
    assert xp.Device("cuda:0") != "cuda:1"
    assert xp.Device("cuda:0") != "cuda"
    assert xp.Device("cpu") != "cuda:0"
    assert xp.Device("cuda:0") != 0
    assert xp.Device("cpu") != None  # noqa: E711


def test_immutable():
    device = xp.Device("cuda:1")
    for name, value in (("index", 2), ("type", "cpu"), ("other", 1), ("_text", "cpu")):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(device, name, value)
    with pytest.raises(AttributeError, match="cannot be changed"):
        del device.index
    assert device == "cuda:1"
    assert device.index == 1


@pytest.mark.parametrize("name", ["cpu", "cuda:0", "cuda:7"])
@pytest.mark.parametrize("library", [pickle, cloudpickle])
def test_pickles(name, library):
    device = xp.Device(name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = library.loads(library.dumps(device, protocol))
        assert again == device
        assert again.index == device.index
    assert copy.copy(device) is device
    assert copy.deepcopy([device])[0] is device
