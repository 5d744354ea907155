"""How the double is built: once, by whoever comes first, and with errors that say what to do."""

import multiprocessing
import os
import pathlib

import pytest

from tests.harness.worker import join

from . import build

COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
sleep 0.2
echo $$ >> {log}
echo made > "$2"
"""


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """A compiler that notes its runs, and an empty cache; where it notes them."""
    log, program = tmp_path / "log", tmp_path / "compiler"
    program.write_text(COMPILER.format(log=log))
    program.chmod(0o755)
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("CC", str(program))
    monkeypatch.setattr(build, "_cache", lambda: tmp_path / "cache")
    build.folder.cache_clear()
    yield log
    build.folder.cache_clear()


def runs(log):
    """Return how often the compiler ran."""
    return len(log.read_text().split()) if log.exists() else 0


def again():
    """Build, as another process would."""
    build.folder.cache_clear()
    return pathlib.Path(build.library())


def test_it_is_built_once(compiler, tmp_path):
    assert again() == again()
    assert runs(compiler) == 1
    assert [path.name for path in again().parent.iterdir()] == ["libcuda.so.1"]
    assert list((tmp_path / "cache").iterdir()) == [again().parent]


def test_other_sources_or_flags_are_another_double(compiler, monkeypatch, tmp_path):
    first = again()
    monkeypatch.setattr(build, "FLAGS", [*build.FLAGS, "-O0"])
    assert again() != first
    sources = tmp_path / "src"
    sources.mkdir()
    (sources / "a.c").write_text("int a;")
    monkeypatch.setattr(build, "SOURCES", sources)
    second = again()
    (sources / "a.c").write_text("int b;")
    assert again() != second
    assert runs(compiler) == 4


def test_processes_that_build_at_once_agree(compiler, tmp_path):
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    processes = [context.Process(target=lambda: results.put(again())) for _ in range(4)]
    for process in processes:
        process.start()
    found = {results.get(timeout=30) for _ in processes}
    for process in processes:
        join(process)
    assert [path.read_text() for path in found] == ["made\n"]
    assert list((tmp_path / "cache").iterdir()) == [found.pop().parent]


def test_a_compiler_that_is_missing_or_refuses(compiler, monkeypatch, tmp_path):
    monkeypatch.setenv("CC", str(tmp_path / "missing"))
    with pytest.raises(build.BuildError, match=r"missing' was not found: install gcc, or set CC"):
        again()
    program = tmp_path / "refuses"
    program.write_text("#!/bin/sh\necho no such thing >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("CC", str(program))
    with pytest.raises(build.BuildError, match="no such thing"):
        again()
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_cache_when_the_checkout_cannot_be_written(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "HERE", pathlib.Path("/proc/self/fdinfo"))
    monkeypatch.setattr(build.tempfile, "tempdir", str(tmp_path))
    folder = build._cache()
    assert folder == tmp_path / f"sharedarray-cuda-double-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.rmdir()
    folder.symlink_to("/tmp")
    with pytest.raises(build.BuildError, match="belongs to somebody else"):
        build._cache()
