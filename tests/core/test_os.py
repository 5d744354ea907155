"""core/os.c: what it takes from the kernel."""

import ctypes
import errno
import fcntl
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys

import pytest

from tests.harness import procfs

from .native import SEALS, SOMEONE, descriptors, may_unshare, set_dumpable, wait_status

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="changes user: needs root")


def in_child(check):
    """Run `check` in a forked child, for limits that must not stay; its result must be true."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = 0 if check() else 2
        finally:
            os._exit(code)
    assert wait_status(pid) == 0


def test_memfd_is_sealed_named_and_not_inherited(core, flat):
    _, name, fd = core.segment(12345)
    assert os.fstat(fd).st_size == 12345
    assert fcntl.fcntl(fd, fcntl.F_GET_SEALS) & SEALS == SEALS
    assert os.readlink(f"/proc/self/fd/{fd}") == f"/memfd:{name} (deleted)"
    assert not os.get_inheritable(fd)
    for size in (0, 12344, 12346):
        with pytest.raises(PermissionError):
            os.ftruncate(fd, size)
    os.close(fd)


def test_memfd_cannot_be_executed(core):
    release = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2])
    if release < (6, 3):
        pytest.skip("MFD_NOEXEC_SEAL came with Linux 6.3")
    _, _, fd = core.segment()
    assert os.fstat(fd).st_mode & 0o111 == 0
    with pytest.raises(PermissionError):
        os.fchmod(fd, 0o777)
    os.close(fd)


def test_memfd_beyond_the_file_size_limit_is_an_error_and_no_signal(core):
    def check():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        before = descriptors()
        refused = core.memfd("sharedarray-x", (1 << 20) + 1) == (-errno.EFBIG, -1)
        level = descriptors() == before
        return refused and level and core.memfd("sharedarray-x", 1 << 20)[0] == 0

    in_child(check)


def test_the_file_size_limit_would_have_been_a_signal():
    """The fault that the check prevents."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        os.ftruncate(os.memfd_create("x"), (1 << 20) + 1)
        os._exit(0)
    assert wait_status(pid) == -signal.SIGXFSZ


@pytest.mark.parametrize("size", [1 << 63, (1 << 64) - 1])
def test_memfd_of_an_impossible_size(core, flat, size):
    assert core.memfd("sharedarray-x", size) == (-errno.EFBIG, -1)


def test_memfd_without_descriptors(core):
    def check():
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
        return core.memfd("sharedarray-x", 4096) == (-errno.EMFILE, -1)

    in_child(check)


def test_ids_differ(core):
    seen = {tuple(core.new_id()) for _ in range(1000)}
    assert len(seen) == 1000
    assert len({core.name(pair) for pair in seen}) == 1000


def test_boot_id(core):
    out = ctypes.create_string_buffer(16)
    assert core.lib.sa_boot_id(out) == 0
    with open("/proc/sys/kernel/random/boot_id") as file:
        assert out.raw.hex() == file.read().strip().replace("-", "")


@pytest.mark.parametrize("which", ["pid", "net", "user", "mnt"])
def test_namespaces(core, which):
    ino = ctypes.c_uint64()
    assert core.lib.sa_namespace(which.encode(), ctypes.byref(ino)) == 0
    assert os.readlink(f"/proc/self/ns/{which}") == f"{which}:[{ino.value}]"


def test_no_such_namespace(core):
    ino = ctypes.c_uint64()
    assert core.lib.sa_namespace(b"none", ctypes.byref(ino)) == -errno.ENOENT
    assert core.lib.sa_namespace(b"n" * 100, ctypes.byref(ino)) == -errno.ENAMETOOLONG


def test_start_time_survives_hostile_names(core, peer):
    """The command stands before it and may hold parentheses, spaces and line ends."""
    for name in ("x) R 1 1 (", "a b c d e f", ") Z 0 ) 1\\n2"):
        peer("ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)", name=name)
        assert core.start(peer.pid) == peer.start
        assert core.alive(peer.pid, peer.start)


def test_alive(core, peer):
    assert core.alive(peer.pid, peer.start)
    assert not core.alive(peer.pid, peer.start + 1)
    assert not core.alive(0, 0)
    assert not core.alive(-1, 0)


