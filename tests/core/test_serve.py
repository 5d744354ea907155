"""core/serve.c and fetch.c: descriptors over an abstract socket, whoever is at its other end."""

import contextlib
import errno
import fcntl
import mmap
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import threading

import pytest

from tests.harness import procfs

from .native import ANOTHER, HERE, SEALS, SOMEONE, Reason, compile_core, descriptors, may_unshare
from .test_os import in_child, root_only

REQUEST = struct.Struct("=IHHQQQII")
REPLY = struct.Struct("=IHHQQiI")
MAGIC, VERSION = 0x53414658, 1

SERVE = "pair, name, fd = core.segment()\ncore.put(pair, 4096, fd)\n[core.serve(), pair, fd]"


@pytest.fixture
def server(peer):
    """A peer that serves one segment: ``peer, socket name, id``."""
    name, pair, _ = peer(SERVE)
    return peer, name, pair


def level_of(peer):
    """Descriptors of a peer now: its server may be about to close some."""
    return len(descriptors(peer.pid))


def returns_to(peer, level):
    """Whether a peer comes to have that many descriptors, once its server is at rest."""
    return procfs.wait_until(lambda: level_of(peer) == level)


def fetch(core, server, **changes):
    """Ask the server; the reason and errno, with nothing left open."""
    _, name, pair = server
    asked = {"socket": name, "pair": pair} | changes
    before = descriptors()
    reason, fd, err = core.fetch(**asked)
    if reason == Reason.OK:
        os.close(fd)
    else:
        assert fd == -1
    assert descriptors() == before
    return reason, err


