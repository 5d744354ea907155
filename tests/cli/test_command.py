"""The command itself: help, unknown words, exit statuses."""

import os
import subprocess
import sys

import pytest

import sharedarray as xp
from sharedarray.__main__ import COMMANDS, main

from .conftest import SOURCE


def test_alone_it_prints_help(command):
    done = command()
    assert done.stderr == ""
    assert "usage: python -m sharedarray" in done.stdout
    for name, summary in COMMANDS.items():
        assert f"{name} " in done.stdout
        assert summary.split(",")[0] in " ".join(done.stdout.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"usage: python -m sharedarray {name}" in capsys.readouterr().out


def test_version(command):
    assert command("--version").stdout == f"sharedarray {xp.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nonsense"], "invalid choice: 'nonsense'"),
        (["--nonsense"], "a command is needed|unrecognized arguments"),
        (["--"], "a command is needed|unrecognized arguments"),
        (["info", "--nonsense"], "unrecognized arguments: --nonsense"),
        (["info", "more"], "unrecognized arguments: more"),
        (["demo", "--workers", "0"], "'0' is no whole number from 1"),
        (["demo", "--workers", "two"], "'two' is no whole number from 1"),
        (["demo", "--size", "1"], "'1' is no whole number from 2"),
        (["demo", "--method", "nearest"], "invalid choice: 'nearest'"),
        (["demo", "--nodata", "x"], "invalid float value"),
        (["demo", "a", "b"], "unrecognized arguments: b"),
    ],
)
def test_wrong_calls_end_with_status_2(arguments, says, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert any(part in error for part in says.split("|"))


def ended(output, words, unbuffered):
    """How a command ended whose output goes to a descriptor: its status and what it complained."""
    done = subprocess.run(
        [sys.executable, "-m", "sharedarray", *words],
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        cwd=SOURCE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        timeout=60,
    )
    return done.returncode, done.stderr


# What argparse prints of itself, it prints without a look at what became of it.
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [(["info"], "1"), (["info"], ""), (["ps", "--json"], ""), (["--help"], ""), ([], "")],
)
def test_a_reader_that_goes_away(words, unbuffered):
    read, write = os.pipe()
    os.close(read)
    try:
        assert ended(write, words, unbuffered) == (1, "")
    finally:
        os.close(write)


@pytest.mark.parametrize(("words", "unbuffered"), [(["info"], "1"), (["info"], ""), ([], "")])
def test_no_room_for_the_output(words, unbuffered):
    with open("/dev/full", "w") as full:
        status, complaint = ended(full, words, unbuffered)
    assert status == 1
    name = " ".join(["python -m sharedarray", *words])
    assert complaint == f"{name}: [Errno 28] No space left on device\n"


def test_no_output_at_all():
    command = f"exec {sys.executable} -m sharedarray info >&-"
    done = subprocess.run(command, shell=True, cwd=SOURCE, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError("no room for 5 TiB"), 1, "python -m sharedarray info: no room for 5 TiB"),
        (MemoryError(), 1, "python -m sharedarray info: out of memory"),
        (OSError(28, "No space left"), 1, "python -m sharedarray info: [Errno 28] No space left"),
    ],
)
def test_failures_have_a_status_and_a_sentence(error, status, says, monkeypatch, capsys):
    def fail(arguments):
        raise error

    monkeypatch.setattr("sharedarray._cli.info.run", fail)
    assert main(["info"]) == status
    assert capsys.readouterr().err == says + "\n"
