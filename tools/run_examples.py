"""Run each program of ``examples/`` in an empty folder; one that fails or hangs fails the run."""

import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 120


def run(path):
    """Run one example and return what went wrong, or None."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, path],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            return f"still running after {SECONDS} seconds\n{error.stdout or ''}"
    if done.returncode:
        return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    if done.stderr:
        return f"wrote to stderr:\n{done.stderr}"
    return None


def main():
    """Run them all."""
    failed = 0
    paths = sorted((ROOT / "examples").rglob("*.py"))
    for path in paths:
        start = time.monotonic()
        fault = run(path)
        name = path.relative_to(ROOT / "examples")
        print(f"{name}: {fault or f'{time.monotonic() - start:.1f} s'}", flush=True)
        failed += fault is not None
    print(f"{len(paths) - failed} examples ran, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main()))
