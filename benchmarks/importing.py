"""Import the package in a new interpreter, beside NumPy."""

import sys

from sharedarray._cli.bench import main

if __name__ == "__main__":
    sys.exit(main(["importing", *sys.argv[1:]]))
