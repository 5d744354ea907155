"""Check what type checkers are told, with stubtest, with mypy and by reading.

Each compiled module has a stub, and it says what the module holds (stubtest); modules in Python are
checked too: their annotations hold, and `sharedarray/__init__.pyi` says what the package holds.
No signature that users see says `Any` (`loose_types.py`). The programs of `tests/typing` and the
examples are right under ``mypy --strict``.
"""

import os
import pathlib
import subprocess
import sys

import buildinfo
import loose_types

PACKAGE = buildinfo.ROOT / "sharedarray"
ALLOWED = buildinfo.ROOT / "tools/stubs_allowed.txt"


def run(*commands: list[str]) -> list[str]:
    """Run modules of mypy's on the tree, side by side; return what they printed if they failed."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=PACKAGE.parent,
            env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for command in commands
    ]
    ended = [(process.communicate()[0], process.returncode) for process in running]
    return [
        printed.strip() or f"{command[0]}: exit status {status}"
        for command, (printed, status) in zip(commands, ended, strict=True)
        if status
    ]


def programs(root: pathlib.Path) -> list[str]:
    """Return the programs that are to be right under ``mypy --strict``, below the tree."""
    found = [*root.glob("tests/typing/programs/*.py"), *root.glob("examples/**/*.py")]
    return sorted(str(path.relative_to(root)) for path in found)


def main() -> int:
    """Return the exit status."""
    faults = [
        f"sharedarray/{name}.pyi: no stub for this compiled module"
        for name in buildinfo.modules()
        if not (PACKAGE / f"{name}.pyi").exists()
    ]
    faults += loose_types.faults(PACKAGE)
    configuration = str(buildinfo.ROOT / "pyproject.toml")
    stubtest = ["mypy.stubtest", "--concise", "--mypy-config-file", configuration, PACKAGE.name]
    stubtest += ["--allowlist", str(ALLOWED), "--ignore-unused-allowlist"]
    mypy = ["mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    mypy += ["--config-file", configuration, *programs(buildinfo.ROOT)]
    faults += run(stubtest, mypy)
    print("\n".join(faults), end="\n" * bool(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