def connect(name):
    """A client that can say anything."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.settimeout(60)
    client.connect(b"\0" + name.encode())
    return client


def request(pair, magic=MAGIC, version=VERSION, kind=0, size=4096, writable=1):
    return REQUEST.pack(magic, version, kind, *pair, size, writable, 0)


def test_the_same_memory(core, server, flat):
    peer, name, pair = server
    reason, fd, _ = core.fetch(name, pair)
    assert reason == Reason.OK
    assert not os.get_inheritable(fd)
    with mmap.mmap(fd, 4096) as memory:
        memory[:5] = b"hello"
        assert peer("os.pread(fd, 5, 0).decode()") == "hello"
    os.close(fd)


def test_read_only(core, server, flat):
    _, name, pair = server
    reason, fd, _ = core.fetch(name, pair, writable=False)
    assert reason == Reason.OK
    assert fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    os.close(fd)


def test_what_is_not_there(core, server):
    _, _, (high, low) = server
    assert fetch(core, server, pair=[high, low ^ 1]) == (Reason.GONE, errno.ENOENT)
    assert fetch(core, server, size=8192) == (Reason.GONE, errno.ENOENT)
    assert fetch(core, server, name="sharedarray-other") == (Reason.IDENTITY, 0)
    assert fetch(core, server, uid=os.geteuid() + 1) == (Reason.OWNER, 0)
    assert fetch(core, server) == (Reason.OK, 0)


@pytest.mark.parametrize("name", ["sharedarray-0-none", "", "x" * 200])
def test_no_such_socket(core, server, name):
    assert fetch(core, server, socket=name)[0] == Reason.NOSERVER


def test_a_process_closed_to_its_peers(peers):
    owner, asker = peers(uid=SOMEONE), peers(uid=SOMEONE)
    owner("set_dumpable(0)")
    assert owner("core.lib.sa_serve_needed()")
    name, pair, fd = owner(SERVE)
    asked = {"pid": owner.pid, "start": owner.start, "fd": fd, "socket": name, "pair": pair}
    assert asker("core.open(pid, start, fd, core.name(pair))", **asked)[0] == Reason.DENIED
    assert asker("core.fetch(socket, pair)")[0] == Reason.OK


@root_only
def test_other_users(core, peers):
    owner, other = peers(uid=SOMEONE), peers(uid=ANOTHER)
    name, pair, _ = owner(SERVE)
    for uid in (SOMEONE, os.geteuid()):
        assert fetch(core, (owner, name, pair), uid=uid) == (Reason.OWNER, 0)
    asked = {"socket": name, "pair": pair}
    assert other("core.fetch(socket, pair)", **asked)[0] == Reason.OWNER
    assert other(f"core.fetch(socket, pair, uid={SOMEONE})")[0] == Reason.OWNER
    # A client that does not care is not answered.
    with connect(name) as client:
        with contextlib.suppress(BrokenPipeError):
            client.send(request(pair))
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(100) == b""


@root_only
def test_nameless_users_are_refused(core, server, peers):
    if not may_unshare("--user"):
        pytest.skip("user namespaces are refused here")
    nameless = peers(wrapper=["unshare", "--user"])
    asked = {"socket": server[1], "pair": server[2]}
    assert nameless("core.fetch(socket, pair)", **asked)[0] == Reason.OWNER


def test_another_network_namespace(server, peers):
    if not may_unshare("--net"):
        pytest.skip("network namespaces are refused here")
    away = peers(wrapper=["unshare", "--net"])
    asked = {"socket": server[1], "pair": server[2]}
    assert away("core.fetch(socket, pair)", **asked) == [Reason.NOSERVER, -1, errno.ECONNREFUSED]


# ---- clients that misbehave


def test_silent_clients_do_not_hold_others_up(core, server):
    peer, name, _ = server
    before = level_of(peer)
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connect(name))
            assert fetch(core, server) == (Reason.OK, 0)
        assert procfs.wait_until(lambda: level_of(peer) <= before + 32)
    assert fetch(core, server) == (Reason.OK, 0)
    assert returns_to(peer, before)


def test_silent_clients_are_dropped(server):
    peer, name, _ = server
    before = level_of(peer)
    with connect(name) as client:
        assert client.recv(100) == b""
    assert returns_to(peer, before)


@pytest.mark.parametrize(
    "words",
    [b"x", b"", b"y" * 40, request((1, 2))[:-1], request((1, 2), magic=1), b"z" * 4096],
    ids=["short", "empty", "noise", "cut", "magic", "long"],
)
def test_noise_is_not_answered_with_memory(core, server, words):
    peer, name, _ = server
    before = level_of(peer)
    with connect(name) as client:
        client.send(words)
        answer, files, _, _ = socket.recv_fds(client, 100, 4)
        assert not files
        assert not answer or REPLY.unpack(answer)[5] == -errno.EPROTONOSUPPORT
    assert fetch(core, server) == (Reason.OK, 0)
    assert returns_to(peer, before)


@pytest.mark.parametrize("change", [{"version": 2}, {"kind": 1}])
def test_other_versions_are_told_so(server, change):
    _, name, pair = server
    with connect(name) as client:
        client.send(request(pair, **change))
        answer, files, _, _ = socket.recv_fds(client, 100, 4)
        assert not files
        assert REPLY.unpack(answer)[5] == -errno.EPROTONOSUPPORT


def test_descriptors_sent_to_the_server_are_not_kept(core, server):
    peer, name, pair = server
    before = level_of(peer)
    for _ in range(50):
        with connect(name) as client:
            socket.send_fds(client, [request(pair)], [0, 1, 2])
            _, files, _, _ = socket.recv_fds(client, 100, 4)
            assert len(files) == 1
            os.close(files[0])
    assert returns_to(peer, before)


# ---- servers that misbehave


class Impostor:
    """A socket of this user that answers each request with what `answer(id)` returns."""

    def __init__(self, answer, backlog=8):
        self.name = f"sharedarray-{os.geteuid()}-{os.urandom(16).hex()}"
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(b"\0" + self.name.encode())
        self.listener.listen(backlog)
        self.number = self.listener.fileno()
        self.answer = answer
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while True:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                try:
                    client, _ = self.listener.accept()
                except OSError:
                    return
                with client:
                    words = client.recv(100)
                    data, files = self.answer(REQUEST.unpack(words)[3:5])
                    socket.send_fds(client, [data], files)

    def __enter__(self):
        if self.answer:
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        if self.answer:
            self.thread.join()
        self.listener.close()


def ask(core, impostor, pair):
    """Fetch from an impostor; the reason and errno, with nothing left open once it is gone."""
    before = descriptors()
    with impostor:
        reason, fd, err = core.fetch(impostor.name, pair)
    assert (fd >= 0) == (reason == Reason.OK)
    if fd >= 0:
        os.close(fd)
    after = descriptors()
    del before[impostor.number]
    assert after == before
    return reason, err


def reply(pair, magic=MAGIC, version=VERSION, kind=0, status=0):
    return REPLY.pack(magic, version, kind, *pair, status, 0)


def memfd(name, seals=SEALS, size=4096):
    fd = os.memfd_create(name, os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


def reopened(fd, flags):
    return os.open(f"/proc/self/fd/{fd}", flags)


# What is sent along, made from the right descriptor; the reason that is to follow.
SENT = {
    "right": (lambda good: [good], Reason.OK),
    "nothing": (lambda good: [], Reason.PROTOCOL),
    "two": (lambda good: [good, good], Reason.PROTOCOL),
    "many": (lambda good: [good] * 200, Reason.PROTOCOL),
    "pipe": (lambda good: [os.pipe()[0]], Reason.GONE),
    "socket": (lambda good: [socket.socket().detach()], Reason.GONE),
    "directory": (lambda good: [os.open("/", os.O_RDONLY)], Reason.GONE),
    "directory, pinned": (lambda good: [os.open("/", os.O_PATH)], Reason.GONE),
    "pinned": (lambda good: [reopened(good, os.O_PATH)], Reason.DENIED),
    "read only": (lambda good: [reopened(good, os.O_RDONLY)], Reason.DENIED),
    "write only": (lambda good: [reopened(good, os.O_WRONLY)], Reason.DENIED),
    "null": (lambda good: [os.open("/dev/null", os.O_RDWR)], Reason.GONE),
    "other": (lambda good: [memfd("sharedarray-other")], Reason.IDENTITY),
    "unsealed": (
        lambda good: [memfd(os.readlink(f"/proc/self/fd/{good}")[7:-10], 0)],
        Reason.SEALS,
    ),
    "size": (
        lambda good: [memfd(os.readlink(f"/proc/self/fd/{good}")[7:-10], SEALS, 8192)],
        Reason.SIZE,
    ),
}


@pytest.mark.parametrize("sent", SENT)
def test_only_the_right_descriptor_is_taken(core, sent):
    make, expected = SENT[sent]
    pair, _, good = core.segment()
    files = make(good)
    assert ask(core, Impostor(lambda asked: (reply(asked), files)), pair)[0] == expected
    for fd in {good, *files}:
        os.close(fd)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (lambda asked: b"noise", Reason.PROTOCOL),
        (lambda asked: reply(asked)[:-1], Reason.PROTOCOL),
        (lambda asked: reply(asked) + b"x", Reason.PROTOCOL),
        (lambda asked: reply(asked, magic=1), Reason.PROTOCOL),
        (lambda asked: reply(asked, version=2), Reason.PROTOCOL),
        (lambda asked: reply(asked, kind=1), Reason.PROTOCOL),
        (lambda asked: reply((asked[0], asked[1] ^ 1)), Reason.PROTOCOL),
        (lambda asked: reply(asked, status=1), Reason.PROTOCOL),
        (lambda asked: reply(asked, status=-errno.EIO), Reason.SERVER),
    ],
    ids=["noise", "cut", "long", "magic", "version", "kind", "id", "status", "refusal"],
)
def test_only_the_right_words_are_taken(core, words, expected):
    pair, _, good = core.segment()
    assert ask(core, Impostor(lambda asked: (words(asked), [good])), pair)[0] == expected
    os.close(good)


def test_a_server_that_hangs_up(core):
    class Rude(Impostor):
        def run(self):
            with contextlib.suppress(OSError):
                while True:
                    self.listener.accept()[0].close()

    assert ask(core, Rude(True), core.new_id()) == (Reason.SERVER, errno.ECONNRESET)


def test_a_server_that_had_to_drop_the_connection_is_asked_again(core):
    class Besieged(Impostor):
        def run(self):
            for _ in range(2):
                self.listener.accept()[0].close()
            super().run()

    pair, _, good = core.segment()
    assert ask(core, Besieged(lambda asked: (reply(asked), [good])), pair) == (Reason.OK, 0)
    os.close(good)


def test_a_server_that_is_stopped(core, server):
    """Nobody accepts; the peer's time-out is the bound."""
    peer, _, _ = server
    os.kill(peer.pid, signal.SIGSTOP)
    for thread in os.listdir(f"/proc/{peer.pid}/task"):
        assert procfs.wait_until(lambda t=thread: procfs.state(f"{peer.pid}/task/{t}") == "T")
    assert fetch(core, server) == (Reason.TIMEOUT, 0)
    assert fetch(core, server, timeout=1) == (Reason.TIMEOUT, 0)
    os.kill(peer.pid, signal.SIGCONT)
    assert fetch(core, server) == (Reason.OK, 0)


