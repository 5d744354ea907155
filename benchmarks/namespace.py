"""Expressions of the namespace beside NumPy: ``x + y``, ``xp.sin(x)``, ..."""

import sys

from sharedarray._cli.bench import main

if __name__ == "__main__":
    sys.exit(main(["namespace", *sys.argv[1:]]))
