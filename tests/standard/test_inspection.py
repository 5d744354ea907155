"""``__array_namespace_info__``, against array-api-strict."""

import array_api_strict as strict
import pytest

import sharedarray as xp

OURS, THEIRS = xp.__array_namespace_info__(), strict.__array_namespace_info__()
KINDS = [
    None,
    "bool",
    "signed integer",
    "unsigned integer",
    "integral",
    "real floating",
    "complex floating",
    "numeric",
    ("bool", "real floating"),
    ("integral", "integral"),
    (),
]
# The members that the tests of this file are about.
TESTED = {"capabilities", "default_device", "default_dtypes", "devices", "dtypes"}


def named(types):
    """Data types by name, as NumPy's."""
    return {name: getattr(t, "_np_dtype", t) for name, t in types.items()}


def test_capabilities():
    assert OURS.capabilities() == THEIRS.capabilities()


def test_default_dtypes():
    assert named(OURS.default_dtypes()) == named(THEIRS.default_dtypes())
    for device in (None, "cpu", *OURS.devices()):
        assert OURS.default_dtypes(device=device) == OURS.default_dtypes()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_dtypes(kind):
    assert named(OURS.dtypes(kind=kind)) == named(THEIRS.dtypes(kind=kind))
    for device in (None, "cpu", *OURS.devices()):
        assert OURS.dtypes(device=device, kind=kind) == OURS.dtypes(kind=kind)


@pytest.mark.parametrize("kind", ["nonsense", ("bool", "nonsense"), 1, ["bool"]], ids=str)
def test_unknown_kinds(kind):
    for info in (OURS, THEIRS):
        with pytest.raises(ValueError, match="kind"):
            info.dtypes(kind=kind)


def test_devices():
    assert type(OURS.devices()) is type(THEIRS.devices()) is tuple
    assert OURS.default_device() in OURS.devices()
    with pytest.raises(ValueError, match="nonsense"):
        OURS.dtypes(device="nonsense")
    with pytest.raises(ValueError, match="nonsense"):
        OURS.default_dtypes(device="nonsense")


def test_version():
    assert xp.__array_api_version__ == strict.__array_api_version__ == "2025.12"
