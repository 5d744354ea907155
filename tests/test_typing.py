"""The check of what type checkers are told tells what is wrong; see tests/typing as well."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.time_out(600)]

ROOT = pathlib.Path(__file__).parent.parent


def copy_of_the_tree(folder):
    """Copy what the check of the stubs reads."""
    for name in ("sharedarray", "tools", "pyx", "examples", "tests/typing"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.c")
        )
    for name in ("pyproject.toml", "tests/__init__.py"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def check_stubs(folder):
    """Run the check of the stubs; return its exit status and what it printed."""
    done = subprocess.run(
        [sys.executable, "tools/check_stubs.py"], cwd=folder, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def change(path, old, new):
    """Replace what stands once in a file."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_what_is_wrong_is_told(tmp_path):
    folder = copy_of_the_tree(tmp_path)
    package, programs = folder / "sharedarray", folder / "tests/typing/programs"
    change(package / "_storage.pyi", "def attached(self)", "def attached(self, pid: int)")
    change(package / "linalg.pyi", "def tensorinv(a: npt.ArrayLike,", "def tensorinv(a: Any,")
    change(package / "linalg.pyi", "from typing import", "from typing import Any,")
    (package / "_dlpack.pyi").unlink()
    change(
        programs / "functions.py", "assert_type(xp.sin(x), xp.Array)", "assert_type(xp.sin(x), int)"
    )
    change(programs / "wrong.py", "xp.sin(x, x, x)", "xp.sin(x, x)")
    change(folder / "examples/frames.py", "main() -> None", "main()")
    status, printed = check_stubs(folder)
    assert status == 1
    assert "sharedarray._storage.Storage.attached" in printed
    assert "sharedarray/_dlpack.pyi: no stub" in printed
    assert re.search(r"sharedarray/linalg.pyi:\d+: tensorinv: a is Any", printed)
    assert re.search(r"functions.py:\d+: error: .*\[assert-type\]", printed)
    assert re.search(r"wrong.py:\d+: error: .*\[unused-ignore\]", printed)
    assert re.search(r"frames.py:\d+: error: .*\[no-untyped-def\]", printed)
