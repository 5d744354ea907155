"""The page of results, and that nothing claims what it does not show."""

import re

import pytest

from . import page
from .table import Row, Section

PLACES = [
    "docs/*.md",
    "docs/*.rst",
    "*.md",
    "pyproject.toml",
    "Makefile",
    "tests/cuda_double/*.md",
    # Docstrings and comments.
    "sharedarray/**/*.py",
    "pyx/**/*.p[yx][xdi]",
    "pyx/**/*.[ch]",
    "examples/**/*.py",
    "benchmarks/**/*.py",
]

CARD = r"(?:GPU|NVIDIA (?:card|GPU|device)|graphics card|real card|card|H100|H200|A100|RTX \d+)"
DONE = r"(?:verified|tested|tried|measured|checked|proven|benchmarked|run|ran|runs|works?|passed)"
WHICH = r"(?:a|an|the|one|real|two|our|NVIDIA)"
CLAIM = re.compile(
    rf"\b{DONE}\b[^.;:]{{0,40}}?\bon {WHICH}\b[^.;:]{{0,20}}?\b{CARD}s?\b"
    rf"|\bGPU[- ](?:verified|tested)\b|\b{CARD}[- ]{DONE}\b",
    re.IGNORECASE,
)
# What says of itself that it is no claim.
DENIAL = re.compile(
    r"\bnot\b|\bno\b|\bnever\b|\buntil\b|\bonce\b|\bwhere\b|\bif\b|make gpu|\bneeds?\b|\bwithout\b",
    re.IGNORECASE,
)


def claims(text):
    """Sentences that say that something was done on a card."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*(?:#|//|/?\*)[ \t]+(?=[a-z])", "", text, flags=re.M)
    sentences = re.split(r"(?<=[.!?])\s+|\n\s*\n|\n(?=[-*|#])", text)
    found = [" ".join(one.split()) for one in sentences]
    return [one for one in found if CLAIM.search(one) and not DENIAL.search(one)]


def pages():
    """Everything that is written for users, and for those who read the sources."""
    found = {path for place in PLACES for path in page.ROOT.glob(place)}
    return sorted(found - {page.PAGE})


def test_the_page_says_that_it_was_not_run_or_what_was_found():
    text = page.PAGE.read_text()
    assert text == page.NOT_RUN or page.has_run(text)


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_nothing_claims_a_card_before_the_page_has_results(path):
    if not page.has_run(page.PAGE.read_text()):
        assert claims(path.read_text()) == []


@pytest.mark.parametrize(
    "text",
    [
        "CUDA arrays were verified on an H100.",
        "It works on a real GPU.",
        "All of this was tested\non an NVIDIA card with driver 580.",
        "Measured on one H200: 4 TB/s.",
        "CUDA support (GPU-verified).",
        "# A\n\n- everything passed on a card\n",
        "\n    # Nothing is lost here: this was tested\n    # on an NVIDIA card.\n",
        "\n/* Nothing is lost here: this was tested\n * on an NVIDIA card. */\n",
    ],
)
def test_a_claim_is_seen(text):
    assert claims(f"# Title\n\nWords before. {text} Words after.\n") or claims(text)


@pytest.mark.parametrize(
    "text",
    [
        page.NOT_RUN,
        "It was not run on a card yet.",
        "`make gpu` runs the checks on a card.",
        "CUDA arrays need an NVIDIA driver and CuPy.",
        "Arrays on a card are shared as well.",
        "```console\n$ ran on a GPU\n```\n",
    ],
)
def test_what_is_no_claim_is_none(text):
    assert claims(text) == []


def test_the_state_of_a_page():
    assert not page.has_run(page.NOT_RUN)
    facts = {"card": "NVIDIA X", "date": "2026-01-01"}
    text = page.text(facts, [Section("Copies", [Row("copy", "4 TB/s")])], 300.0)
    assert page.has_run(text)
    assert "| card | NVIDIA X |" in text
    assert "took 300 seconds" in text
