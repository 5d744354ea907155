"""The reading of SPIN's reports, without SPIN."""

import pytest

from . import spin

GOOD = """
(Spin Version 6.5.2 -- 6 December 2019)
\t+ Partial Order Reduction
Full statespace search for:
\tassertion violations\t+
\tinvalid end states\t+

State-vector 88 byte, depth reached 1131, errors: 0
    36501 states, stored
pan: elapsed time 0.13 seconds
"""


def test_a_complete_search():
    assert spin.report(GOOD) == (36501, 1131, 0.13, "")


def test_many_states():
    text = GOOD.replace("    36501", "1.2345678e+08")
    assert spin.report(text)[0] == 123456780


def test_an_error():
    text = "pan:1: assertion violated x (at depth 5)\n" + GOOD.replace("errors: 0", "errors: 1")
    assert spin.report(text + "Warning: Search not completed\n")[3] == "assertion violated x"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "error: max search depth too small\n" + GOOD,
        "pan: reached -DMEMLIM bound\nWarning: Search not completed\n" + GOOD,
        "pan: out of memory\n",
        GOOD.replace("errors: 0", "errors: 1"),
        GOOD.replace("Full statespace", "Bit statespace"),
        GOOD.replace("invalid end states\t+", "invalid end states\t- (disabled by -E flag)"),
        GOOD.replace("    36501 states, stored", ""),
    ],
)
def test_an_incomplete_search_is_no_search(text):
    with pytest.raises(spin.Truncated):
        spin.report(text)


def test_lines_of_a_configuration():
    text = (
        '# 0 "m.pml"\n# 1 "<built-in>"\nint hidden;\n# 1 "a/m.pml"\nbyte x;\n\n# 7 "a/m.pml"\ny\n'
    )
    assert spin.present(text, "m.pml") == {1, 7}


def one(lines, unreached):
    """Return a search of a model with such lines."""
    return spin.Search(1, 1, 0.0, "", frozenset(unreached), frozenset(lines))


def test_a_statement_counts_as_reached_where_it_is_there_and_reached():
    searches = [one({1, 2}, {(2, "x = 1")}), one({1, 2}, set())]
    assert spin.never_reached(searches) == {}


def test_a_configuration_without_the_statement_does_not_count():
    searches = [one({1, 2}, {(2, "x = 1"), (2, "a")}), one({1}, set())]
    assert spin.never_reached(searches) == {2: ["a", "x = 1"]}


def test_without_spin_the_tests_fail_and_say_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(spin.SpinError, match="make model"):
        spin.search("core", tmp_path)
