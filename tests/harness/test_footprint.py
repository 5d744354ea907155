"""Each check of a footprint sees the fault that it is there for."""

import mmap
import os
import subprocess
import sys
import threading
import uuid

import pytest

from . import Footprint, FootprintError, procfs, returns_to_start, stays_level
from .footprint import planted

MIB = 1 << 20


def fault(plant, *, undo, match):
    """Plant a fault inside a checked block and see it reported."""
    held = []
    try:
        with (
            pytest.raises(FootprintError, match=match),
            returns_to_start(settle=lambda: None, timeout=0.3),
        ):
            held.append(plant())
    finally:
        for one in held:
            undo(one)


def segment(nbytes=MIB, touched=True):
    """A descriptor as the library's segments have."""
    fd = os.memfd_create("sharedarray:planted")
    os.ftruncate(fd, nbytes)
    if touched:
        os.write(fd, b"x" * nbytes)
    return fd


def test_nothing_is_reported_of_nothing():
    with returns_to_start():
        fd = segment()
        mmap.mmap(fd, MIB).close()
        os.close(fd)
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()


def test_descriptor():
    fault(lambda: os.open("/dev/null", os.O_RDONLY), undo=os.close, match="1 x /dev/null")


def test_pipe():
    fault(os.pipe, undo=lambda ends: [os.close(end) for end in ends], match="2 x pipe:")


def test_mapping():
    def plant():
        fd = segment(touched=False)
        region = mmap.mmap(fd, MIB)
        os.close(fd)
        return region

    fault(plant, undo=lambda region: region.close(), match=r"mapped bytes left: .* -> ")


def test_memory_of_a_descriptor():
    fault(segment, undo=os.close, match="memory left: ")


def test_memory_held_by_a_child_only():
    def plant():
        fd = segment(8 * MIB)
        child = subprocess.Popen(["sleep", "60"], pass_fds=[fd])
        os.close(fd)
        return child

    def undo(child):
        child.kill()
        child.wait()

    fault(plant, undo=undo, match=r"memory left: .*; processes left: \d+ \(sleep 60\)")


def test_memory_that_is_mapped_but_not_open():
    fd = segment(3 * MIB)
    region = mmap.mmap(fd, 3 * MIB)
    os.close(fd)
    try:
        memory = Footprint().memory
        if not os.access("/proc/self/map_files", os.R_OK):
            pytest.skip("map_files is closed to this user")
        assert memory >= 3 * MIB
    finally:
        region.close()
    assert Footprint().memory <= memory - 3 * MIB


def test_thread():
    end = threading.Event()

    def plant():
        thread = threading.Thread(target=end.wait)
        thread.start()
        return thread

    def undo(thread):
        end.set()
        thread.join()

    fault(plant, undo=undo, match=r"threads left: \d+ -> \d+")


def test_process():
    def undo(child):
        child.kill()
        child.wait()

    fault(lambda: subprocess.Popen(["sleep", "60"]), undo=undo, match=r"processes left: \d+ \(sl")


def test_zombie():
    def plant():
        child = subprocess.Popen([sys.executable, "-c", ""])
        procfs.wait_until(lambda: procfs.state(child.pid) == "Z")
        return child

    fault(plant, undo=lambda child: child.wait(), match="zombies left: ")


def test_entry_in_dev_shm():
    name = f"/dev/shm/{planted()}{uuid.uuid4()}"
    fault(lambda: open(name, "w").close(), undo=lambda _: os.unlink(name), match="entries left")


def test_entry_that_another_run_of_tests_plants():
    name = f"/dev/shm/{planted()}{uuid.uuid4()}".replace(str(os.getpid()), str(os.getppid()))
    start = Footprint()
    open(name, "w").close()
    try:
        assert [line for line in Footprint().growth(start) if "entries" in line] == []
    finally:
        os.unlink(name)


def test_growth_in_every_round():
    held = []
    try:
        with pytest.raises(FootprintError, match="5 x /dev/null"):
            stays_level(lambda: held.append(os.open("/dev/null", os.O_RDONLY)), timeout=0.3)
    finally:
        for fd in held:
            os.close(fd)


def test_what_the_first_round_makes_is_allowed():
    held = []
    try:
        stays_level(lambda: held or held.append(os.open("/dev/null", os.O_RDONLY)))
    finally:
        os.close(held[0])


def test_slack_allows_that_much_memory():
    fds = []
    try:
        with (
            pytest.raises(FootprintError, match="memory left"),
            returns_to_start(slack=MIB, settle=lambda: None, timeout=0.2),
        ):
            fds.append(segment(2 * MIB))
        start = Footprint()
        fds.append(segment(MIB // 2))
        assert [line for line in Footprint().growth(start, slack=MIB) if "memory" in line] == []
    finally:
        for fd in fds:
            os.close(fd)


def test_holders_names_every_process_with_the_segment():
    fd = segment()
    try:
        names = [name for name in procfs.segments(["self"]) if ":planted" in name]
        assert names
        child = subprocess.Popen(["sleep", "60"], pass_fds=[fd])
        try:
            assert set(procfs.holders(names)) == {os.getpid(), child.pid}
        finally:
            child.kill()
            child.wait()
    finally:
        os.close(fd)
    assert procfs.holders(names) == {}
