"""Compile the C core as a program, with a sanitizer, and possibly with a fault planted."""

import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CORE = HERE.parents[1] / "pyx/sharedarray/core"
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE=1", "-pthread", "-O1", "-g"]
KINDS = {"thread": "thread", "address": "address,undefined"}


def sources(folder):
    """Return the C files that the core is made of, as they stand in a copy of its folder."""
    text = (CORE.parents[1] / "modules.txt").read_text()
    (names,) = (line.split()[1:] for line in text.splitlines() if line.startswith("_core:"))
    return [folder / name for name in names]


def hammer(folder, kind, change=None):
    """
    Compile the program.

    Parameters
    ----------
    folder : path
        Where to.
    kind : {"thread", "address"}
    change : tuple, optional
        ``(file of the core, text, text instead)``: a fault.

    Returns
    -------
    path
    """
    core = shutil.copytree(CORE, pathlib.Path(folder, "core"))
    if change:
        name, text, instead = change
        before = (core / name).read_text()
        assert before.count(text) == 1, f"{name} has {before.count(text)} times: {text}"
        (core / name).write_text(before.replace(text, instead))
    warnings = ["-w"] if change else ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
    program = pathlib.Path(folder, "hammer")
    sanitize = [f"-fsanitize={KINDS[kind]}", "-fno-sanitize-recover=all"]
    command = ["cc", *FLAGS, *warnings, *sanitize, f"-I{core}", *sources(core.parent)]
    command += [HERE / "hammer.c", "-o", program]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return program


def run(program, seconds):
    """Run it: exit code, stdout, stderr."""
    environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1")
    # Address space randomisation of newer kernels is more than older sanitizers can bear.
    command = [shutil.which("setarch"), "-R", str(program), str(seconds)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120 + 10 * seconds, env=environment
    )
    return done.returncode, done.stdout, done.stderr
