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
    assert command.main(words) == 0, capsys.readouterr().out
    found = rows_of(tmp_path / "rows.json")
    assert len(found) == len(QUICK) + 1
    assert {verdict for verdicts in found.values() for verdict in verdicts} == {"holds"}


@pytest.mark.slow
def test_all(tmp_path, capsys):
    assert command.main(["--double", "--no-build", "--json", str(tmp_path / "rows.json")]) == 0, (
        capsys.readouterr().out
    )
    found = rows_of(tmp_path / "rows.json")
    verdicts = [verdict for some in found.values() for verdict in some]
    assert verdicts.count("holds") > 15
    assert set(verdicts) == {"holds", "", "left out"}
