"""One check in a process of its own: ``python -m tests.gpu.child NAME FILE``."""

import importlib.util
import json
import sys

from . import registry
from .table import Row


def absent(needs, on_double: bool) -> str:
    """Why a check cannot be made here; nothing if it can."""
    for name in needs:
        if name == "cupy" and on_double:
            return "needs a card: the double computes nothing"
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    return ""


def main(name: str, file: str) -> int:
    """Run the check and append its rows to the file, a line of JSON each."""
    from . import machine

    check = registry.all_checks()[name]
    with open(file, "a") as stream:

        def report(row: Row) -> None:
            stream.write(json.dumps(row.as_json()) + "\n")
            stream.flush()

        reason = absent(check.needs, machine.on_double())
        if reason:
            report(Row.left_out(check.title, reason))
        else:
            try:
                check.run(report)
            finally:
                end_workers()
    return 0


def end_workers() -> None:
    """Kill workers that a check left when it raised: at its end Python would wait for them."""
    from tests.harness.worker import Worker

    for worker in list(Worker.running):
        worker.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
