"""Checks that go wrong, each in its own way, for the tests of the runner."""

import json
import os
import signal
import subprocess
import sys
import time

from .table import Row


def fine(report):
    report(Row("a figure", "1 s"))


def missed(report):
    report(Row.compared("slow", "2 s", "other: 1 s", 2.0, at_most=1.02))


def raises(report):
    report(Row("before", "1 s"))
    raise RuntimeError("planted")


def hangs(report):
    report(Row("before", "1 s"))
    time.sleep(600)


def dies(report):
    report(Row("before", "1 s"))
    os.kill(os.getpid(), signal.SIGKILL)


def says_nothing(report):
    """Ends well without a row."""


def stops_in_a_line(report):
    report(Row("before", "1 s"))
    with open(sys.argv[2], "a") as stream:
        stream.write('{"what": "half a')
    os.kill(os.getpid(), signal.SIGKILL)


def reports_rubbish(report):
    with open(sys.argv[2], "a") as stream:
        stream.write('{"what": "x", "found": "y", "verdict": "perhaps"}\n')


def leaves_a_process(report):
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    report(Row("left", str(process.pid)))


if __name__ == "__main__":
    name, file = sys.argv[1:]
    with open(file, "a") as stream:

        def report(row):
            stream.write(json.dumps(row.as_json()) + "\n")
            stream.flush()

        globals()[name](report)
