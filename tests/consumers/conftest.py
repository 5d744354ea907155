"""Switches SciPy's array API support on, which SciPy reads when it is imported."""

import os
import sys

import pytest

if "scipy" in sys.modules and os.environ.get("SCIPY_ARRAY_API") != "1":
    raise pytest.UsageError(
        "SciPy was imported without SCIPY_ARRAY_API=1: run tests/consumers by itself "
        "(make consumers), or set it"
    )
os.environ["SCIPY_ARRAY_API"] = "1"
os.environ.setdefault("MPLBACKEND", "agg")
