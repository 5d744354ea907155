#!/usr/bin/env python3
"""Build the modules with AddressSanitizer and UBSan in a copy of the tree, and run tests there.

``python tools/asan.py FOLDER [pytest's arguments]``: the copy in FOLDER is brought up to date, so
the normal build is left alone. Leaks of the interpreter are not looked for.
"""

import filecmp
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("conftest.py", "pyproject.toml", "setup.py", "pyx", "sharedarray", "tests", "tools")
LEFT_OUT = shutil.ignore_patterns("*.so", "__pycache__", "build")
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
#: Of sharing, what goes different ways through the core; the rest goes the same ones again.
SHARING = (
    "changing_hands closed_descriptors collect fork fork_messages handle_fuzz handle_refused"
    " handles keeper kill lifetimes limits noise_in_ledgers storage threads"
)
TESTS = (
    "tests/core",
    "tests/memory",
    *(f"tests/sharing/test_{name}.py" for name in SHARING.split()),
)

#: Left out are tests that limit address space (the sanitizer takes terabytes of it), count what it
#: has itself (mappings, descriptors), or build a library without it; and start methods other
#: than fork, which differ above the compiled modules only.
CHOICE = (
    "not (limit or address_space or ulimit or rlimit or memory_error or sanitizer)"
    " and not spawn and not forkserver"
)


def copied(source, target):
    """Copy a file unless it is there already, so that builds know what has changed."""
    if not os.path.exists(target) or not filecmp.cmp(source, target, shallow=False):
        shutil.copy2(source, target)
    return target


def bring_up_to_date(folder):
    """Copy what the build and the tests need; other flags for the compiler."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = folder / "flags.txt"
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name,
                folder / name,
                copy_function=lambda s, t: None if s.endswith("pyx/flags.txt") else copied(s, t),
                dirs_exist_ok=True,
                ignore=LEFT_OUT,
            )
        else:
            copied(ROOT / name, folder / name)
    text = (ROOT / "pyx/flags.txt").read_text()
    assert "compile: -O3 -g0 " in text and "link: " in text
    text = text.replace("compile: -O3 -g0 ", f"compile: -O1 -g -fno-omit-frame-pointer {SANITIZE} ")
    flags.write_text(text.replace("link: ", f"link: {SANITIZE} "))
    copied(flags, folder / "pyx/flags.txt")


def library(name):
    """Return the path of one of the compiler's libraries."""
    found = subprocess.check_output(["cc", f"-print-file-name={name}"], text=True).strip()
    if not os.path.isabs(found):
        sys.exit(f"cc has no {name}: install the sanitizers' libraries of the compiler")
    return os.path.realpath(found)


def environment():
    """Return the environment in which such modules can be imported."""
    return dict(
        os.environ,
        LD_PRELOAD=library("libasan.so"),
        ASAN_OPTIONS="detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0:"
        "use_sigaltstack=0:allocator_may_return_null=1:detect_odr_violation=0",
        UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
        PYTHONMALLOC="malloc",
    )


def check_instrumented(folder):
    """Fail unless the compiler put its checks into every module."""
    modules = sorted((folder / "sharedarray").glob("*.so"))
    bare = [m.name for m in modules if b"__asan_report_load" not in m.read_bytes()]
    if bare or not modules:
        sys.exit(f"built without AddressSanitizer: {bare or 'nothing was built'}")


def main(folder, *arguments):
    """Build and test."""
    folder = pathlib.Path(folder).resolve()
    bring_up_to_date(folder)
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=folder, check=True)
    check_instrumented(folder)
    if not arguments:
        arguments = (*TESTS, "-m", "not slow", "-k", CHOICE, "-n", str(os.cpu_count()))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
