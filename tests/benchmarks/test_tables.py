"""Figures get into the pages, and every page of figures has its places."""

import importlib.util
import json
import pathlib

import pytest

from sharedarray._bench.table import Measurement, compare, machine

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "benchmarks" / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def figures():
    one = Measurement("a", 4096, {"yardstick": 1e-6, "sharedarray": 5e-7}, 0.5, 0.6)
    table = compare("Title", [one], "yardstick", {4096: "4 KiB"})
    return json.loads(json.dumps({"machine": machine(), "found": {"making": [table.as_json()]}}))


def test_figures_replace_what_stood_there(tables, figures):
    page = "A\n<!-- figures: making 0 -->\nold\n<!-- end -->\n"
    page += "<!-- figures: machine -->\n<!-- end -->"
    once = tables.replace(page, figures)
    assert "old" not in once
    assert "| a | 4 KiB | 1 us | 500 ns | 0.50 |\n" in once
    assert "met" not in once
    assert machine()["numpy"] in once
    assert tables.replace(once, figures) == once


def test_a_page_of_other_figures_is_an_error(tables, figures):
    with pytest.raises(ValueError, match="sending"):
        tables.replace("<!-- figures: sending 0 -->\n<!-- end -->", figures)
    with pytest.raises(ValueError, match="no figures"):
        tables.replace("text", figures)


def test_pages_show_measured_figures(tables):
    for page in tables.PAGES:
        for place in tables.PLACE.finditer(page.read_text()):
            assert place.end(1) < place.start(4), f"{page.name}: {place[0]} is empty"
