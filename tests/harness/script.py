"""Run Python source in a fresh interpreter, with a time-out that tells where it hung."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap

from . import procfs

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ScriptError(AssertionError):
    """The script did not end as asked; the message holds its streams."""


class Result:
    """How a script ended: `rc`, `stdout`, `stderr`."""

    def __init__(self, rc, stdout, stderr):
        self.rc, self.stdout, self.stderr = rc, stdout, stderr

    def __repr__(self):
        return f"rc {self.rc}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"

    def ok(self):
        """Check that it ended with 0 and wrote nothing to stderr; its stdout, stripped."""
        if self.rc != 0 or self.stderr:
            raise ScriptError(repr(self))
        return self.stdout.strip()


def stop_group(pgid, grace=20.0):
    """Ask every process of the group for its stacks, then kill them all."""
    for number, wait in ((signal.SIGABRT, grace), (signal.SIGKILL, grace)):
        try:
            os.killpg(pgid, number)
        except ProcessLookupError:
            return
        procfs.wait_until(lambda: not procfs.group(pgid), timeout=wait)


def _prelude(limits, uid):
    lines = []
    if limits:
        lines.append("import resource")
        for name, value in limits.items():
            lines.append(f"resource.setrlimit(resource.RLIMIT_{name.upper()}, ({value}, {value}))")
    if uid is not None:
        lines.append(f"import os; os.setgid({uid}); os.setuid({uid})")
    return "\n".join(lines) + "\n"


def _environment(extra):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SHAREDARRAY_")}
    path = [str(ROOT), *filter(None, [environment.get("PYTHONPATH")])]
    environment.update(
        PYTHONPATH=os.pathsep.join(path),
        PYTHONFAULTHANDLER="1",
        PYTHONUNBUFFERED="1",
        SHAREDARRAY_LINGER="0",
    )
    environment.update(extra or {})
    return environment


def run_script(
    code,
    *arguments,
    stdin="",
    flags=(),
    env=None,
    limits=None,
    uid=None,
    wrapper=(),
    timeout=60.0,
    leaves=False,
    grace=procfs.PATIENCE,
):
    """
    Run `code` as the main program of a fresh interpreter.

    Parameters
    ----------
    code : str
        Source; indentation in common is taken off.
    *arguments
        The program's ``sys.argv[1:]``.
    stdin : str
        What it reads.
    flags : sequence of str
        Options of the interpreter (``-X dev``).
    env : dict, optional
        Added to the environment. Without ``SHAREDARRAY_LINGER`` in it the program leaves no keeper.
    limits : dict, optional
        Resource limits set before the code runs (``nofile=256``).
    uid : int, optional
        User and group to become before the code runs.
    wrapper : sequence of str
        Command that runs the interpreter (``unshare --pid --fork``).
    timeout : float
        Seconds until the whole process group is stopped and `ScriptError` tells the stacks.
    leaves : bool
        Allow processes of the group to outlive the program (they are killed).
    grace : float
        Seconds that they have to end after it.

    Returns
    -------
    Result
    """
    with tempfile.TemporaryDirectory(prefix="script-") as folder:
        os.chmod(folder, 0o755)
        file = pathlib.Path(folder, "program.py")
        file.write_text(_prelude(limits, uid) + textwrap.dedent(code))
        out, err = pathlib.Path(folder, "out"), pathlib.Path(folder, "err")
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [*wrapper, sys.executable, *flags, str(file), *map(str, arguments)],
                stdin=subprocess.PIPE,
                stdout=stdout,
                stderr=stderr,
                env=_environment(env),
                cwd=folder,
                start_new_session=True,
            )
            late = False
            try:
                process.stdin.write(stdin.encode())
                process.stdin.close()
            except BrokenPipeError:
                pass
            try:
                process.wait(timeout)
            except subprocess.TimeoutExpired:
                late = True
                stop_group(process.pid)
                process.wait()
            procfs.wait_until(lambda: not procfs.group(process.pid), timeout=grace)
            left = [f"{pid}: {procfs.command(pid)}" for pid in procfs.group(process.pid)]
            if left:
                stop_group(process.pid)
        result = Result(
            process.returncode,
            out.read_text(errors="replace"),
            err.read_text(errors="replace"),
        )
    if late:
        raise ScriptError(f"no end after {timeout:g} s; stacks are in stderr\n{result!r}")
    if left and not leaves:
        raise ScriptError("processes outlived the program: " + "; ".join(left) + f"\n{result!r}")
    return result
