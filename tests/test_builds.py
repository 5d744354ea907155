"""Both builds, each from a clean copy of the sources: what they make, and that it works."""

import importlib.machinery
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parent.parent
SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]

SECONDS = 1000  # for one command, on a machine that is busy

# What a program sent can be opened after its end: its keeper runs.
OUTLIVED = """
import subprocess, sys
import sharedarray as xp
code = "import sharedarray as xp; print(bytes(xp.full(9, 7.0).handle()).hex())"
sent = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
x = xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(sent.stdout)))
print("kept" if float(x[8]) == 7.0 else x)
"""

# What is built, not how fast it is.
QUICKLY = {**os.environ, "SHAREDARRAY_CFLAGS": "-O0"}

pytestmark = [pytest.mark.slow, pytest.mark.time_out(SECONDS + 100)]


def run(*command, **options):
    """Run a command to its end and return what it wrote."""
    done = subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        **options,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def listed(file="modules.txt"):
    """Return the names of the one list of modules, or of that of programs."""
    lines = (ROOT / "pyx" / file).read_text().splitlines()
    return {line.partition(":")[0] for line in lines if line.strip()}


def compiled(names):
    """Return the modules among file names that are compiled for this Python."""
    return {pathlib.PurePath(name).name.removesuffix(SUFFIX) for name in names if SUFFIX in name}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the sources without anything that was built."""
    folder = tmp_path_factory.mktemp("clean") / "tree"
    files = run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).split("\0")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(tree, tmp_path_factory):
    """The wheel, built as pip builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ".", cwd=tree, env=QUICKLY)
    (path,) = folder.glob("sharedarray_xp-*.whl")
    return path


def test_the_wheel_holds_the_package_and_no_sources(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    package = {name for name in names if name.startswith("sharedarray/")}
    assert compiled(package) == listed()
    installed = {
        str(path.relative_to(ROOT))
        for suffix in ("*.py", "*.pyi", "py.typed")
        for path in (ROOT / "sharedarray").rglob(suffix)
    }
    programs = {f"sharedarray/{name}" for name in listed("programs.txt")}
    assert {name for name in package if not name.endswith(".so")} == installed | programs
    for name in programs:
        assert zipfile.ZipFile(wheel).getinfo(name).external_attr >> 16 & 0o111 == 0o111
    assert {name.split("/")[0] for name in names} == {
        "sharedarray",
        wheel.name.split("-cp")[0] + ".dist-info",
    }


def test_the_wheel_works_in_a_fresh_environment(wheel, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "-q", wheel)
    shutil.copy(ROOT / "tests/smoke.py", tmp_path)
    code = "import sysconfig; print(sysconfig.get_path('platlib'))"
    where = run(python, "-c", code).strip()
    command = (python, "-W", "error", "smoke.py", f"{where}/sharedarray", "installed")
    assert run(*command, cwd=tmp_path) == "works\n"
    for name in listed("programs.txt"):
        assert os.access(f"{where}/sharedarray/{name}", os.X_OK)
    assert run(python, "-W", "error", "-c", OUTLIVED, cwd=tmp_path) == "kept\n"


def test_built_in_place(tree, tmp_path):
    build = (sys.executable, "setup.py", "build_ext", "--inplace")
    assert " -O3 " in (told := run(*build, cwd=tree, env=QUICKLY))
    assert told.count(" -O0") == told.count(" -c ")  # after the list's own: the last one holds
    objects = sorted((tree / "sharedarray").glob("*.so"))
    assert compiled(path.name for path in objects) == listed()
    shutil.copy(ROOT / "tests/smoke.py", tmp_path)
    smoke = (sys.executable, "-W", "error", "smoke.py", tree / "sharedarray", "in-place")
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    assert run(*smoke, cwd=tmp_path, env=environment) == "works\n"
    for name in listed("programs.txt"):
        assert os.access(tree / "sharedarray" / name, os.X_OK)
    outlived = (sys.executable, "-W", "error", "-c", OUTLIVED)
    assert run(*outlived, cwd=tmp_path, env=environment) == "kept\n"

    def commands():
        return [line for line in run(*build, cwd=tree, env=QUICKLY).splitlines() if " -c " in line]

    assert commands() == []
    edited = [
        *sorted(tree.glob("pyx/sharedarray/core/*.h"))[:1],
        tree / "pyx/sharedarray/_core.pxd",
    ]
    for path in edited:
        path.write_text(path.read_text() + "\n")
        os.utime(path)
        assert any("_core.c" in line for line in commands()), f"{path} was edited"
    assert commands() == []

    changed = (sys.executable, "-c", "import setup; print(setup.directives_changed())")
    assert run(*changed, cwd=tree) == "False\n"
    os.utime(tree / "pyx/flags.txt")
    assert run(*changed, cwd=tree) == "True\n"
