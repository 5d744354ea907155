"""These tests count the memory of their process to the byte."""

import gc

import pytest


@pytest.fixture(autouse=True)
def nothing_goes():
    """Collect what other tests left: its arrays would be freed amid this one's counts."""
    gc.collect()
