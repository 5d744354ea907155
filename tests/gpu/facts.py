"""What the machine is, and how much of its memory is in use: ``python -m tests.gpu.facts FILE``."""

import json
import pathlib
import sys


def main(file: str) -> int:
    """Write facts, and the bytes of the device in use, as JSON."""
    from . import machine

    driver = machine.Driver()
    used = driver.total_memory() - driver.free_memory()
    found = {"facts": machine.facts(driver), "used": used, "double": machine.on_double()}
    pathlib.Path(file).write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
