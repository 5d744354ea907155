"""What holds for the project as a whole: sizes, the list of modules, the version, the metadata."""

import importlib
import importlib.machinery
import pathlib
import re
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parent.parent
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".c", ".h", ".rst", ".md", ".toml", ".build", ".sh"}
FOLDERS = ("sharedarray", "pyx", "tests", "tools", "docs", "benchmarks", "examples")
LIMIT, NOTEWORTHY = 800, 400

sys.path.insert(0, str(ROOT / "tools"))

import buildinfo  # noqa: E402


def lengths(root):
    """Map each written file to its number of lines (generated C and pages left out)."""
    generated = {path.with_suffix(".c") for path in (root / "pyx").rglob("*.pyx")}
    skipped = {root / "docs/_build", root / "docs/generated"}
    found = {}
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            written = path not in generated and skipped.isdisjoint(path.parents)
            if written and path.suffix in SUFFIXES:
                found[str(path.relative_to(root))] = len(path.read_text().splitlines())
    return found


def longer(root, limit):
    """Return the files with more lines than `limit`, the longest first."""
    found = sorted(lengths(root).items(), key=lambda item: -item[1])
    return [f"{path}: {lines} lines" for path, lines in found if lines > limit]


def test_files_are_short_enough(capsys):
    noteworthy = longer(ROOT, NOTEWORTHY)
    if noteworthy:
        with capsys.disabled():
            print(f"\nover {NOTEWORTHY} lines: {'; '.join(noteworthy)}")
    assert longer(ROOT, LIMIT) == []


def test_a_long_file_is_seen_and_a_generated_one_is_not(tmp_path):
    for name in ("pyx/sharedarray/core/own.c", "pyx/sharedarray/_a.c", "docs/generated/x.rst"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n" * (LIMIT + 1))
    (tmp_path / "pyx/sharedarray/_a.pyx").touch()
    assert longer(tmp_path, LIMIT) == [f"pyx/sharedarray/core/own.c: {LIMIT + 1} lines"]


def test_the_list_of_modules_is_complete():
    lists = buildinfo.modules(), buildinfo.programs()
    listed = {source for made in lists for sources in made.values() for source in sources}
    folder = ROOT / buildinfo.PYX
    generated = {path.with_suffix(".c") for path in folder.rglob("*.pyx")}
    sources = {*folder.rglob("*.pyx"), *folder.rglob("*.c")} - generated
    assert sorted(listed) == sorted(str(path.relative_to(ROOT)) for path in sources)


@pytest.mark.parametrize("build", ["meson.build", "setup.py"])
def test_a_build_has_no_list_of_its_own(build):
    text = (ROOT / build).read_text()
    assert "pyx/modules.txt" in text
    words = set(re.findall(r"\w+", text))
    assert "pyx/programs.txt" in text
    for name, sources in [*buildinfo.modules().items(), *buildinfo.programs().items()]:
        assert name not in words
        assert name not in text or name in buildinfo.modules()
        assert not any(source in text for source in sources)
    for flag in buildinfo.flags("compile"):
        assert flag not in text.replace("c_std=gnu11", "")


def test_compiled_modules_are_the_listed_ones():
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    for name in buildinfo.modules():
        module = importlib.import_module(f"sharedarray.{name}")
        assert module.__file__.endswith(f"{name}{suffix}")


def test_the_version_stands_in_one_place():
    import sharedarray

    assert sharedarray.__version__ == buildinfo.version()
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", buildinfo.version())
    for name in ("pyproject.toml", "meson.build", "setup.py", "docs/conf.py"):
        assert f'"{buildinfo.version()}"' not in (ROOT / name).read_text()
    assert f"## [{buildinfo.version()}]" in (ROOT / "CHANGELOG.md").read_text()


def pyproject():
    """Return what stands in pyproject.toml."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)


def test_the_array_api_entry_point_resolves():
    entries = pyproject()["project"]["entry-points"]["array_api"]
    assert entries == {"sharedarray": "sharedarray"}
    namespace = importlib.import_module(entries["sharedarray"])
    assert namespace.__name__ == "sharedarray"
    assert namespace.asarray([1.0]).__array_namespace__() is namespace


def test_the_distribution_has_its_own_name():
    assert pyproject()["project"]["name"] == "sharedarray-xp"
    wrong = re.compile(r"pip install (-\S+ )*[\"']?sharedarray(?!-xp)\b", re.IGNORECASE)
    assert wrong.search("run pip install sharedarray")
    for path in lengths(ROOT):
        if path != "tests/test_project.py":
            assert not wrong.search((ROOT / path).read_text()), path
    assert not wrong.search((ROOT / "README.md").read_text())


def test_extras():
    extras = pyproject()["project"]["optional-dependencies"]
    assert {"cuda12", "cuda13", "test", "docs", "bench"} <= set(extras)
    for major in ("12", "13"):
        cupy, bindings = extras[f"cuda{major}"]
        assert cupy.startswith(f"cupy-cuda{major}x")
        assert bindings.startswith(f"cuda-bindings>={major}.")
        assert f"<{int(major) + 1}" in bindings
