"""Functions on arrays of ten elements, beside NumPy's."""

import sys

from sharedarray._cli.bench import main

if __name__ == "__main__":
    sys.exit(main(["calling", *sys.argv[1:]]))
