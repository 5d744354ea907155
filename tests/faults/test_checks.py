"""The checks of these tests see what they are for: each fault is planted once."""

import pytest

PLANTED = {
    "close": "holds",
    "descriptor": "1 descriptors",
    "segment": "2 segments and 1 mappings",
    "array": "2 segments and 2 mappings",
    "value": "Wrong: planted",
    "stderr": "stderr: planted",
    "signal": "ended with -11 and no report",
    "hang": "hangs",
}


@pytest.mark.parametrize("kind", PLANTED)
def test_planted(zygote, kind):
    report = zygote.run({"plant": kind, "timeout": 8.0 if kind == "hang" else 60.0})
    assert PLANTED[kind] in report["wrong"]
    assert zygote.run({})["wrong"] is None


def test_a_fault_that_the_program_must_notice(zygote):
    report = zygote.run({"rules": [["memfd_create", "EMFILE", 1, 1 << 60]]})
    assert report["wrong"] is None
    assert {one[2] for one in report["raised"] if one[1] == "OSError"} == {24}
    assert all("ulimit -n" in one[3] for one in report["raised"] if one[1] == "OSError")
