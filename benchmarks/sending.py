"""Send arrays to a running worker that touches them and answers."""

import sys

from sharedarray._cli.bench import main

if __name__ == "__main__":
    sys.exit(main(["sending", *sys.argv[1:]]))
