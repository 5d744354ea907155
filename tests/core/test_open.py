"""core/open.c: another process's segment, and nothing else, whatever stands behind the number."""

import fcntl
import mmap
import os
import pathlib
import resource
import select

import pytest

from tests.harness import Watch

from .native import ANOTHER, SOMEONE, Reason, descriptors, may_unshare, wait_status
from .test_os import in_child, root_only

SEGMENT = "pair, name, fd = core.segment(size)\n[name, fd]"


@pytest.fixture
def held(peer):
    """A peer with a segment: its name and descriptor."""
    name, fd = peer(SEGMENT, size=4096)
    return peer, name, fd


def attempt(core, held, **changes):
    """Open what the peer holds; the reason alone, with nothing left open."""
    peer, name, fd = held
    asked = {"pid": peer.pid, "start": peer.start, "number": fd, "name": name} | changes
    before = descriptors()
    reason, fd, err = core.open(**asked)
    if reason == Reason.OK:
        os.close(fd)
    else:
        assert fd == -1
    assert descriptors() == before
    return reason, err


def test_both_sides_see_one_memory(core, held, flat):
    peer, name, fd = held
    reason, mine, _ = core.open(peer.pid, peer.start, fd, name)
    assert reason == Reason.OK
    assert not os.get_inheritable(mine)
    with mmap.mmap(mine, 4096) as memory:
        memory[:5] = b"hello"
        assert peer("os.pread(fd, 5, 0).decode()") == "hello"
        peer("os.pwrite(fd, b'HELLO', 0)")
        assert memory[:5] == b"HELLO"
    os.close(mine)


