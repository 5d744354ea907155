"""What the import says where the package cannot work."""

import importlib.machinery
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent


@pytest.fixture
def unbuilt(tmp_path):
    """A source tree without compiled modules."""
    shutil.copytree(
        ROOT / "sharedarray",
        tmp_path / "sharedarray",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    (tmp_path / "pyx").mkdir()
    shutil.copy(ROOT / "pyx/modules.txt", tmp_path / "pyx")
    return tmp_path


def importing(tree, before=""):
    """Import the package from `tree` in a new interpreter and return the last line it wrote."""
    program = f"import sys; sys.path.insert(0, {str(tree)!r}); {before}\nimport sharedarray"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_an_unbuilt_tree_says_what_to_run(unbuilt):
    message = importing(unbuilt)
    assert message.startswith("ImportError: ")
    assert str(unbuilt) in message
    for command in ("python setup.py build_ext --inplace", "make", "pip install ."):
        assert f"`{command}`" in message


def test_a_tree_built_for_another_python_says_so(unbuilt):
    (unbuilt / "sharedarray/_core.cpython-399-x86_64-linux-gnu.so").touch()
    message = importing(unbuilt)
    assert "there is _core.cpython-399-x86_64-linux-gnu.so, for another Python" in message
    assert f"cpython-{sys.version_info[0]}{sys.version_info[1]}" in message


def test_a_tree_that_is_built_in_part_says_what_to_run(unbuilt):
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    for name in ("_errors", "_weak", "_core", "_ledger", "_cuda"):
        (unbuilt / f"sharedarray/{name}{suffix}").touch()
    message = importing(unbuilt)
    assert "is not built (it needs _storage" in message
    assert "`python setup.py build_ext --inplace`" in message


def test_an_incomplete_installation_names_the_distribution(unbuilt):
    shutil.rmtree(unbuilt / "pyx")
    message = importing(unbuilt)
    assert message.startswith("ImportError: ")
    assert "pip install --force-reinstall sharedarray-xp" in message


@pytest.mark.parametrize("platform", ["darwin", "win32", "freebsd14"])
def test_elsewhere_than_linux_one_sentence(unbuilt, platform):
    message = importing(unbuilt, f"sys.platform = {platform!r}")
    assert message.startswith("ImportError: ")
    assert "works on Linux only" in message
    assert repr(platform) in message


def test_an_old_python_is_told(unbuilt):
    message = importing(unbuilt, "sys.version_info = (3, 10, 13)")
    assert message.startswith("ImportError: ")
    assert "3.11 or newer; this is cpython 3.10" in message
