"""SPIN searches the models of the protocol: no error as it is, an error for each broken rule."""

import pytest

from . import spin
from .configurations import FAULTS, NEVER, SOUND

pytestmark = [pytest.mark.slow, pytest.mark.model, pytest.mark.time_out(spin.SECONDS)]


def name_of(defines):
    """Return a configuration as one word."""
    return "+".join(defines)


@pytest.mark.parametrize("model", SOUND)
def test_the_protocol_holds(model, tmp_path):
    searches = []
    for defines in SOUND[model]:
        found = spin.search(model, tmp_path / name_of(defines), defines)
        assert found.error == "", f"{model} {defines}: {found.error}"
        searches.append(found)
    source = (spin.HERE / f"{model}.pml").read_text().splitlines()
    reasons = NEVER.get(model, {})
    never = spin.never_reached(searches)
    unknown = {
        line: texts
        for line, texts in never.items()
        if not any(word in source[line - 1] for word in reasons)
    }
    assert unknown == {}, "no path comes to these statements"
    unused = [word for word in reasons if not any(word in source[line - 1] for line in never)]
    assert unused == [], "these are reached after all"


@pytest.mark.parametrize(
    ("model", "fault", "defines", "words"), FAULTS, ids=[f"{f[0]}-{f[1]}" for f in FAULTS]
)
def test_a_broken_rule_is_found(model, fault, defines, words, tmp_path):
    found = spin.search(model, tmp_path, (*defines, f"FAULT_{fault}"))
    assert words in found.error, found


def test_every_fault_of_the_models_is_listed():
    for path in spin.HERE.glob("*.pml"):
        there = {
            line.split()[1].removeprefix("FAULT_")
            for line in path.read_text().splitlines()
            if line.startswith(("#ifdef FAULT_", "#ifndef FAULT_"))
        }
        assert there == {fault for model, fault, *_ in FAULTS if model == path.stem}
        assert path.stem in SOUND


class TestTruncation:
    """A search that did not look at every state is no proof."""

    def test_too_deep(self, tmp_path):
        with pytest.raises(spin.Truncated, match="max search depth too small"):
            spin.search("fork_made", tmp_path, depth=100)

    def test_too_large(self, tmp_path):
        with pytest.raises(spin.Truncated):
            spin.search("fork_made", tmp_path, memory=8)

    @pytest.mark.parametrize("option", ["-DBITSTATE", "-DHC4"])
    def test_not_every_state_kept(self, tmp_path, option):
        with pytest.raises(spin.Truncated):
            spin.search("fork_made", tmp_path, options=["-UCOLLAPSE", option])

    def test_deadlock(self, tmp_path):
        model = tmp_path / "stuck.pml"
        model.write_text("bool door;\ninit { door }\n")
        assert "invalid end state" in spin.search(model, tmp_path).error

    def test_no_model(self, tmp_path):
        model = tmp_path / "wrong.pml"
        model.write_text("init { wrong }\n")
        with pytest.raises(spin.SpinError, match="undeclared variable"):
            spin.search(model, tmp_path)

    def test_a_statement_no_path_comes_to(self, tmp_path):
        model = tmp_path / "idle.pml"
        model.write_text("byte x;\ninit {\n  if\n  :: x == 1 ->\n     x = 7\n  :: else\n  fi\n}\n")
        found = spin.search(model, tmp_path)
        assert found.error == ""
        assert 5 in spin.never_reached([found])
