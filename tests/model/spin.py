"""Run SPIN over a model, and believe only searches that looked at every state."""

import os
import pathlib
import re
import shutil
import subprocess
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
MEMORY = 2500  # MB for one search
DEPTH = 200_000  # steps of the longest path
SECONDS = 900  # for one search, on a machine that is busy

INCOMPLETE = (
    "max search depth too small",
    "reached -DMEMLIM bound",
    "out of memory",
    "Search not completed",
    "memory limit",
    "Bit statespace search",
    "Hash-Compact",
)
UNREACHED = re.compile(r"^\t(?P<path>\S+):(?P<line>\d+), state \d+, \"(?P<text>.*)\"$", re.M)
MARKER = re.compile(r'^# (?P<line>\d+) "(?P<path>[^"]*)"')


class SpinError(AssertionError):
    """SPIN is missing, or a model cannot be searched."""


class Truncated(SpinError):
    """A search that did not look at every state: it shows nothing."""


@dataclass(frozen=True)
class Search:
    """What one search found.

    Parameters
    ----------
    states : int
        Different ones that were seen.
    depth : int
        Steps of the longest path.
    seconds : float
    error : str
        What was violated; nothing if every state is right.
    unreached : frozenset of (int, str)
        Line and text of statements that no path comes to.
    lines : frozenset of int
        Lines of the model that this configuration has.
    """

    states: int
    depth: int
    seconds: float
    error: str
    unreached: frozenset = field(repr=False)
    lines: frozenset = field(repr=False)


def program():
    """Return the path of SPIN; its absence is a failure, never a reason to skip."""
    path = shutil.which("spin")
    if path is None:
        raise SpinError("there is no program `spin` here: run `make model`, which installs it")
    return path


def run(*command, cwd):
    """Run a command; return its exit status and all that it wrote."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )
    return done.returncode, done.stdout


def report(text):
    """Return (states, depth, seconds, error) of what a search wrote.

    Raises
    ------
    Truncated
        If it ended early for another reason than an error in the model.
    """
    violated = re.search(r"^pan:1: (.*) \(at depth -?\d+\)$", text, re.M)
    errors = re.search(r"depth reached (\d+), errors: (\d+)$", text, re.M)
    states = re.search(r"^ *(\d+(?:\.\d+)?(?:e\+\d+)?) states, stored", text, re.M)
    seconds = re.search(r"elapsed time (\S+) seconds", text)
    if errors is None or states is None:
        raise Truncated(f"the search did not come to its end:\n{text}")
    if (violated is None) != (errors[2] == "0"):
        raise Truncated(f"{errors[2]} errors, but which?\n{text}")
    if violated is None:
        for words in INCOMPLETE:
            if words in text:
                raise Truncated(f"the search was cut short ({words}):\n{text}")
        if "Full statespace search" not in text or "invalid end states\t+" not in text:
            raise Truncated(f"not a full search for deadlocks and assertions:\n{text}")
    return (
        int(float(states[1])),
        int(errors[1]),
        float(seconds[1]) if seconds else 0.0,
        violated[1] if violated else "",
    )


def present(text, name):
    """Return the lines of a file that its preprocessed text still has."""
    lines = set()
    here, number = False, 0
    for line in text.splitlines():
        if marker := MARKER.match(line):
            here, number = marker["path"].endswith(name), int(marker["line"])
            continue
        if here and line.strip():
            lines.add(number)
        number += 1
    return frozenset(lines)


def search(model, folder, defines=(), *, depth=DEPTH, memory=MEMORY, options=()):
    """Search all states of a model.

    Parameters
    ----------
    model : Path or str
        The file; a plain name is that of a model in this folder.
    folder : Path
        Where the files of the search go.
    defines : sequence of str
        The configuration: ``"KILLS=1"``, ``"FAULT_NO_LOCK"``.
    depth, memory : int
        Steps of the longest path; MB of memory.
    options : sequence of str
        More for the compiler.

    Returns
    -------
    Search

    Raises
    ------
    SpinError
        If SPIN is not there or does not understand the model.
    Truncated
        If the search did not look at every state, and found no error so far.
    """
    path = HERE / f"{model}.pml" if isinstance(model, str) else model
    flags = [f"-D{name}" for name in defines]
    compiler = os.environ.get("CC", "cc").split()
    folder.mkdir(parents=True, exist_ok=True)
    status, text = run(program(), "-a", *flags, path, cwd=folder)
    if status or not (folder / "pan.c").exists() or "Error:" in text:
        raise SpinError(f"{path.name} {' '.join(flags)}: {text}")
    # POSIX function names and signatures changed since SPIN generated such code: no warnings
    build = (*compiler, "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", f"-DMEMLIM={memory}", *options)
    status, text = run(*build, "-o", "pan", "pan.c", cwd=folder)
    if status:
        raise SpinError(f"the search of {path.name} does not compile: {text}")
    _, text = run("./pan", f"-m{depth}", "-w22", cwd=folder)
    states, reached, seconds, error = report(text)
    status, source = run(*compiler, "-E", "-x", "c", *flags, path, cwd=folder)
    if status:
        raise SpinError(f"{path.name} cannot be preprocessed: {source}")
    return Search(
        states,
        reached,
        seconds,
        error,
        frozenset((int(found["line"]), found["text"]) for found in UNREACHED.finditer(text)),
        present(source, path.name),
    )


def never_reached(searches):
    """Return lines with a statement to which no path of any of these searches comes.

    Parameters
    ----------
    searches : iterable of Search
        Of one model, in several configurations.

    Returns
    -------
    dict
        From line to the statements.
    """
    searches = list(searches)
    lines = {}
    for item in set().union(*(one.unreached for one in searches)):
        if not any(item[0] in one.lines and item not in one.unreached for one in searches):
            lines.setdefault(item[0], []).append(item[1])
    return {line: sorted(lines[line]) for line in sorted(lines)}
