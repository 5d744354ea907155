"""Check the stubs: each compiled module has one, and it says what the module holds (stubtest)."""

import os
import pathlib
import subprocess
import sys

import buildinfo

PACKAGE = buildinfo.ROOT / "sharedarray"
ALLOWED = buildinfo.ROOT / "tools/stubs_allowed.txt"


def main():
    """Return the exit status."""
    wanting = [name for name in buildinfo.modules() if not (PACKAGE / f"{name}.pyi").exists()]
    stubs = sorted(path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.pyi"))
    modules = [".".join(pathlib.Path(path).with_suffix("").parts) for path in stubs]
    modules = [name.removesuffix(".__init__") for name in modules]
    status = 0
    if modules:
        command = [sys.executable, "-m", "mypy.stubtest", "--concise", *modules]
        if ALLOWED.exists():
            command += ["--allowlist", str(ALLOWED), "--ignore-unused-allowlist"]
        environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
        status = subprocess.run(command, cwd=PACKAGE.parent, env=environment).returncode
    for name in wanting:
        print(f"sharedarray/{name}.pyi: no stub for this compiled module")
    return status or bool(wanting)


if __name__ == "__main__":
    sys.exit(main())
