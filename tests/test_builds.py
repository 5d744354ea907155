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


def listed():
    """Return the names of the modules of the one list."""
    lines = (ROOT / "pyx/modules.txt").read_text().splitlines()
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
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ".", cwd=tree)
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
    assert {name for name in package if not name.endswith(".so")} == installed
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


def test_built_in_place(tree, tmp_path):
    build = (sys.executable, "setup.py", "build_ext", "--inplace")
    run(*build, cwd=tree)
    objects = sorted((tree / "sharedarray").glob("*.so"))
    assert compiled(path.name for path in objects) == listed()
    shutil.copy(ROOT / "tests/smoke.py", tmp_path)
    smoke = (sys.executable, "-W", "error", "smoke.py", tree / "sharedarray", "in-place")
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    assert run(*smoke, cwd=tmp_path, env=environment) == "works\n"

    def commands():
        return [line for line in run(*build, cwd=tree).splitlines() if " -c " in line]

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
