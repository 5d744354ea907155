"""Run checks, each in a process group of its own with a time-out; collect their rows."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence

from .table import Row, Section

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = 12  # of what a failed command printed


class Deadline:
    """The time that is left to the whole run."""

    def __init__(self, seconds: float):
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the end, 0 at least."""
        return max(0.0, self._end - time.monotonic())


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """What the processes of a check see: the tree first, and nothing of ours set but `extra`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SHAREDARRAY_")}
    path = os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, "PYTHONFAULTHANDLER": "1", **extra}


def end_group(pgid: int) -> None:
    """Ask a process group for its stacks, then kill it."""
    for number, pause in ((signal.SIGABRT, 1.0), (signal.SIGKILL, 0.0)):
        try:
            os.killpg(pgid, number)
        except ProcessLookupError:
            return
        time.sleep(pause)


def run(command: Sequence[str], extra: Mapping[str, str], seconds: float) -> tuple[int | None, str]:
    """
    Run a command in a process group of its own.

    Parameters
    ----------
    command : sequence of str
    extra : mapping of str to str
        Added to the environment.
    seconds : float
        Time-out.

    Returns
    -------
    status : int or None
        None if it was stopped because its time was up.
    output : str
        Both streams.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            list(command),
            env=environment(extra),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end_group(process.pid)  # workers that outlived it, too
            process.wait()
        output.seek(0)
        return status, output.read()


def ending(status: int | None, output: str, seconds: float) -> str:
    """How a command ended that did not end well, with the end of what it printed."""
    lines = [line.strip() for line in output.strip().splitlines() if line.strip()]
    last = lines[-1] if lines else "nothing printed"
    if status is None:
        return f"no end after {seconds:.0f} s: {last}"
    if status < 0:
        return f"ended by {signal.Signals(-status).name}: {last}"
    return f"exit status {status}: {last}"


def run_check(
    name: str,
    title: str,
    timeout: float,
    extra: Mapping[str, str],
    say: Callable[[str], None],
    program: str = f"{__package__}.child",
) -> Section:
    """
    Run one check as a process and return its rows, those before a failure too.

    Parameters
    ----------
    name : str
        As the registry has it.
    title : str
        What stands above its rows.
    timeout : float
        Seconds it may take; with none it is not begun.
    extra : mapping of str to str
        Added to its environment.
    say : callable
        Told the output of a check that failed.
    program : str
        The module that runs it, given its name and the file for its rows.
    """
    if timeout <= 0:
        return Section(title, [Row.failed(title, "not begun: the time of the whole run was up")])
    with tempfile.TemporaryDirectory(prefix="gpu-") as folder:
        file = pathlib.Path(folder, "rows")
        file.touch()
        command = [sys.executable, "-m", program, name, str(file)]
        status, output = run(command, extra, timeout)
        rows = [row_of(line) for line in complete(file.read_text())]
    if status != 0:
        say("\n".join(output.strip().splitlines()[-LINES:]))
        rows.append(Row.failed(title, ending(status, output, timeout)))
    elif not rows:
        rows.append(Row.failed(title, "reported nothing"))
    return Section(title, rows)


def complete(text: str) -> list[str]:
    """The whole lines: a process that was stopped may have written a part of one."""
    return text.splitlines() if text.endswith("\n") else text.splitlines()[:-1]


def row_of(line: str) -> Row:
    """The row that a check reported; one that cannot be read is a failure."""
    try:
        return Row.from_json(json.loads(line))
    except (ValueError, TypeError) as error:
        return Row.failed(line[:60], f"a row that cannot be read: {error}")
