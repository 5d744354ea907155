"""What type checkers see: the types of the public names, and stubs that agree with the modules."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.time_out(600)]

ROOT = pathlib.Path(__file__).parent.parent

RIGHT = """\
from typing import Any, assert_type

import numpy as np
import sharedarray as xp

x = xp.zeros((2, 3), dtype=xp.float32, device="cpu")
assert_type(x, xp.Array)
assert_type(x + 1, xp.Array)
assert_type(2.0 * x, xp.Array)
assert_type(x @ np.ones(3), xp.Array)
assert_type(-x[0, 1:], xp.Array)
assert_type(x < 1, xp.Array)
assert_type(x.sum(axis=0), xp.Array)
assert_type(x.shape, tuple[int, ...])
assert_type(x.device, xp.Device)
assert_type(x.storage().id, str)
assert_type(bytes(x.handle()), bytes)
assert_type(xp.sin(x), xp.Array)
assert_type(xp.mean(x, axis=(0, 1)), xp.Array)
assert_type(xp.where(x), tuple[xp.Array, ...])
assert_type(xp.where(x, 0, 1), xp.Array)
assert_type(xp.unique_counts(x).counts, xp.Array)
assert_type(xp.is_shared(x), bool)
assert_type(xp.memory_stats()["cpu"]["peak"], int)
with xp.memory("private"), xp.device_of(x), xp.errstate(divide="ignore"):
    x += np.asarray(x)
xp.einsum("ij->i", x)
xp.add.reduce(x)
memoryview(x)
isinstance(x, xp.ndarray)
"""

WRONG = """\
import sharedarray as xp

xp.zeros("three")
xp.memory("secret")
xp.zeros(3).no_such_method()
xp.Storage(8)["first"]
"""


def check_types(folder, text):
    """Run mypy over a program beside a package; return its exit status and what it printed."""
    program = folder / "program.py"
    program.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", program.name],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def test_public_names_have_types(tmp_path):
    assert check_types(tmp_path, RIGHT) == (0, "Success: no issues found in 1 source file\n")


def test_wrong_use_is_told(tmp_path):
    status, printed = check_types(tmp_path, WRONG)
    assert status == 1
    told = {int(line.split(":")[1]) for line in printed.splitlines() if ": error: " in line}
    assert told == {3, 4, 5, 6}, printed


def copy_of_the_tree(folder):
    """Copy what the check of the stubs reads."""
    for name in ("sharedarray", "tools", "pyx"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.c")
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def check_stubs(folder):
    """Run the check of the stubs; return its exit status and what it printed."""
    done = subprocess.run(
        [sys.executable, "tools/check_stubs.py"], cwd=folder, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def test_a_stub_that_differs_and_one_that_is_missing_are_told(tmp_path):
    folder = copy_of_the_tree(tmp_path)
    stub = folder / "sharedarray/_storage.pyi"
    text = stub.read_text()
    assert "def attached(self)" in text
    stub.write_text(text.replace("def attached(self)", "def attached(self, pid: int)"))
    (folder / "sharedarray/_dlpack.pyi").unlink()
    status, printed = check_stubs(folder)
    assert status == 1
    assert "sharedarray._storage.Storage.attached" in printed
    assert "sharedarray/_dlpack.pyi: no stub" in printed
