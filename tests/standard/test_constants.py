"""Constants."""

import array_api_strict as strict
import pytest

import sharedarray as xp

TESTED = {"e", "inf", "nan", "newaxis", "pi"}


@pytest.mark.parametrize("name", sorted(TESTED))
def test_constants(name):
    ours, theirs = getattr(xp, name), getattr(strict, name)
    assert type(ours) is type(theirs)
    assert ours == theirs or (ours != ours and theirs != theirs)
