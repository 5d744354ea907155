"""A program that stays until it is told to end."""

import os
import pathlib
import select
import subprocess
import sys
import textwrap

from .script import ROOT, ScriptError

__all__ = ["Program"]


class Program:
    """
    A fresh interpreter that prints one line and waits, with `sys.stdin` as what it waits for.

    Parameters
    ----------
    folder : path
        Where its source is written.
    code : str
        Source; indentation in common is taken off.
    *arguments
        Its ``sys.argv[1:]``.
    timeout : float
        Seconds until the line must be there.

    Attributes
    ----------
    pid : int
    line : str
        What it printed, stripped.
    """

    def __init__(self, folder, code, *arguments, timeout=60.0):
        file = pathlib.Path(folder, f"program-{len(os.listdir(folder))}.py")
        file.write_text(textwrap.dedent(code))
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SHAREDARRAY_")}
        path = os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [sys.executable, str(file), *map(str, arguments)],
            env={**kept, "PYTHONPATH": path, "SHAREDARRAY_LINGER": "0"},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self.process.pid
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        self.line = self.process.stdout.readline().strip() if ready else ""
        if not self.line:
            self.kill()
            raise ScriptError(f"no line from {file}: ended with {self.process.returncode}")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.kill()

    def finish(self, timeout=60.0):
        """Close its standard input; its exit code."""
        self.process.communicate(timeout=timeout)
        return self.process.returncode

    def kill(self):
        """End it by SIGKILL."""
        self.process.kill()
        self.process.communicate()
