"""Search the large configurations and print their figures as rows of the page."""

import pathlib
import sys
import tempfile

from . import spin
from .configurations import LARGE, SOUND


def main(names):
    """Search the models named, or all of them."""
    for model in names or SOUND:
        for defines in (*SOUND[model], *LARGE[model]):
            with tempfile.TemporaryDirectory() as folder:
                found = spin.search(model, pathlib.Path(folder), defines, depth=2_000_000)
            print(
                f"| `{model}` | `{' '.join(defines)}` | {found.states:,} | {found.depth:,} "
                f"| {found.seconds:.1f} | {found.error or 'none'} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
