"""Running the command as a user does."""

import os
import pathlib
import subprocess
import sys

import pytest

import sharedarray as xp

SOURCE = pathlib.Path(xp.__file__).parents[1]


@pytest.fixture
def command(tmp_path):
    """Run ``python -m sharedarray`` in an empty folder; give the finished process."""

    def run(*arguments, status=0, **environment):
        path = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-m", "sharedarray", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path, **environment},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == status, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run
