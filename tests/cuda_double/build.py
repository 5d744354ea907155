"""Build the driver double: once for each state of its sources, into a folder of its own."""

import functools
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "src"
NAME = "libcuda.so.1"
FLAGS = (
    "-std=gnu11 -O1 -g -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -pthread "
    f"-Wl,-soname,{NAME} -Wl,-z,nodelete -Wl,-z,defs"
).split()


class BuildError(Exception):
    """The double could not be built; the message says why."""


def _compiler():
    command = shlex.split(os.environ.get("CC") or "gcc")
    if shutil.which(command[0]) is None:
        raise BuildError(
            f"the driver double is built with a C compiler, and {command[0]!r} was not found: "
            "install gcc, or set CC"
        )
    return command


def _key(command):
    digest = hashlib.sha256(repr([command, FLAGS]).encode())
    for file in sorted(SOURCES.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _cache():
    """Return a folder for built doubles: the checkout's, or one of this user's alone."""
    folder = HERE.parents[1] / "build" / "cuda_double"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    folder = pathlib.Path(tempfile.gettempdir(), f"sharedarray-cuda-double-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise BuildError(f"{folder} belongs to somebody else: remove it, or set TMPDIR")
    return folder


def _compile(command, into):
    sources = [str(file) for file in sorted(SOURCES.glob("*.c"))]
    arguments = [*command, *FLAGS, "-o", str(into / NAME), *sources]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise BuildError(f"{shlex.join(arguments)}\n{done.stderr}")


@functools.cache
def folder():
    """
    Build the double unless this state of it has been built, and return the folder it is in.

    Processes that build at once do not meet: each builds in a folder of its own, and one of them
    gives its folder the final name.

    Returns
    -------
    str
        Folder that holds ``libcuda.so.1`` and nothing else.

    Raises
    ------
    BuildError
        If there is no compiler, or it refuses the sources.
    """
    command = _compiler()
    cache = _cache()
    final = cache / _key(command)
    if not final.exists():
        with tempfile.TemporaryDirectory(prefix="building-", dir=cache) as temporary:
            built = pathlib.Path(temporary, "built")
            built.mkdir()
            _compile(command, built)
            try:
                built.rename(final)
            except OSError:
                if not (final / NAME).exists():
                    raise
    return str(final)


def library():
    """Return the path of the built ``libcuda.so.1``."""
    return os.path.join(folder(), NAME)
