"""Run these tests on the driver double: ``python -m tests.cupy``, with pytest's arguments."""

import os
import pathlib
import subprocess
import sys

from tests.cuda_double import beside_real_driver, environment

HERE = pathlib.Path(__file__).parent


def main(arguments):
    """Run pytest in an environment in which the driver is the double; its exit status."""
    if beside_real_driver():
        print("not here: the double refuses to load beside a real driver (make gpu uses that)")
        return 0
    command = [sys.executable, "-m", "pytest", str(HERE), *arguments]
    return subprocess.run(
        command, cwd=HERE.parents[1], env={**os.environ, **environment(devices=2)}
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
