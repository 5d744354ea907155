"""Imported first: says in one sentence why this package cannot work here, if it cannot.

Nothing but the standard library may be imported here.
"""

import importlib.machinery
import importlib.util
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent
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


def check_built(name, package=PACKAGE):
    """Raise `ImportError` unless the compiled module `name` can be found.

    Parameters
    ----------
    name : str
        Full name of a compiled module, ``sharedarray._core``.
    package : pathlib.Path
        The folder of the package.
    """
    if importlib.util.find_spec(name) is not None:
        return
    stem = name.rpartition(".")[2]
    others = sorted(path.name for path in package.glob(f"{stem}.*.so"))
    if (package.parent / "pyx" / "modules.txt").exists():
        state = f"sharedarray's source tree {str(package.parent)!r} is not built"
        remedy = BUILD
    else:
        state = f"the installation of sharedarray in {str(package)!r} has no {name}"
        remedy = "install it again with `pip install --force-reinstall sharedarray-xp`"
    if others:
        wanted = importlib.machinery.EXTENSION_SUFFIXES[0]
        state += f" for this Python (it needs {stem}{wanted}, there is {', '.join(others)})"
    raise ImportError(f"{state}: {remedy}.", name=name)


check_system(sys.platform, sys.implementation.name, sys.version_info)
check_built(f"{__package__}._core")