def test_read_only(core, held, flat):
    peer, name, fd = held
    _, mine, _ = core.open(peer.pid, peer.start, fd, name, writable=False)
    assert fcntl.fcntl(mine, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    with pytest.raises(PermissionError):
        mmap.mmap(mine, 4096)
    mmap.mmap(mine, 4096, prot=mmap.PROT_READ).close()
    os.close(mine)


def test_own_process(core, flat):
    _, name, fd = core.segment()
    start = core.start(os.getpid())
    reason, again, _ = core.open(os.getpid(), start, fd, name)
    assert reason == Reason.OK
    assert again != fd
    assert os.path.sameopenfile(fd, again)
    os.close(again)
    os.close(fd)
    assert core.open(os.getpid(), start, fd, name)[0] == Reason.GONE
    assert core.open(os.getpid(), start + 1, fd, name)[0] == Reason.DEAD


def test_another_segment(core, held):
    peer, name, _ = held
    _, other = peer(SEGMENT, size=4096)
    assert attempt(core, held, number=other) == (Reason.IDENTITY, 0)
    assert attempt(core, held, name=name[:-1]) == (Reason.IDENTITY, 0)
    assert attempt(core, held, name=name + "0") == (Reason.IDENTITY, 0)


def test_a_descriptor_that_was_closed(core, held):
    peer = held[0]
    peer("os.close(fd)")
    assert attempt(core, held)[0] == Reason.GONE
    assert attempt(core, held, number=-1)[0] == Reason.GONE
    assert attempt(core, held, number=2**31 - 1)[0] == Reason.GONE


FOREIGN = {
    "directory": "os.open('/', os.O_RDONLY)",
    "file": "os.open(folder + '/file', os.O_RDWR | os.O_CREAT)",
    "socket": "__import__('socket').socket().detach()",
    "pipe": "os.pipe()[0]",
    "device": "os.open('/dev/null', os.O_RDWR)",
    "memfd of another program": "os.memfd_create('other')",
    "eventfd": "os.eventfd(0)",
    "terminal": "os.openpty()[1]",
    "master of a terminal": "os.openpty()[0]",
    "listening socket": "__import__('socket').create_server(('127.0.0.1', 0)).detach()",
    "epoll": "(poll := __import__('select').epoll()).fileno()",
    "process": "os.pidfd_open(os.getpid())",
    "its own memory": "os.open('/proc/self/mem', os.O_RDWR)",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_another_object(core, held, kind, tmp_path):
    peer = held[0]
    number = peer(FOREIGN[kind], folder=str(tmp_path))
    assert attempt(core, held, number=number) == (Reason.GONE, 0)
    assert attempt(core, held, number=number, start=peer.start + 1)[0] == Reason.DEAD


class Fifo:
    """A FIFO whose reading end tells whether anyone has ever opened it for writing."""

    def __init__(self, path):
        self.path = path
        os.mkfifo(path)
        self.fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def disturbed(self):
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(0))

    def close(self):
        os.close(self.fd)


def test_the_watch_on_the_fifo_sees_a_writer(tmp_path):
    fifo = Fifo(tmp_path / "fifo")
    assert not fifo.disturbed()
    os.close(os.open(fifo.path, os.O_WRONLY | os.O_NONBLOCK))
    assert fifo.disturbed()
    fifo.close()


@pytest.mark.parametrize("writable", [True, False])
def test_a_fifo_is_neither_waited_for_nor_disturbed(core, held, tmp_path, writable):
    """A plain open for reading would wait for a writer, and one for writing end a reader's wait."""
    peer = held[0]
    fifo = Fifo(tmp_path / "fifo")
    number = peer("os.open(path, os.O_RDONLY | os.O_NONBLOCK)", path=str(fifo.path))
    assert attempt(core, held, number=number, writable=writable) == (Reason.GONE, 0)
    assert not fifo.disturbed()
    fifo.close()


@pytest.mark.parametrize("writable", [True, False])
def test_a_file_of_another_program_is_not_opened(core, held, tmp_path, writable):
    """Neither is a lease on it broken, of which a plain open would let its holder know."""
    peer, file = held[0], tmp_path / "file"
    file.write_text("not ours")
    number = peer(
        "import signal\n"
        "broken = []\n"
        "signal.signal(signal.SIGIO, lambda *_: broken.append(1))\n"
        "held = os.open(path, os.O_RDWR)\n"
        "fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
        "held",
        path=str(file),
    )
    with Watch(file) as watch:
        assert attempt(core, held, number=number, writable=writable) == (Reason.GONE, 0)
        assert watch.opened() == 0
        assert peer("len(broken)") == 0
        with pytest.raises(BlockingIOError):  # what would have been seen
            os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        assert peer("len(broken)") == 1
        peer("fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_UNLCK)")
        file.read_text()
        assert watch.opened() == 1


@root_only
def test_a_fifo_with_a_lying_name(core, held):
    """A FIFO of the right name in the root directory reads like the memfd."""
    peer, name, _ = held
    path = pathlib.Path(f"/memfd:{name}")
    fifo = Fifo(path)
    try:
        number = peer("os.open(path, os.O_RDONLY | os.O_NONBLOCK)", path=str(path))
    finally:
        path.unlink()
    assert os.readlink(f"/proc/{peer.pid}/fd/{number}") == f"/memfd:{name} (deleted)"
    assert attempt(core, held, number=number) == (Reason.GONE, 0)
    assert not fifo.disturbed()
    fifo.close()


@root_only
def test_a_file_with_a_lying_name(core, held):
    peer, name, _ = held
    path = pathlib.Path(f"/memfd:{name}")
    path.write_bytes(bytes(4096))
    try:
        number = peer("os.open(path, os.O_RDWR)", path=str(path))
    finally:
        path.unlink()
    assert os.readlink(f"/proc/{peer.pid}/fd/{number}") == f"/memfd:{name} (deleted)"
    assert attempt(core, held, number=number) == (Reason.GONE, 0)


@root_only
def test_a_file_in_memory_with_a_lying_name(peers, tmp_path):
    """On a tmpfs it differs from the memfd by its seals alone."""
    if not may_unshare("--mount"):
        pytest.skip("mount namespaces are refused here")
    liar = peers(wrapper=["unshare", "--mount"])
    liar(
        "subprocess.run(['mount', '-t', 'tmpfs', 'none', root], check=True)\n"
        "os.mkdir(root + '/proc')\n"
        "subprocess.run(['mount', '--bind', '/proc', root + '/proc'], check=True)\n"
        "os.chroot(root)",
        root=str(tmp_path),
    )
    opened = liar(
        "pair, name, fd = core.segment()\n"
        "os.close(fd)\n"
        "path = '/memfd:' + name\n"
        "fd = os.open(path, os.O_RDWR | os.O_CREAT)\n"
        "os.ftruncate(fd, 4096); os.unlink(path)\n"
        "assert os.readlink(f'/proc/self/fd/{fd}') == path + ' (deleted)'\n"
        "core.open(os.getpid(), core.start(os.getpid()), fd, name)"
    )
    assert opened[:2] == [Reason.SEALS, -1]


def test_a_process_that_ended(core, held):
    peer, _, _ = held
    peer.kill()
    assert attempt(core, held)[0] == Reason.DEAD
    assert attempt(core, held, pid=0)[0] == Reason.DEAD
    assert attempt(core, held, pid=-1)[0] == Reason.DEAD


def test_a_process_that_nobody_waited_for(core):
    _, name, fd = core.segment()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    start = core.start(pid)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert core.open(pid, start, fd, name)[0] == Reason.DEAD
    assert wait_status(pid) == 0
    os.close(fd)


def test_a_pid_used_again(core, held):
    """The name decides; when it is not found, the start time tells that the process is another."""
    peer = held[0]
    assert attempt(core, held, start=peer.start + 1) == (Reason.OK, 0)
    peer("os.close(fd)")
    assert attempt(core, held, start=peer.start + 1)[0] == Reason.DEAD
    peer("os.dup2(os.open('/dev/null', os.O_RDWR), fd)")
    assert attempt(core, held, start=peer.start + 1)[0] == Reason.DEAD


@pytest.mark.parametrize("seals", [0, fcntl.F_SEAL_SHRINK, fcntl.F_SEAL_GROW])
def test_a_segment_that_is_not_sealed(core, held, seals):
    peer, name, _ = held
    number = peer(
        "fd = os.memfd_create(name, os.MFD_ALLOW_SEALING)\n"
        "os.ftruncate(fd, 4096); fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)\n"
        "fd",
        name=name,
        seals=seals,
    )
    assert attempt(core, held, number=number) == (Reason.SEALS, 0)


@pytest.mark.parametrize("size", [0, 4095, 4097, 1 << 63])
def test_another_size(core, held, size):
    assert attempt(core, held, size=size) == (Reason.SIZE, 0)


@root_only
def test_root_refuses_the_memory_of_another_user(core, peers):
    other = peers(uid=SOMEONE)
    name, fd = other(SEGMENT, size=4096)
    assert attempt(core, (other, name, fd)) == (Reason.OWNER, 0)


@root_only
def test_a_user_cannot_reach_another_user(peers):
    owner, asker = peers(uid=SOMEONE), peers(uid=ANOTHER)
    name, fd = owner(SEGMENT, size=4096)
    asked = {"pid": owner.pid, "start": owner.start, "fd": fd, "name": name}
    assert asker("core.open(pid, start, fd, name)", **asked)[0] == Reason.DENIED
    asked["start"] += 1
    assert asker("core.open(pid, start, fd, name)", **asked)[0] == Reason.DEAD


@pytest.fixture
def pair_of_peers(peers):
    """Two processes of one user without privileges, the first with a segment."""
    owner, asker = peers(uid=SOMEONE), peers(uid=SOMEONE)
    name, fd = owner(SEGMENT, size=4096)
    asker("None", pid=owner.pid, start=owner.start, fd=fd, name=name)
    asker("opened = lambda: core.open(pid, start, fd, name)")
    return owner, asker


def test_a_closed_process(pair_of_peers):
    owner, asker = pair_of_peers
    reason, fd, _ = asker("opened()")
    assert reason == Reason.OK
    asker(f"os.close({fd})")
    owner("set_dumpable(0)")
    assert asker("opened()")[0] == Reason.DENIED
    owner("set_dumpable(1)")
    assert asker("opened()")[0] == Reason.OK


@root_only
@pytest.mark.parametrize("hidepid", [1, 2])
def test_a_hidden_process(peers, hidepid):
    """hidepid hides what is closed anyway: a process whose entry is open is found still."""
    if not may_unshare("--mount"):
        pytest.skip("mount namespaces are refused here")
    owner, asker = peers(uid=SOMEONE), peers(wrapper=["unshare", "--mount"])
    options = ["mount", "-t", "proc", "-o", f"hidepid={hidepid}", "proc", "/proc"]
    asker("subprocess.run(options, check=True)", options=options)
    asker(f"become({SOMEONE})")
    name, fd = owner(SEGMENT, size=4096)
    asked = {"pid": owner.pid, "start": owner.start, "fd": fd, "name": name}
    assert asker("core.open(pid, start, fd, name)", **asked)[0] == Reason.OK
    owner("set_dumpable(0)")
    assert asker("core.open(pid, start, fd, name)", **asked)[0] == Reason.DENIED
    owner.kill()
    assert asker("core.open(pid, start, fd, name)", **asked)[0] == Reason.DEAD


def test_a_proc_of_another_namespace(peers):
    if not may_unshare("--pid", "--fork"):
        pytest.skip("pid namespaces are refused here")
    peer = peers(wrapper=["unshare", "--pid", "--fork"])
    peer(SEGMENT, size=4096)
    peer("told, tell = os.pipe()\nchild = os.fork()\nif not child: os.read(told, 1); os._exit(0)")
    assert peer("core.open(child, 1, fd, name)")[0] == Reason.DENIED
    peer("os.write(tell, b'.'); os.waitpid(child, 0)")
    assert peer("core.open(child, 1, fd, name)")[0] == Reason.DEAD


def test_a_lease_does_not_hold_the_opener_up(core, held):
    """Opening a leased file waits for its holder: up to /proc/sys/fs/lease-break-time, 45 s."""
    peer = held[0]
    peer(
        "import signal\n"
        "signal.signal(signal.SIGIO, signal.SIG_IGN)\n"
        "again = os.open(f'/proc/self/fd/{fd}', os.O_RDONLY)\n"
        "os.dup2(again, fd); os.close(again)\n"
        "fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)"
    )
    assert attempt(core, held)[0] == Reason.OS
    peer("fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)")
    assert attempt(core, held)[0] == Reason.OK


@pytest.mark.parametrize("free", [0, 1, 2])
def test_without_descriptors(core, held, free):
    """One is needed to pin the object and one to open it."""
    peer, name, fd = held

    def check():
        used = descriptors()
        limit = max(used) + 1 + free
        while len(descriptors()) < max(used) + 1:
            os.dup(0)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        reason, got, err = core.open(peer.pid, peer.start, fd, name)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        if free == 2:
            return reason == Reason.OK and got >= 0
        if reason != Reason.LIMIT or got != -1 or os.strerror(err) != "Too many open files":
            return False
        # As many are free as before.
        taken = 0
        try:
            while True:
                os.dup(0)
                taken += 1
        except OSError:
            return taken == free

    in_child(check)


def test_a_thousand_openings_leave_nothing(core, held, flat):
    for i in range(1000):
        assert attempt(core, held, writable=i % 2)[0] == Reason.OK


def test_every_reason_has_its_phrase(core):
    phrases = [core.lib.sa_reason_text(i) for i in range(Reason.PROTOCOL + 1)]
    assert len(set(phrases)) == len(phrases)
    assert core.lib.sa_reason_text(Reason.PROTOCOL + 1) == b"unknown reason"
    assert core.lib.sa_reason_text(-1) == b"unknown reason"
