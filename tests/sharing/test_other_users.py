"""Another user reaches nothing, and can offer nothing, on any path."""

import os
import textwrap

import pytest

import sharedarray as xp
from tests.core.native import ANOTHER, SOMEONE
from tests.harness import Program, run_script

from .forging import SERVED, fields, forged, segment_name, socket_name

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be several users")

# A program of one user: it opens what it reads, then that with its own user written in.
THIEF = """
    import os, sys
    import sharedarray as xp
    from tests.core.native import become
    from tests.sharing.forging import fields, forged

    become(int(sys.argv[1]))
    blob = bytes.fromhex(sys.stdin.read())
    xp.ones(3) + 1
    before = len(os.listdir("/proc/self/fd"))
    for attempt in (blob, forged(blob, uid=os.geteuid())):
        try:
            xp.from_handle(xp.Handle.from_bytes(attempt))
            print("opened")
        except xp.HandleError as error:
            print(error)
    now = fields(blob)
    for path in (f"/proc/{now['pid']}/fd/{now['fd']}", f"/proc/{now['pid']}/mem"):
        try:
            os.open(path, os.O_RDONLY)
            print("opened", path)
        except PermissionError:
            pass
    print(len(os.listdir("/proc/self/fd")) - before)
    """


@pytest.mark.parametrize("nbytes", [80, 40 << 20])
def test_a_thief_finds_proc_closed(nbytes):
    x = xp.ones(nbytes // 8)
    blob = bytes(x.handle())
    plain, as_own, left = run_script(THIEF, SOMEONE, stdin=blob.hex()).ok().splitlines()
    assert "user" in plain
    assert "the kernel denies access" in as_own
    assert left == "0"
    xp.from_handle(xp.Handle.from_bytes(blob))


SERVING = """
    import os, subprocess, sys
    import sharedarray as xp

    x = xp.full(int(sys.argv[2]), 7.0)
    blob = bytes(x.handle())
    done = subprocess.run([sys.executable, "-c", sys.argv[3], sys.argv[1]],
                          input=blob.hex(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done
    y = xp.from_handle(xp.Handle.from_bytes(blob))
    print(done.stdout + str(float(y[0])))
    """


@pytest.mark.parametrize("nbytes", [80, 40 << 20])
def test_a_thief_is_not_answered_by_the_socket(nbytes):
    """By a client of its own neither: core/test_serve.py, `test_other_users`."""
    told = run_script(
        SERVING,
        SOMEONE,
        nbytes // 8,
        textwrap.dedent(THIEF),
        env={"SHAREDARRAY_SERVE": "1"},
    ).ok()
    plain, as_own, left, value = told.splitlines()
    assert "user" in plain
    assert "cannot open the memory" in as_own  # sockets carry their user's number in the name
    assert (left, value) == ("0", "7.0")


OFFER = """
    import sys
    import sharedarray as xp
    from tests.core.native import become

    become(int(sys.argv[1]))
    x = xp.full(1000, 7.0)
    print(bytes(x.handle()).hex(), flush=True)
    sys.stdin.read()
    """


def test_memory_of_another_user_is_not_taken(tmp_path):
    """Not even by root, whom the kernel would let."""
    with Program(tmp_path, OFFER, SOMEONE) as offering:
        offered = bytes.fromhex(offering.line)
        now = fields(offered)
        os.close(os.open(f"/proc/{now['pid']}/fd/{now['fd']}", os.O_RDWR))
        with pytest.raises(xp.HandleError, match=f"user {SOMEONE}"):
            xp.from_handle(xp.Handle.from_bytes(offered))
        with pytest.raises(xp.HandleError, match="belongs to another user"):
            xp.from_handle(xp.Handle.from_bytes(forged(offered, uid=os.geteuid())))
        assert not mapped(segment_name(offered))


def mapped(name):
    """Whether this process has such a segment mapped."""
    with open("/proc/self/maps") as maps:
        return name in maps.read()


SQUATTER = """
    import fcntl, os, socket, struct, sys
    from tests.core.native import become

    become(int(sys.argv[1]))
    name, memfd, size = sys.argv[2], sys.argv[3], int(sys.argv[4])
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(b"\\0" + name.encode())
    listener.listen(8)
    fd = os.memfd_create(memfd, os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    print("listening", flush=True)
    while True:
        client, _ = listener.accept()
        words = client.recv(100)
        if words:
            magic, version, kind, a, b = struct.unpack_from("=IHHQQ", words)
            answer = struct.pack("=IHHQQiI", magic, version, kind, a, b, 0, 0)
            socket.send_fds(client, [answer], [fd])
        client.close()
    """

SERVED_AND_GONE = """
    import os
    import sharedarray as xp

    x = xp.full(1000, 7.0)
    print(bytes(x.handle()).hex(), flush=True)
    os._exit(0)
    """


@pytest.fixture(scope="module")
def left_behind():
    """A handle whose sender served a socket and was killed, so that its name is free."""
    blob = bytes.fromhex(run_script(SERVED_AND_GONE, env={"SHAREDARRAY_SERVE": "1"}).ok())
    assert fields(blob)["flags"] & SERVED
    return blob


@pytest.fixture
def squat(left_behind, tmp_path):
    """Let a user take the socket's name, and offer memory of the right name and size there."""
    started = []

    def start(uid):
        size = fields(left_behind)["segment_size"]
        names = socket_name(left_behind), segment_name(left_behind)
        started.append(Program(tmp_path, SQUATTER, uid, *names, size))
        assert started[-1].line == "listening"

    yield start
    for program in started:
        program.kill()


@pytest.mark.parametrize("uid", [SOMEONE, ANOTHER])
def test_a_squatter_on_the_name_of_a_socket_is_refused(left_behind, squat, uid):
    squat(uid)
    blob = forged(left_behind, pidns=1)  # as from another pid namespace: the socket alone is asked
    with pytest.raises(xp.HandleError, match="belongs to another user"):
        xp.from_handle(xp.Handle.from_bytes(blob))
    with pytest.raises(xp.HandleError):
        xp.from_handle(xp.Handle.from_bytes(left_behind))
    assert not mapped(segment_name(left_behind))


def test_a_squatter_of_this_user_would_be_believed(left_behind, squat):
    """So it is the user that is refused above: who is this user can offer memory anyway."""
    squat(os.geteuid())
    blob = forged(left_behind, pidns=1, creator_ledger0=0, creator_ledger1=0)
    assert float(xp.from_handle(xp.Handle.from_bytes(blob))[0]) == 0.0
