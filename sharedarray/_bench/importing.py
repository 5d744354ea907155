"""What the import costs a new interpreter, beside NumPy's, which it contains."""

import os
import pathlib
import sys
import time

from .table import OURS, Measurement, Table, compare
from .timing import Samples

YARDSTICK = "NumPy"
PROGRAMS = {"interpreter": "pass", YARDSTICK: "import numpy", OURS: "import sharedarray"}
TARGET = 1.35
PARENT = pathlib.Path(__file__).parents[2]


def cost(program: str) -> float:
    """Run a program in a new interpreter and return its user and system time in seconds.

    Parameters
    ----------
    program : str
        Python source.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    RuntimeError
        If the program fails.
    """
    path = os.pathsep.join([str(PARENT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-c", program]
    pid = os.posix_spawn(sys.executable, command, {**os.environ, "PYTHONPATH": path})
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{program!r} ended with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def measure(seconds: float = 6.0) -> list[Table]:
    """Measure `import numpy` and `import sharedarray` in new interpreters, in turns.

    Parameters
    ----------
    seconds : float, optional
        About how long to take.

    Returns
    -------
    list of Table
    """
    for program in PROGRAMS.values():
        cost(program)  # reads the files, and leaves bytecode where it may
    taken: dict[str, list[float]] = {who: [] for who in PROGRAMS}
    end = time.perf_counter() + seconds
    while len(taken[OURS]) < 3 or time.perf_counter() < end:
        for who, program in PROGRAMS.items():
            taken[who].append(cost(program))
    found = Measurement.of("import", 1, Samples(taken), YARDSTICK, TARGET)
    title = "Import: user and system time of a new interpreter"
    return [compare(title, [found], YARDSTICK, {1: ""})]