def test_a_server_whose_queue_is_full(core):
    with Impostor(None, backlog=0) as impostor, contextlib.ExitStack() as stack:
        with contextlib.suppress(BlockingIOError):
            while True:
                client = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                client.setblocking(False)
                client.connect(b"\0" + impostor.name.encode())
        assert fetch(core, (None, impostor.name, core.new_id())) == (Reason.TIMEOUT, 0)


def test_a_server_that_takes_its_time(core, server):
    peer, _, _ = server
    peer("core.lib.table_delay(100)")
    assert fetch(core, server) == (Reason.OK, 0)
    peer("core.lib.table_delay(2000)")
    assert fetch(core, server) == (Reason.TIMEOUT, 0)


# ---- limits


@pytest.mark.parametrize("free", [0, 1, 2])
def test_a_client_without_descriptors(core, server, free):
    """One is needed for the socket and one for what is fetched."""

    def check():
        used = descriptors()
        limit = max(used) + 1 + free
        while len(descriptors()) < max(used) + 1:
            os.dup(0)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        reason, got, err = core.fetch(server[1], server[2])
        if free == 2:
            return reason == Reason.OK and got >= 0
        if (reason, got, err) != (Reason.LIMIT, -1, errno.EMFILE):
            return False
        taken = 0
        try:
            while True:
                os.dup(0)
                taken += 1
        except OSError:
            return taken == free

    in_child(check)


