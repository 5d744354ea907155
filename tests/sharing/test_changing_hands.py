"""A hold that changes hands, at a fork or by a kill beside it, is counted all the while."""

import sys

import pytest

from tests.harness import run_script

HEAD = """
    import os, signal, subprocess, sys, time
    import sharedarray as xp

    N = 1 << 17     # float64: 1 MiB

    def provoke(seconds=1.6):
        '''Let the creator look for the dead (once a second) and use again what is free.'''
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            xp.memory_stats()
            kept = [xp.full(N, 9.0) for _ in range(8)]
            time.sleep(0.05)

    def say(fd, data):
        os.write(fd, len(data).to_bytes(4, "little") + data)

    def hear(fd):
        n = int.from_bytes(os.read(fd, 4), "little")
        data = b""
        while len(data) < n:
            data += os.read(fd, n - len(data))
        return data

    def right(y):
        return b"right" if bool(xp.all(y == 5.0)) else b"wrong: %r" % float(y[0])
    """

# A receiver whose forked child waits before the fork handlers of the library run in it.
RECEIVER = """
    import ctypes, os, sys

    go, out = int(sys.argv[1]), int(sys.argv[2])
    stop = ctypes.CFUNCTYPE(None)(lambda: (os.write(out, b"forked"), os.read(go, 1)))
    ctypes.CDLL(None).__register_atfork(None, None, stop, None)     # the first to run
    import sharedarray as xp

    data = sys.stdin.buffer.read()
    y = xp.from_handle(xp.Handle.from_bytes(data))
    os.write(out, b"opened")
    if os.fork() == 0:
        os.write(out, b"right " if bool(xp.all(y == 5.0)) else b"wrong ")
        os._exit(0)
    import time
    time.sleep(60)
    """

MAKER = """
    import sys
    import sharedarray as xp

    x = xp.full(1 << 17, 5.0)
    for data in (bytes(x.readonly().handle()), bytes(x.handle())):
        print(data.hex(), flush=True)
    sys.stdin.read()
    """

OPENER = """
    import sys
    import sharedarray as xp

    y = xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(sys.argv[1])))
    print(bool(xp.all(y == 5.0)))
    """

WINDOW = """
    import textwrap
    go, out = os.pipe(), os.pipe()
    x = xp.full(N, 5.0)
    receiver = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(RECEIVER), str(go[0]), str(out[1])],
        stdin=subprocess.PIPE, pass_fds=(go[0], out[1]))
    receiver.stdin.write(bytes(x.handle()))
    receiver.stdin.close()
    assert os.read(out[0], 6) == b"opened"
    assert os.read(out[0], 6) == b"forked"
    """


def script(code, *arguments):
    import textwrap

    others = f"RECEIVER, MAKER, OPENER = {RECEIVER!r}, {MAKER!r}, {OPENER!r}\n"
    source = others + textwrap.dedent(HEAD) + textwrap.dedent(code)
    return run_script(source, *arguments).ok()


@pytest.mark.skipif(sys.platform != "linux", reason="fork handlers of the GNU C library")
class TestBetweenForkAndChild:
    """The child is there, and has not entered itself yet."""

    def test_the_parent_is_killed(self):
        script(
            WINDOW
            + """
    del x
    receiver.kill()
    receiver.wait()
    provoke()
    os.write(go[1], b"x")
    assert os.read(out[0], 6) == b"right "
    """
        )

    def test_the_child_is_killed(self):
        script(
            WINDOW
            + """
    (child,) = open(f"/proc/{receiver.pid}/task/{receiver.pid}/children").read().split()
    assert x.storage().attached() == 2      # the parent, and the child in waiting
    os.kill(int(child), signal.SIGKILL)
    end = time.monotonic() + 30
    while x.storage().attached() != 1:
        assert time.monotonic() < end, x.storage().attached()
        time.sleep(0.05)
    receiver.kill()
    receiver.wait()
    """
        )


def test_child_and_grandchild_share_no_entry():
    script(
        """
        down, up, deep = os.pipe(), os.pipe(), os.pipe()
        spare = xp.full(N, 1.0)     # what the child receives and drops, once it is there
        child = os.fork()
        if child == 0:
            y = xp.from_handle(xp.Handle.from_bytes(hear(down[0])))
            del y
            if os.fork():
                time.sleep(60)
                os._exit(1)
            y = xp.from_handle(xp.Handle.from_bytes(hear(down[0])))
            say(up[1], b"opened")
            hear(deep[0])
            say(up[1], right(y))
            os._exit(0)
        later = xp.full(N, 2.0)     # made after the fork: no witness keeps it
        say(down[1], bytes(later.handle()))
        x = xp.full(N, 5.0)
        say(down[1], bytes(x.handle()))
        assert hear(up[0]) == b"opened"
        del x
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        provoke()
        say(deep[1], b"go")
        assert hear(up[0]) == b"right", "the block served another array"
        """
    )


def test_a_message_survives_its_senders_change_to_writable():
    """The descriptor that it names keeps its number, and its creator is gone."""
    script(
        """
        import textwrap
        maker = subprocess.Popen([sys.executable, "-c", textwrap.dedent(MAKER)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first, second = (bytes.fromhex(maker.stdout.readline()) for _ in range(2))
        y = xp.from_handle(xp.Handle.from_bytes(first))
        message = bytes(y.handle())
        z = xp.from_handle(xp.Handle.from_bytes(second))
        z[0] = 5.0
        maker.kill()
        maker.communicate()
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(OPENER), message.hex()],
                              capture_output=True, text=True)
        assert done.stdout.strip() == "True", done.stderr
        """
    )
