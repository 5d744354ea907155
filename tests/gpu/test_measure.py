"""Medians, ratios and turns, with contestants that need no clock."""

import itertools

import pytest

from . import machine
from .measure import Samples, binary, clock, duration, fill, interleave, rate


def test_ratios_are_of_the_rounds_and_medians_of_the_contestants():
    found = Samples({"ours": [1.0, 4.0, 3.0], "theirs": [1.0, 2.0, 1.0]})
    assert found.median("ours") == 3.0
    assert found.ratio("ours", "theirs") == 2.0


def test_warm_up_does_not_count_and_contestants_take_turns():
    calls = []

    def contestant(name, first):
        seconds = itertools.chain([first], itertools.repeat(1.0))

        def sample():
            calls.append(name)
            return next(seconds)

        return sample

    rivals = {"a": contestant("a", 100.0), "b": contestant("b", 200.0)}
    found = interleave(rivals, rounds=4, warm=1)
    assert found.seconds == {"a": [1.0] * 4, "b": [1.0] * 4}
    assert calls == ["a", "b", "b", "a"] * 2 + ["a", "b"]


def test_a_spent_budget_ends_it_after_three_rounds():
    found = interleave({"a": lambda: 1.0}, rounds=1000, budget=0.0)
    assert len(found.seconds["a"]) == 3


def test_the_clock_waits_at_both_ends_and_divides_by_the_calls():
    told = []
    seconds = clock(lambda: told.append("call"), lambda: told.append("wait"), 3)()
    assert told == ["wait", "call", "call", "call", "wait"]
    assert seconds >= 0
    assert fill(lambda: None, lambda: None, 1e-4) > 1


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (duration(4.26e-08), "42.6 ns"),
        (duration(0.0123), "12.3 ms"),
        (duration(2), "2.00 s"),
        (rate(2e12, 0.5), "4 TB/s"),
        (rate(1e9, 0.5), "2 GB/s"),
        (rate(10, 1), "10 B/s"),
        (binary(64 << 20), "64 MiB"),
        (binary(-2 << 20), "-2 MiB"),
        (binary(0), "0 B"),
        (machine.bandwidth_of(4e12, 1.0, 5e12), "80 % of 5.00 TB/s"),
        (machine.bandwidth_of(4e12, 1.0, 0), ""),
    ],
)
def test_units(found, expected):
    assert found == expected
