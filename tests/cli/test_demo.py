"""demo as a user runs it."""

import contextlib
import mmap
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from PIL import Image

import sharedarray as xp
from sharedarray.__main__ import main
from sharedarray._cli import compare, demo, memory, picture, progress, units

from .conftest import SOURCE

SMALL = ("--size", "96", "--workers", "2")


def test_the_sample(command, tmp_path):
    done = command("demo", *SMALL)
    assert done.stderr == ""  # no bar where there is no terminal
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "jacksboro_fault_dem.npz: 344 x 403 heights, 236 to 1076; bicubic to 96 x 90"
    )
    assert lines[1].startswith("jacksboro_fault_dem_relief.png: ")
    assert re.fullmatch(r"slope: \d+\.\d degrees on average, \d+\.\d at most", lines[2])
    assert "results: equal, byte for byte" in lines
    for label in ("time, start included", "sent to workers", "sent back", "memory of all, peak"):
        assert any(line.startswith(label) for line in lines)
    with Image.open(tmp_path / "jacksboro_fault_dem_relief.png") as image:
        assert (image.format, image.size, image.mode) == ("PNG", (90, 96), "RGB")
        pixels = np.asarray(image)
    assert pixels.std() > 20  # no plain area
    assert os.listdir(tmp_path) == ["jacksboro_fault_dem_relief.png"]


def test_private_memory_is_not_for_the_demonstration(command):
    done = command("demo", "--size", "96", "--workers", "2", SHAREDARRAY_MEMORY="private")
    assert "results: equal, byte for byte" in done.stdout.splitlines()


def test_the_same_picture_each_time(command, tmp_path):
    for name in ("a.png", "b.png"):
        command("demo", *SMALL, "--output", name, "--workers", 3 if name == "a.png" else 1)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("a.npy", np.random.default_rng(1).normal(size=(20, 30))),
        ("a.npy", np.full((1, 1), 5, np.int16)),
        ("a.npy", np.arange(9.0)[None]),
        ("a.npy", np.where(np.eye(20), np.nan, 1.0)),
        ("a.npz", np.random.default_rng(2).integers(0, 99, (20, 30))),
        ("a.png", np.random.default_rng(3).integers(0, 255, (20, 30, 3), np.uint8)),
        ("a.tif", np.random.default_rng(4).normal(size=(20, 30)).astype("f4")),
    ],
    ids=["npy", "point", "line", "holes", "npz", "colours", "tif"],
)
def test_files_of_each_kind(tmp_path, monkeypatch, capsys, name, values):
    monkeypatch.chdir(tmp_path)
    if name == "a.npy":
        np.save(name, values)
    elif name == "a.npz":
        np.savez(name, heights=values)
    else:
        Image.fromarray(values).save(name)
    assert main(["demo", name, *SMALL, "--method", "bilinear"]) == 0
    out, err = capsys.readouterr()
    assert "results: equal, byte for byte" in out
    assert err == ""
    with Image.open("a_relief.png") as image:
        assert max(image.size) == 96


