"""What is tested on devices, on two and four devices of the driver double, in a process each."""

import os
import pathlib
import subprocess
import sys

import pytest

from .. import cuda_double

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize(
    ("delayed", "devices"), [(False, 2), (True, 4)], ids=["immediate", "delayed, four devices"]
)
def test_arrays(delayed, devices):
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(HERE / "on_device")],
        env={**os.environ, **cuda_double.environment(devices=devices, delayed=delayed)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
    assert "skipped" not in done.stdout
