"""Hold thousands of arrays in two processes with ``ulimit -n 256``."""

import sys

from sharedarray._cli.bench import main

if __name__ == "__main__":
    sys.exit(main(["many", *sys.argv[1:]]))
