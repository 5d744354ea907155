"""Rows, verdicts and the exit status; a planted miss is seen."""

import math

import pytest

from .table import Row, Section, Verdict, as_markdown, as_text, closing, status

GOOD = [
    Row("seen", "3 ms"),
    Row.compared("copy", "4 TB/s", "cudaMalloc: 4 TB/s", 1.02, at_most=1.02),
    Row.compared("rate", "5/s", "other: 4/s", 1.25, at_least=1.0),
    Row.held("level", True, "0 B more"),
    Row.left_out("torch", "no torch that sees a card"),
]
MISSED = Row.compared("copy", "3 TB/s", "cudaMalloc: 4 TB/s", 1.021, at_most=1.02)


def test_what_holds():
    assert [row.verdict for row in GOOD] == ["", "met", "met", "holds", "left out"]
    assert status([Section("All", GOOD)]) == 0


@pytest.mark.parametrize(
    "row",
    [
        MISSED,
        Row.compared("rate", "5/s", "other: 6/s", 0.8, at_least=1.0),
        Row.held("level", False, "2 MiB more"),
        Row.failed("copy", "no end after 60 s"),
        Row.compared("nothing to divide", "0 s", "other", math.nan, at_most=1.02),
        Row.compared("nothing to divide", "0 s", "other", math.nan),
        Row.compared("no time at all", "0 s", "other", 0.0, at_most=1.02),
    ],
    ids=lambda row: f"{row.what} {row.verdict}",
)
def test_one_miss_among_many_is_seen(row):
    assert row.verdict in ("MISSED", "FAILED")
    assert status([Section("Good", GOOD), Section("Bad", [*GOOD, row])]) == 1


def test_a_check_that_said_nothing_and_a_run_without_checks_are_no_success():
    assert status([Section("Good", GOOD), Section("Empty", [])]) == 1
    assert status([]) == 1


def test_bounds_are_met_when_they_are_reached():
    assert Row.compared("", "", "", 1.0, at_most=1.0).verdict is Verdict.MET
    assert Row.compared("", "", "", 1.0, at_least=1.0).verdict is Verdict.MET
    assert Row.compared("", "", "", 1.0001, at_most=1.0).verdict is Verdict.MISSED


def test_json_and_back():
    for row in [*GOOD, MISSED]:
        assert Row.from_json(row.as_json()) == row


def test_text_has_every_row():
    lines = as_text([Section("Copies", [*GOOD, MISSED])]).splitlines()
    assert lines[3] == "Copies"
    assert len(lines) == 4 + len(GOOD) + 1
    assert lines[-1].endswith("1.021  at most 1.02   MISSED")
    assert closing([Section("Copies", [*GOOD, MISSED])]) == (
        "2 met, 1 MISSED, 1 holds, 1 without a target, 1 left out"
    )


def test_markdown_escapes_what_would_end_a_cell():
    text = as_markdown([Section("A", [Row.failed("x | y", "two\nlines")])])
    assert "| x \\| y | two lines |" in text
    assert text.splitlines()[0] == "## A"
