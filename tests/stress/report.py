"""What a run has done, and what was wrong."""

import glob
import os
import re

from tests.harness import keepers, procfs

from . import checks


def summary(run, seconds, ends):
    """Return figures of a run as a dictionary."""
    sums = checks.totals(run.table)
    sums.update(ends, seconds=round(seconds, 1), rate=round(sums["opened"] / seconds, 1))
    return sums


def text(figures):
    """Return them as a few lines."""
    f = figures
    return (
        f"{f['seconds']:,} s: {f['opened']:,} transfers ({f['rate']:,} a second), "
        f"{f['forwarded']:,} of them forwarded, {f['bytes'] / 2**30:,.1f} GiB named by them\n"
        f"{f['made']:,} arrays made, {f['looks']:,} looks\n"
        f"{f['processes']:,} processes and threads, {f['forks']:,} forks, "
        f"{f['killed']:,} killed ({f['workers']:,} workers), "
        f"{f['orphans']:,} outlived their parent, {f['normal']:,} workers ended normally\n"
        f"{f['lost']:,} arrays lost, of killed processes and of forked children that ended"
    )


def faults(run):
    """Return what processes complained of."""
    found = []
    for path in sorted(glob.glob(os.path.join(run.folder, "fault-*"))):
        with open(path) as file:
            found.append(file.read())
    return found


def journals(run, wrong, lines=20):
    """Return the last actions of the processes that a fault names, and of the newest ones."""
    rows, out = run.table.rows(), []
    named = set(re.findall(r"\b\d+\.\d+[\d/+]*", "\n".join(wrong)))
    for row in rows[-3 * run.slots :] + [row for row in rows if row.name in named]:
        out.append(journal(row, lines))
    return "\n".join(out)


def journal(row, lines=20):
    """Return how a process ended, and its last actions."""
    return (
        f"--- {row.name}, row {row.number}, process {row.pid}"
        f"{', killed' if row.condemned else ''}{', ended normally' if row.ended else ''}: "
        f"{row.steps} steps; the last ones:\n    " + "; ".join(row.journal()[-lines:])
    )


def keepers_left(journals):
    """Say of each keeper left whose it is, from the journals of all processes, by their ids."""
    for pid in keepers():
        creator = int(procfs.command(pid).split()[-1])
        yield f"keeper {pid} of process {creator}: {journals.get(creator, 'not of this run')}"
