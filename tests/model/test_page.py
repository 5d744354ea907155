"""The page about the model: functions that it names exist, and it tells all configurations."""

import re

import pytest

from . import spin
from .configurations import FAULTS, LARGE, SOUND

ROOT = spin.HERE.parents[1]
PAGE = ROOT / "docs/model.md"
FOLDER = ROOT / "pyx/sharedarray"


def rows(title, text=None):
    """Return the cells of the rows of the table below a heading."""
    text = PAGE.read_text() if text is None else text
    part = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names(cell):
    """Return what stands in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def defines(source, name):
    """Return whether C or Cython source has a function of that name with a body."""
    c = rf"^(?!\s)[^\n;(]*\b{name}\([^;{{]*\)\s*\{{"
    cython = rf"^(?:cdef|cpdef|def)\b[^\n(]*\b{name}\("
    return re.search(f"{c}|{cython}", source, re.M) is not None


def missing(table):
    """Return the functions that no file named in their row defines."""
    found = []
    for _, functions, files in table:
        sources = [(FOLDER / name).read_text() for name in names(files)]
        assert names(functions) and sources
        for name in names(functions):
            if not any(defines(source, name) for source in sources):
                found.append(name)
    return found


def test_the_functions_exist():
    table = rows("Which function is which step")
    assert len(table) > 20
    assert missing(table) == []


def test_a_function_that_does_not_exist_is_found():
    assert missing([["step", "`sa_block_hold`, `sa_block_holt`", "`core/blocks.c`"]]) == [
        "sa_block_holt"
    ]
    assert missing([["step", "`sa_held_take`", "`core/blocks.c`"]]) == ["sa_held_take"]


def test_the_page_lists_the_faults():
    told = {(names(row[0])[0], names(row[1])[0]) for row in rows("Faults planted")}
    assert told == {(model, fault) for model, fault, *_ in FAULTS}


@pytest.mark.parametrize("model", SOUND)
def test_the_page_has_figures_of_every_configuration(model):
    told = {row[1].strip("`") for row in rows("Figures") if names(row[0]) == [model]}
    assert told == {" ".join(words) for words in (*SOUND[model], *LARGE[model])}
    for row in rows("Figures"):
        assert row[5] == "none" and int(row[2].replace(",", "")) > 0


def test_the_page_lists_the_models():
    told = {names(row[0])[0] for row in rows("What is modelled")}
    assert told == {path.name for path in spin.HERE.glob("*.pml")}
