"""Check the stubs: each compiled module has one, and it says what the module holds (stubtest).

Modules in Python are checked too: their annotations hold, and `sharedarray/__init__.pyi` says what
the package holds.
"""

import os
import subprocess
import sys

import buildinfo

PACKAGE = buildinfo.ROOT / "sharedarray"
ALLOWED = buildinfo.ROOT / "tools/stubs_allowed.txt"


def main():
    """Return the exit status."""
    wanting = [name for name in buildinfo.modules() if not (PACKAGE / f"{name}.pyi").exists()]
    command = [sys.executable, "-m", "mypy.stubtest", "--concise", PACKAGE.name]
    command += ["--mypy-config-file", str(buildinfo.ROOT / "pyproject.toml")]
    command += ["--allowlist", str(ALLOWED), "--ignore-unused-allowlist"]
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    status = subprocess.run(command, cwd=PACKAGE.parent, env=environment).returncode
    for name in wanting:
        print(f"sharedarray/{name}.pyi: no stub for this compiled module")
    return status or bool(wanting)


if __name__ == "__main__":
    sys.exit(main())