def test_a_server_without_descriptors_says_so_and_recovers(core, server):
    peer, _, _ = server
    peer(
        "import resource\n"
        "soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))\n"
        "taken = []\n"
        "with contextlib.suppress(OSError):\n"
        "    while True: taken.append(os.dup(0))\n"
        "None"
    )
    for _ in range(20):
        assert fetch(core, server) == (Reason.SERVER, errno.EMFILE)
    peer("for fd in taken: os.close(fd)\nNone")
    assert fetch(core, server) == (Reason.OK, 0)


def test_a_thousand_requests_leave_nothing(core, server):
    peer, _, (high, low) = server
    before = level_of(peer)
    for i in range(1000):
        if i % 3:
            assert fetch(core, server, writable=i % 2) == (Reason.OK, 0)
        else:
            assert fetch(core, server, pair=[high, low ^ 1])[0] == Reason.GONE
    assert returns_to(peer, before)


# ---- start, stop, fork


def test_start_is_once_and_stop_leaves_nothing(core, peer, flat):
    before = peer("[len(descriptors()), len(os.listdir('/proc/self/task'))]")
    name, pair, _ = peer(SERVE)
    assert peer("core.serve()") == name
    assert len(peer("os.listdir('/proc/self/task')")) == before[1] + 1
    assert name.startswith(f"sharedarray-{os.geteuid()}-")
    peer("core.lib.sa_serve_stop()")
    assert fetch(core, (peer, name, pair))[0] == Reason.NOSERVER
    assert peer("core.socket_name()") == -errno.ENOTCONN
    peer("core.lib.sa_serve_stop(); os.close(fd)")
    # The kernel tells who joins a thread of its end before it takes the thread off the list.
    assert procfs.wait_until(
        lambda: peer("[len(descriptors()), len(os.listdir('/proc/self/task'))]") == before
    )
    assert peer("core.serve()") != name


def test_many_threads_start_one_server(peer):
    peer(
        "import threading\n"
        "names = set()\n"
        "threads = [threading.Thread(target=lambda: names.add(core.serve())) for _ in range(16)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()\n"
        "None"
    )
    assert peer("len(names)") == 1


