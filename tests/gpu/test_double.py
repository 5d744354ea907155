"""The checks that need no arithmetic, as a whole, on the double."""

import json

import pytest

from tests.cuda_double import beside_real_driver

from . import __main__ as command

pytestmark = pytest.mark.skipif(
    bool(beside_real_driver()), reason="the double refuses to load beside a real driver"
)
QUICK = ["checks_ordering.sent_in_time", "checks_leaks.given_back"]


def rows_of(file):
    """Verdicts by section."""
    found = {}
    for title, row in json.loads(file.read_text())["rows"]:
        found.setdefault(title, []).append(row["verdict"])
    return found


def test_some(tmp_path, capsys):
    words = ["--double", "--no-build", "--json", str(tmp_path / "rows.json")]
    for name in QUICK:
        words += ["--only", name]
    code, said = command.main(words), capsys.readouterr().out
    assert code == 0, said
    assert "the figures say nothing of any card" in said
    found = rows_of(tmp_path / "rows.json")
    assert len(found) == len(QUICK) + 1
    assert {verdict for verdicts in found.values() for verdict in verdicts} == {"holds"}


def test_a_name_that_no_check_has_is_no_success(capsys):
    words = ["--double", "--no-build", "--only", QUICK[0], "--only", "checks_nothing.*"]
    assert command.main(words) == 1
    assert capsys.readouterr().out == (
        "no check is called checks_nothing.*: --list prints the names\n"
    )


@pytest.mark.slow
def test_all(tmp_path, capsys):
    assert command.main(["--double", "--no-build", "--json", str(tmp_path / "rows.json")]) == 0, (
        capsys.readouterr().out
    )
    found = rows_of(tmp_path / "rows.json")
    verdicts = [verdict for some in found.values() for verdict in some]
    assert verdicts.count("holds") > 15
    assert set(verdicts) == {"holds", "", "left out"}
