"""demo --device cuda, on the driver double; on a card by `make gpu`."""

import os

import pytest

from tests.cuda_double import beside_real_driver, environment

ON_CARD = "SHAREDARRAY_TEST_CARD" in os.environ
SMALL = ("--size", "96", "--workers", "2")

on_the_double = pytest.mark.skipif(
    ON_CARD or bool(beside_real_driver()),
    reason="the driver double refuses to load beside a real driver",
)
pytestmark = pytest.mark.gpu


@pytest.fixture(params=["card"] if ON_CARD else ["immediate", "delayed"])
def card(request, tmp_path):
    """The environment of a process with CUDA devices."""
    if request.param == "card":
        return {}
    if beside_real_driver():
        pytest.skip("the driver double refuses to load beside a real driver")
    (tmp_path / "machine").mkdir()
    return environment(devices=2, delayed=request.param == "delayed", machine=tmp_path / "machine")


def test_the_sample(command, tmp_path, card):
    done = command("demo", *SMALL, "--device", "cuda", "--output", "a.png", **card)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].endswith("bicubic to 96 x 90 on cuda:0")
    assert "results: equal, byte for byte" in lines
    assert any(line.startswith("host memory of all, peak") for line in lines)
    assert (tmp_path / "a.png").stat().st_size > 1000


@on_the_double
def test_the_same_picture_as_on_the_cpu(command, tmp_path):
    command("demo", *SMALL, "--output", "cpu.png")
    card = environment(devices=2)
    command("demo", *SMALL, "--device", "cuda:1", "--output", "cuda.png", **card)
    assert (tmp_path / "cuda.png").read_bytes() == (tmp_path / "cpu.png").read_bytes()


@on_the_double
def test_without_a_device_it_is_one_line(command, tmp_path):
    for name, card in (("cuda", environment(devices=0)), ("cuda:7", environment(devices=2))):
        done = command("demo", *SMALL, "--device", name, status=2, **card)
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("python -m sharedarray demo: ")
        assert "the device 'cpu' is always there" in done.stderr or "the last one is" in done.stderr
    assert os.listdir(tmp_path) == []


@on_the_double
def test_a_device_whose_memory_cannot_be_shared_is_one_line(command, tmp_path):
    card = environment(devices=1, attributes="102=0")
    done = command("demo", *SMALL, "--device", "cuda", status=2, **card)
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "memory of cuda:0 cannot be shared" in done.stderr
    assert os.listdir(tmp_path) == []
