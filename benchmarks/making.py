"""Make, fill and drop arrays: in a loop, and from nothing."""

import sys

from sharedarray._cli.bench import main

if __name__ == "__main__":
    sys.exit(main(["making", *sys.argv[1:]]))