def test_a_killed_process_is_dead_before_it_is_waited_for(core):
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(1)
    start = core.start(pid)
    assert core.alive(pid, start)
    os.kill(pid, signal.SIGKILL)
    assert procfs.wait_until(lambda: procfs.state(pid) == "Z")
    assert core.start(pid) == start
    assert not core.alive(pid, start)
    os.waitpid(pid, 0)
    assert not core.alive(pid, start)


# In a program of its own: a fork of this one has no other threads, but maybe their locks.
FIRST_THREAD_ENDS = """
import ctypes, os, signal, threading, time

def rest():
    while True:
        with open(f"/proc/{os.getpid()}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                break
        time.sleep(0.01)
    os.write(1, b"Z")
    signal.sigwait({signal.SIGUSR1})
    os._exit(0)

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
threading.Thread(target=rest, daemon=True).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_process_whose_first_thread_ended_lives(core):
    program = [sys.executable, "-c", FIRST_THREAD_ENDS]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as process:
        start = core.start(process.pid)
        try:
            ready, _, _ = select.select([process.stdout], [], [], 60)
            assert ready
            assert process.stdout.read(1) == b"Z"
            assert core.alive(process.pid, start)
            os.kill(process.pid, signal.SIGUSR1)
            assert process.wait(60) == 0
        finally:
            process.kill()


@root_only
def test_hidden_processes_count_as_alive(peers):
    if not may_unshare("--mount"):
        pytest.skip("mount namespaces are refused here")
    held = peers(uid=SOMEONE)
    held("set_dumpable(0)")
    viewer = peers(wrapper=["unshare", "--mount"])
    mount = ["mount", "-t", "proc", "-o", "hidepid=2", "proc", "/proc"]
    viewer("subprocess.run(mount, check=True)", mount=mount)
    viewer(f"become({SOMEONE})")
    assert viewer("core.start(pid)", pid=held.pid) < 0
    assert viewer("core.alive(pid, start)", pid=held.pid, start=held.start)


@pytest.fixture
def stale(peers):
    """A process in a pid namespace of its own that sees its parents' /proc."""
    if not may_unshare("--pid", "--fork"):
        pytest.skip("pid namespaces are refused here")
    return peers(wrapper=["unshare", "--pid", "--fork"])


def test_proc_of_another_namespace_is_noticed(core, stale):
    assert core.lib.sa_proc_ours()
    assert not stale("core.lib.sa_proc_ours()")
    assert stale("core.lib.sa_serve_needed()")


def test_proc_of_another_namespace_does_not_tell_deaths(stale):
    """There, a number names one process in /proc and another one for kill()."""
    stale("child = subprocess.Popen(['sleep', '60'])")
    assert stale("core.alive(child.pid, 1)")
    stale("child.kill(); child.wait()")
    assert not stale("core.alive(child.pid, 1)")


def test_same_user(core):
    assert core.lib.sa_same_user(os.geteuid())
    assert not core.lib.sa_same_user(os.geteuid() + 1)


@root_only
def test_the_overflow_user_is_nobody_in_particular(peers):
    if not may_unshare("--user"):
        pytest.skip("user namespaces are refused here")
    overflow = int(pathlib.Path("/proc/sys/kernel/overflowuid").read_text())
    with_names = peers(uid=overflow)
    assert with_names("core.lib.sa_same_user(os.geteuid())")
    nameless = peers(wrapper=["unshare", "--user"])
    assert nameless("os.geteuid()") == overflow
    assert not nameless("core.lib.sa_same_user(os.geteuid())")


def test_shared_memory_is_told_from_other_files(core, tmp_path):
    _, _, fd = core.segment()
    assert core.lib.sa_is_shmem(fd)
    for other in (os.open(tmp_path, os.O_PATH), os.open("/dev/null", os.O_RDONLY), *os.pipe()):
        assert not core.lib.sa_is_shmem(other)
        os.close(other)
    os.close(fd)


def test_serve_needed(core, monkeypatch):
    def closed():
        set_dumpable(0)
        return core.lib.sa_serve_needed()

    def asked():
        ctypes.CDLL(None).setenv(b"SHAREDARRAY_SERVE", b"1", 1)
        return core.lib.sa_serve_needed()

    assert not core.lib.sa_serve_needed()
    in_child(closed)
    in_child(asked)


@root_only
def test_serve_needed_with_mixed_users(core):
    """The kernel wants a peer's user to equal the real, effective and saved one."""

    def mixed():
        os.setresuid(SOMEONE, SOMEONE, 0)
        set_dumpable(1)
        return core.lib.sa_serve_needed()

    in_child(mixed)
