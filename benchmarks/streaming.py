"""Stream fresh arrays to a worker and back, and let two workers add one up."""

import sys

from sharedarray._cli.bench import main

if __name__ == "__main__":
    sys.exit(main(["streaming", *sys.argv[1:]]))
