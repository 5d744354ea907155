"""Print what pip must install to build the project in place, and for the extras that are named."""

import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def requirements(extras):
    """Return the requirements of the build, the package and `extras`."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)
    found = [*project["build-system"]["requires"], "setuptools"]
    found += project["project"]["dependencies"]
    for extra in extras:
        found += project["project"]["optional-dependencies"][extra]
    return found


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1:])))
