"""The page of the documentation says what the calls say."""

import importlib.util
import pathlib
import re

import pytest

import sharedarray as xp

from .calls import CALLS
from .names import CLASSES, EXCLUDED, MODULES, public

DOCS = pathlib.Path(__file__).parents[2] / "docs"


@pytest.fixture
def page():
    """The extension that makes the tables; nothing of it is kept."""
    spec = importlib.util.spec_from_file_location("swap_in_page", DOCS / "swap_in_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_module_has_its_table():
    asked = re.findall(r"{swap-in} (\S+)", (DOCS / "swap_in.md").read_text())
    assert sorted(asked) == sorted({name or "numpy" for name in (*MODULES, *CLASSES)})


def test_every_name_is_told(page):
    told = [name for place in (*MODULES, *CLASSES) for name, _ in page.rows(place)]
    missing = [name for names in page.rest().values() for name in names]
    assert sorted(told + missing) == sorted(public())
    assert set(missing) == set(EXCLUDED) & set(public())
    assert dict(page.rows("linalg"))["linalg.det"] in CALLS["linalg.det"]


def test_a_planted_fault_is_told(page, monkeypatch):
    monkeypatch.setattr(xp.linalg, "det", lambda x: xp.zeros(()))
    assert "linalg.det" not in dict(page.rows("linalg"))
    (why,) = (why for why, names in page.rest().items() if names == ["linalg.det"])
    assert why.startswith("np.linalg.det(q): the result is Array(0.")
