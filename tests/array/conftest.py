"""What the tests of the Array share: dtypes, both memory modes."""

import os

import pytest
from hypothesis import HealthCheck, settings

import sharedarray as xp

# The same examples in each run, as in tests/standard, and others where examples are asked for; on a
# busy machine they may be slow to draw.
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize="DIFFERENTIAL_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

BOOL = ["bool"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
STANDARD = BOOL + INTEGERS + FLOATS + COMPLEX
HELD = ["float16", "longdouble", "clongdouble", "M8[us]", "m8[s]", "S5", "U3", "V4", ">f8", ">i4"]


@pytest.fixture(params=["shared", "private"])
def mode(request):
    """Run the test in each memory mode; gives its name."""
    with xp.memory(request.param):
        yield request.param