def test_the_thread_takes_no_signals(peer):
    peer(SERVE)
    threads = peer("os.listdir('/proc/self/task')")
    (thread,) = set(map(int, threads)) - {peer.pid}
    with open(f"/proc/{peer.pid}/task/{thread}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    blocked = int(fields["SigBlk"], 16)
    # SIGKILL and SIGSTOP cannot be blocked; 32 and 33 are the C library's own.
    for number in {*range(1, 65)} - {9, 19, 32, 33}:
        assert blocked >> (number - 1) & 1


FORK = """
told, tell = os.pipe()
child = core.fork()
if not child:
    sockets = sum(to.startswith('socket:') for to in descriptors().values())
    own = core.socket_name()
    again = core.serve()
    os.write(tell, json.dumps([sockets, own, again]).encode())
    time.sleep(1000)
select.select([told], [], [], 60)
json.loads(os.read(told, 1000))
"""


def test_a_forked_child_leaves_the_server_to_its_parent(core, server):
    peer, name, _ = server
    peer("import time\nos.close(os.dup(0))")
    sockets, own, again = peer(FORK)
    assert (sockets, own) == (0, -errno.ENOTCONN)
    assert again != name
    child = peer("child")
    assert fetch(core, server) == (Reason.OK, 0)
    assert fetch(core, server, socket=again) == (Reason.OK, 0)
    os.kill(peer.pid, 9)
    peer.process.wait()
    try:
        assert fetch(core, server)[0] == Reason.NOSERVER
        assert fetch(core, server, socket=again) == (Reason.OK, 0)
    finally:
        os.kill(child, 9)


def test_a_child_that_knows_nothing_of_the_server(core, server):
    """Forked without the handlers, it still starts one of its own and harms its parent's not."""
    peer, name, _ = server
    again = peer(
        "import time\n"
        "told, tell = os.pipe()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    core.lib.sa_serve_stop()\n"
        "    os.write(tell, core.serve().encode()); time.sleep(1000)\n"
        "select.select([told], [], [], 60)\n"
        "os.read(told, 1000).decode()"
    )
    assert again != name
    assert fetch(core, server) == (Reason.OK, 0)
    assert fetch(core, server, socket=again) == (Reason.OK, 0)
    os.kill(peer("child"), 9)


def test_forks_under_load_inherit_nothing(core, server):
    """Neither a connection nor a descriptor on its way is caught by a child."""
    peer, _, _ = server
    done, failures = threading.Event(), []

    def ask():
        while not done.is_set():
            reason, fd, err = core.fetch(server[1], server[2])
            if reason == Reason.OK:
                os.close(fd)
            else:
                failures.append((reason, err))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        extra = peer(
            "known = set(descriptors())\n"
            "extra = 0\n"
            "expected = {n for n, to in descriptors().items() if not to.startswith('socket:')}\n"
            "expected = {n for n in expected if n <= max(0, 1, 2, fd)}\n"
            "for _ in range(100):\n"
            "    child = core.fork()\n"
            "    if not child: os._exit(set(descriptors()) != expected)\n"
            "    extra += wait_status(child)\n"
            "extra"
        )
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert extra == 0
    assert not failures


def test_a_program_that_closes_all_descriptors(core, server):
    """As daemons do: the thread ends and does not spin, and another can be started."""
    peer, name, pair = server
    assert len(peer("os.listdir('/proc/self/task')")) == 2
    with connect(name):
        peer("os.closerange(fd + 1, 1000)")
        # The thread learns of it when it next has something to do: here, when the client gives up.
        assert procfs.wait_until(lambda: len(peer("os.listdir('/proc/self/task')")) == 1)
    assert peer("core.socket_name()") == -errno.ENOTCONN
    again = peer("core.serve()")
    assert again != name
    assert fetch(core, (peer, again, pair)) == (Reason.OK, 0)


@root_only
def test_after_a_change_of_user_the_socket_is_a_new_one(peers):
    owner, asker = peers(), peers(uid=SOMEONE)
    owner(SERVE)
    owner(f"become({SOMEONE})")
    name, pair, _ = owner(SERVE)
    assert asker("core.fetch(socket, pair)", socket=name, pair=pair)[0] == Reason.OK


# ---- sanitizers


@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_under_a_sanitizer(tmp_path, sanitizer):
    """Threads that ask, a server that is started, stopped and forked meanwhile."""
    program = compile_core(
        tmp_path / "siege",
        HERE / "table.c",
        HERE / "siege.c",
        flags=["-O1", "-g", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"],
    )
    # Address space randomisation of newer kernels is more than older sanitizers can bear.
    done = subprocess.run(
        [shutil.which("setarch"), "-R", str(program)], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[0] == "answered"
