"""A short run of everything at once; `make stress` runs a longer one."""

import pytest

from . import plan, table
from .running import perform


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "keeper"), [(1, False), (2, True)])
def test_a_short_run(seed, keeper):
    followed = []

    def look(run):
        """Compare the journals with the plans: what is done is what the seed says."""
        for row in run.table.rows():
            name, lines = row.name, row.journal()
            if name and len(lines) > 5 and len(followed) < 300 and run.table.phase == table.RUN:
                followed.append((name, lines[2:-2]))

    outcome = perform(10.0, seed, slots=4, keeper=keeper, tick=look)
    assert not outcome.wrong, str(outcome)
    assert outcome.figures["opened"] > 50
    assert followed
    for name, lines in followed:
        steps = [line.split() for line in lines]
        first = int(steps[0][0][1:])
        asked = plan.decisions(seed, name)
        for _ in range(first):
            next(asked)
        expected = [(f"#{d.number}", d.action) for d, _ in zip(asked, steps, strict=False)]
        assert [tuple(step) for step in steps] == expected
