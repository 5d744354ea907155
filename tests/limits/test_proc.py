"""A sender whose ``/proc`` entry the receiver cannot see: the socket gives the descriptors."""

import os

import pytest

from tests.core.native import may_unshare
from tests.harness import run_script

root = pytest.mark.skipif(os.geteuid() != 0, reason="changes user and mounts: needs root")
mounts = pytest.mark.skipif(not may_unshare("--mount"), reason="mount namespaces are refused here")
pids = pytest.mark.skipif(
    not may_unshare("--pid", "--fork", "--mount-proc"), reason="pid namespaces are refused here"
)

#: Two processes of one user, forked before either has made anything, exchange arrays.
BOTH = """
    import ctypes, os, pickle, subprocess, sys
    from multiprocessing.reduction import ForkingPickler
    import numpy as np
    import sharedarray as xp

    def before(way):
        if way in ("hidepid=1", "hidepid=2"):
            command = ["mount", "-t", "proc", "-o", way, "proc", "/proc"]
            subprocess.run(command, check=True)

    def after(way):
        if os.geteuid() == 0:
            os.setgid(61234)
            os.setuid(61234)
        if way != "undumpable":
            assert ctypes.CDLL(None).prctl(4, 1, 0, 0, 0) == 0
        if way == "prctl":
            assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0

    def put(fd, x):
        data = bytes(ForkingPickler.dumps(x))
        os.write(fd, len(data).to_bytes(4, "little") + data)

    def get(fd):
        return pickle.loads(os.read(fd, int.from_bytes(os.read(fd, 4), "little")))

    way = sys.argv[1]
    before(way)
    down, up = os.pipe(), os.pipe()
    child = os.fork()
    after(way)
    receive, send = (down[0], up[1]) if child == 0 else (up[0], down[1])
    other = os.getppid() if child == 0 else child
    mine = [xp.full(n, float(n)) for n in (10, 100_000, 5 << 20)]
    for x in mine:
        put(send, x)
    theirs = [get(receive) for _ in mine]
    visible = os.access(f"/proc/{other}/fd", os.R_OK)
    assert visible == (way == "open"), visible
    for x, n in zip(theirs, (10, 100_000, 5 << 20)):
        assert x.is_shared() and float(x[-1]) == n and float(x[n // 2]) == n, repr(x)
        x[0] = -1.0
    put(send, theirs[1])  # goes back
    back = get(receive)
    assert np.shares_memory(np.asarray(back), np.asarray(mine[1]))
    put(send, xp.zeros(1))
    get(receive)  # the other has written
    assert all(float(x[0]) == -1 for x in mine)
    sys.stdout.flush()
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    print("done")
    """


@root
@pytest.mark.parametrize("way", ["open", "undumpable", "prctl"])
def test_not_dumpable(way):
    assert run_script(BOTH, way).ok() == "done"


#: Several processes at once in a place of which /proc shows only a part.
HIDDEN = """
    import subprocess, sys, textwrap
    import sharedarray as xp

    x = xp.full(5 << 20, 7.0)
    small = xp.full(10, 7.0)
    blobs = " ".join(bytes(one.handle()).hex() for one in (x, small))
    opener = textwrap.dedent('''
        import sys
        import sharedarray as xp
        arrays = []
        for text in sys.stdin.read().split():
            arrays.append(xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(text))))
            arrays[-1][0] = 9.0
        print(*(float(one[-1]) for one in arrays), arrays[0].storage().attached())
    ''')
    command = [*sys.argv[1:], sys.executable, "-c", opener]
    done = subprocess.run(command, input=blobs, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout.strip(), float(x[0]), float(small[0]))
    """


@pids
def test_receiver_in_another_pid_namespace():
    wrapper = ["unshare", "--pid", "--fork", "--mount-proc"]
    told = run_script(HIDDEN, *wrapper, env={"SHAREDARRAY_SERVE": "1"}).ok()
    assert told == "7.0 7.0 1 9.0 9.0"


INNER = """
    import subprocess, sys, textwrap
    import sharedarray as xp
    sender = textwrap.dedent('''
        import sys
        import sharedarray as xp
        x = xp.full(5 << 20, 7.0)
        print(bytes(x.handle()).hex(), flush=True)
        sys.stdin.readline()
        print(float(x[0]), x.storage().attached(), flush=True)
    ''')
    command = [*sys.argv[1:], sys.executable, "-c", sender]
    inner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    y = xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(inner.stdout.readline())))
    assert float(y[-1]) == 7
    y[0] = 8.0
    told, _ = inner.communicate("go\\n")
    assert inner.returncode == 0
    print(told.strip(), float(xp.sum(y)) == 1 + (7 * 5 << 20))  # it outlives the namespace
    """


@pids
def test_sender_in_another_pid_namespace():
    wrapper = ["unshare", "--pid", "--fork", "--mount-proc"]
    told = run_script(INNER, *wrapper, env={"SHAREDARRAY_SERVE": "1"}).ok()
    assert told == "8.0 1 True"


@root
@mounts
@pytest.mark.parametrize("how", ["hidepid=1", "hidepid=2"])
def test_hidepid(how):
    """Of one's own user all is seen; where it is not dumpable as well, the socket answers."""
    code = BOTH.replace('visible == (way == "open")', "isinstance(visible, bool)")
    assert run_script(code, how, wrapper=["unshare", "--mount"]).ok() == "done"


NO_PROC = """
    import errno, subprocess
    import numpy, numpy.random
    import sharedarray as xp
    subprocess.run(["mount", "-t", "tmpfs", "none", "/proc"], check=True)
    x = xp.full(1000, 1.0)
    assert float(xp.sum(x)) == 1000
    big = xp.full(5 << 20, 1.0)
    assert float(big[-1]) == 1
    blob = bytes(x.handle())
    y = xp.from_handle(xp.Handle.from_bytes(blob))  # at home nothing needs to be found
    assert y.storage() is x.storage()
    code = '''if True:
        import sys
        import sharedarray as xp
        try:
            xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(sys.argv[1])))
        except xp.HandleError as error:
            print(error)
        x = xp.full(10, 1.0)
        try:
            bytes(x.handle())
        except OSError as error:
            print(error)
    '''
    import sys
    blob = bytes(big.handle()).hex()
    done = subprocess.run([sys.executable, "-c", code, blob], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done
    print(done.stdout)
    """


@root
@mounts
def test_no_proc_at_all():
    """Arrays work; handles need it, and say so."""
    told = run_script(NO_PROC, wrapper=["unshare", "--mount"]).ok().splitlines()
    assert len(told) == 2
    assert all("is /proc mounted?" in line for line in told), told