def test_without_a_size_large_files_keep_theirs(monkeypatch):
    monkeypatch.setattr(demo, "DEFAULT_SIZE", 50)
    monkeypatch.setattr(demo, "LARGEST_DEFAULT", 80)
    assert [demo.wanted_size(None, shape) for shape in ((9, 9), (60, 9), (9, 900))] == [50, 60, 80]
    assert demo.wanted_size(7, (60, 9)) == 7


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.npy"], "there is no file 'missing.npy'"),
        (["."], "'.' is a folder"),
        (["line.npy"], "line.npy has the shape (5,)"),
        (["text.txt"], "text.txt is no .npy or .npz file, and no image that Pillow knows"),
        (["good.npy", "--output", "."], "'.' is a folder, --output needs the name of a file"),
        (["good.npy", "--output", "no/a.png"], "there is no folder 'no'"),
        (["good.npy", "--output", "good.npy"], "is the file with the heights"),
        (["good.npy", "--device", "gpu"], "a device is 'cpu', 'cuda' or 'cuda:N'"),
        (["good.npy", "--device", "cuda:99"], "asked for cuda:99"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    np.save("line.npy", np.arange(5.0))
    np.save("good.npy", np.ones((3, 3)))
    (tmp_path / "text.txt").write_text("heights")
    before = sorted(os.listdir())
    assert main(["demo", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("python -m sharedarray demo: ")
    assert says in err
    assert err.count("\n") == 1
    assert sorted(os.listdir()) == before
    np.testing.assert_array_equal(np.load("good.npy"), np.ones((3, 3)))


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(os, "access", lambda *args: False)
    assert main(["demo", "--output", str(tmp_path / "a.png")]) == 2
    assert "cannot be written: permission denied" in capsys.readouterr().err


def test_a_disk_that_is_full(tmp_path, monkeypatch, capsys):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(picture, "write", full)
    assert main(["demo", *SMALL, "--output", str(tmp_path / "a.png")]) == 1
    assert capsys.readouterr().err.endswith("No space left on device\n")


def test_pillow_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert main(["demo"]) == 2
    assert "pip install 'sharedarray-xp[demo]'" in capsys.readouterr().err


def test_different_results_are_noticed(tmp_path, monkeypatch, capsys):
    right = compare.shaded_relief

    def wrong(*args):
        relief = right(*args)
        relief[1, 3, 5] += 1e-6
        return relief

    monkeypatch.setattr(compare, "shaded_relief", wrong)
    assert main(["demo", *SMALL, "--output", str(tmp_path / "a.png")]) == 1
    assert "results: DIFFERENT" in capsys.readouterr().out


def kill_this_process(*args):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sharedarray._cli.terrain.shade", kill_this_process)
    assert main(["demo", *SMALL, "--output", str(tmp_path / "a.png")]) == 1
    assert capsys.readouterr().err == "a worker process was killed; the work cannot go on\n"


def fail(*args):
    raise MemoryError("no room in the worker")


def test_an_error_in_a_worker(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sharedarray._cli.terrain.shade", fail)
    assert main(["demo", *SMALL, "--output", str(tmp_path / "a.png")]) == 1
    assert "no room in the worker" in capsys.readouterr().err


def abandoned():
    """Return the names in /dev/shm that no process has mapped: other programs use theirs."""
    inodes = {}
    for entry in os.scandir("/dev/shm"):
        with contextlib.suppress(FileNotFoundError):
            inodes[entry.name] = str(entry.stat().st_ino)
    mapped = set()
    for maps in pathlib.Path("/proc").glob("[0-9]*/maps"):
        with contextlib.suppress(OSError):
            # The inode: sem_open() maps a file before it has its name.
            lines = (line.split() for line in maps.read_text().splitlines())
            mapped.update(fields[4] for fields in lines if "/dev/shm/" in fields[-1] + fields[-2])
    names = {name for name, inode in inodes.items() if inode not in mapped}
    return {name for name in names if pathlib.Path("/dev/shm", name).exists()}


def test_nothing_is_left_behind(command, tmp_path):
    before = abandoned()
    command("demo", *SMALL)
    assert abandoned() <= before


def test_what_is_left_behind_is_seen():
    name = f"left-by-{os.getpid()}"
    path = pathlib.Path("/dev/shm", name)
    path.write_bytes(bytes(4096))
    try:
        assert name in abandoned()
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 4096):
            assert name not in abandoned()
    finally:
        path.unlink()


def living(group):
    """Return the processes of a process group, but those that only wait to be reaped."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, its_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append((folder / "cmdline").read_text())
    return found


def test_control_c(tmp_path):
    """Ctrl-C on a terminal goes to the whole foreground group."""
    terminal, inside = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sharedarray", "demo", "--size", "3000", "--workers", "2"],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm"},
        cwd=tmp_path,
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
    )
    os.close(inside)
    seen = ""
    interrupted = False
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            ready, _, _ = select.select([terminal], [], [], 1)
            if ready:
                try:
                    data = os.read(terminal, 1 << 16)
                except OSError:  # the other side is closed
                    break
                seen += data.decode(errors="replace")
            if not interrupted and "0 %" in seen:
                interrupted = True
                os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130, seen
        assert seen.rstrip().endswith("interrupted"), seen
        assert "Traceback" not in seen
        while living(process.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert living(process.pid) == []
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


# Parts.


class Stream:
    """A terminal, or none."""

    def __init__(self, tty=True, encoding="utf-8"):
        self.tty, self.encoding, self.text = tty, encoding, ""

    def isatty(self):
        return self.tty

    def write(self, text):
        text.encode(self.encoding)
        self.text += text

    def flush(self):
        pass


def test_bar(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    stream = Stream()
    bar = progress.Bar("work", stream)
    for done in range(5):
        bar(done, 4)
    bar.close()
    drawn = stream.text.split("\r")[1:]
    assert len(drawn) == 6
    assert all(len(line) < 60 for line in drawn)
    assert [line.count("█") for line in drawn[:5]] == sorted(
        {line.count("█") for line in drawn[:5]}
    )
    assert " 50 %" in drawn[2]
    assert "100 %" in drawn[4]
    assert "░" not in drawn[4]
    assert drawn[5] == "\x1b[K"


@pytest.mark.parametrize("columns", ["1", "20", "500"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "no-such-encoding"])
def test_bar_on_odd_terminals(monkeypatch, columns, encoding):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", columns)
    stream = Stream(encoding="utf-8" if encoding.startswith("no") else encoding)
    bar = progress.Bar("work", stream)
    bar(1, 2)
    assert "50 %" in stream.text


@pytest.mark.parametrize(("tty", "term"), [(False, "xterm"), (True, "dumb"), (True, "")])
def test_no_bar(monkeypatch, tty, term):
    monkeypatch.setenv("TERM", term)
    if not term:
        monkeypatch.delenv("TERM")
    stream = Stream(tty)
    bar = progress.Bar("work", stream)
    bar(1, 2)
    bar.close()
    assert stream.text == ""
    assert bar.seconds > 0


def test_memory_of_a_family():
    assert memory.family()[0] == os.getpid()
    code = "import sys; x = bytearray(50 << 20); print(flush=True); sys.stdin.read()"
    with memory.Peak() as before:
        pass
    with memory.Peak() as peak:
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        child.stdout.readline()
        assert child.pid in memory.family()
        peak.measure()
        child.communicate()
    assert child.pid not in memory.family()
    assert before.nbytes + (100 << 20) > peak.nbytes > before.nbytes + (50 << 20)


def test_memory_counts_shared_pages_once():
    if memory.pss(os.getpid()) is None:
        pytest.skip("this kernel does not tell the memory of processes")
    before = memory.pss(os.getpid())
    x = xp.ones(8 << 20, dtype=xp.uint8)
    assert memory.pss(os.getpid()) - before > 7 << 20
    del x


def test_memory_that_cannot_be_had(monkeypatch):
    monkeypatch.setattr(memory, "pss", lambda pid: None)
    with memory.Peak() as peak:
        pass
    assert peak.nbytes is None
    table = demo._table((1.0, 2, 3, None), (4.0, 5, 6, None), True, 2)
    assert table.count("not measurable") == 2


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (10_230, "9.99 KiB"),
        (10_240, "10.0 KiB"),
        (102_400, "100 KiB"),
        (1 << 20, "1.00 MiB"),
        (1023 << 10, "1.00 MiB"),
        (5 << 30, "5.00 GiB"),
        (5 << 50, "5120 TiB"),
    ],
)
def test_sizes(nbytes, text):
    assert units.size(nbytes) == text
