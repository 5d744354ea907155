"""Imported first: says in one sentence why this package cannot work here, if it cannot.

Nothing but the standard library may be imported here.
"""

import importlib.machinery
import importlib.util
import os
import sys

PACKAGE = os.path.dirname(os.path.realpath(__file__))
BUILD = (
    "run `python setup.py build_ext --inplace` there (or `make`), "
    "or install it with `pip install .`"
)


def check_system(platform, implementation, version):
    """Raise `ImportError` unless this operating system and interpreter can run the package.

    Parameters
    ----------
    platform : str
        As `sys.platform`.
    implementation : str
        As ``sys.implementation.name``.
    version : tuple of int
        As `sys.version_info`.
    """
    if platform != "linux":
        raise ImportError(
            "sharedarray (distribution sharedarray-xp) works on Linux only for now, "
            f"since its memory comes from sealed memfds; this is {platform!r}."
        )
    if implementation != "cpython" or tuple(version[:2]) < (3, 11):
        raise ImportError(
            "sharedarray (distribution sharedarray-xp) needs CPython 3.11 or newer; "
            f"this is {implementation} {version[0]}.{version[1]}."
        )


def check_built(package=PACKAGE):
    """Raise `ImportError` unless the compiled modules can be found.

    Parameters
    ----------
    package : str
        The folder of the package.
    """
    listed = os.path.join(os.path.dirname(package), "pyx", "modules.txt")
    in_tree = os.path.exists(listed)
    core = importlib.util.find_spec(f"{__package__}._core")
    names = ["_core"]
    if in_tree and core is not None and os.path.dirname(core.origin) == package:
        with open(listed) as file:
            names = [line.partition(":")[0] for line in file if line.strip()]
    for name in names:
        if importlib.util.find_spec(f"{__package__}.{name}") is None:
            raise ImportError(unbuilt(package, name, in_tree), name=f"{__package__}.{name}")


def unbuilt(package, name, in_tree):
    """Return the message about a compiled module that is missing."""
    if in_tree:
        state = f"sharedarray's source tree {os.path.dirname(package)!r} is not built"
        remedy = BUILD
    else:
        state = f"the installation of sharedarray in {package!r} is not complete"
        remedy = "install it again with `pip install --force-reinstall sharedarray-xp`"
    wanted = f"{name}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    built = [entry for entry in os.listdir(package) if entry.endswith(".so")]
    others = sorted(entry for entry in built if entry.startswith(f"{name}."))
    there = f"there is {', '.join(others)}, for another Python" if others else "it is not there"
    return f"{state} (it needs {wanted}, {there}): {remedy}."


check_system(sys.platform, sys.implementation.name, sys.version_info)
check_built()
