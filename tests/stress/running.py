"""One run from its start to its verdict."""

import os
import tempfile
import time

from tests.harness import Footprint, FootprintError, check_return, procfs
from tests.harness.footprint import warm_up

from . import checks, report, table
from .supervisor import RunFailed, Slot, Supervisor
from .worker import LINGER, Run

CHILD_TABLE = 4096 * 16  # bytes of this process's ledger: whoever it forks enters itself there


class Outcome:
    """How a run ended: `figures`, and `wrong`, which is empty for a good one."""

    def __init__(self, seed, figures, wrong, journals):
        self.seed, self.figures, self.wrong, self.journals = seed, figures, wrong, journals

    def __str__(self):
        told = f"seed {self.seed}\n{report.text(self.figures)}"
        if not self.wrong:
            return told + "\nnothing is left, everything was as it should be"
        lines = "\n".join(f"* {line}" for line in self.wrong)
        return f"{told}\n{self.journals}\nFAILED, seed {self.seed}:\n{lines}"


def perform(seconds, seed, slots=8, keeper=False, plant="", silence=30.0, tick=None):
    """Run `seconds` long; an `Outcome`."""
    warm_up()
    machine, start = checks.Machine(), Footprint()
    wrong, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="stress-") as folder:
        table.Table(os.path.join(folder, "table"), create=True).close()
        stations = [Slot(i) for i in range(slots)]
        outlets = [slot.outlet for slot in stations]
        run = Run(folder, seed, slots, outlets, keeper, plant, silence)
        supervisor = Supervisor(run, stations)
        over = seconds
        try:
            supervisor.work(seconds, (lambda: tick(run)) if tick else lambda: None)
            over = time.monotonic() - begun
            supervisor.rest()
            paths = supervisor.drop()
            wrong += checks.dropped(run.table, paths)
            wrong += checks.segments_small(supervisor.pids(), supervisor.ends["workers"])
            supervisor.leave()
            wrong += checks.messages_accounted(run.table)
            wrong += checks.nothing_lost_without_a_cause(run.table)
            wrong += checks.processes_left(run.table)
        except RunFailed as error:
            wrong += filter(None, [str(error)])
        finally:
            supervisor.stop()
        wrong += report.faults(run) + supervisor.faults
        figures = report.summary(run, over, supervisor.ends)
        journals = report.journals(run, wrong)
        each = {row.pid: report.journal(row) for row in run.table.rows()}
        for slot in stations:
            slot.close()
        run.table.close()
    patience = 5.0 if plant else procfs.PATIENCE + (LINGER if keeper else 0.0)
    try:
        check_return(start, slack=CHILD_TABLE, timeout=patience)
    except FootprintError as error:
        wrong += [str(error), *report.keepers_left(each)]
    wrong += checks.machine_returned(machine, patience)
    return Outcome(seed, figures, wrong, journals)
