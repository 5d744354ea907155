"""The C core without Python: built by the system compiler, driven through ctypes."""

import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import select
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORE = ROOT / "pyx/sharedarray/core"
SOURCES = ["os.c", "open.c", "serve.c", "fetch.c", "limits.c"]
STRICT = ["-std=gnu11", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-pthread", f"-I{CORE}"]
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW

#: A user that is not root, for processes that must not have its capabilities.
SOMEONE, ANOTHER = 61234, 61235


class Reason:
    """The numbers of ``enum sa_reason``."""

    (OK, DEAD, GONE, DENIED, IDENTITY, OWNER, SIZE, SEALS, LIMIT, OS) = range(10)
    (NOSERVER, TIMEOUT, SERVER, PROTOCOL) = range(10, 14)


def compile_core(target, *more, flags=()):
    """Compile the sources and `more` into `target`; any warning is an error."""
    command = ["cc", *STRICT, *flags, *(CORE / s for s in SOURCES), *more, "-o", target]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return target


def build(folder):
    """Compile the shared library that `Core` loads."""
    return compile_core(
        folder / "core.so", HERE / "table.c", flags=["-O1", "-g", "-shared", "-fPIC"]
    )


class Core:
    """The functions of the C core, with results as Python values."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path), use_errno=True)
        for name in ("sa_alive", "sa_proc_ours", "sa_serve_needed", "sa_same_user", "sa_is_shmem"):
            getattr(self.lib, name).restype = ctypes.c_bool
        self.lib.sa_reason_text.restype = ctypes.c_char_p

    def new_id(self):
        """Return 128 random bits as two integers."""
        pair = (ctypes.c_uint64 * 2)()
        assert self.lib.sa_random_id(pair) == 0
        return list(pair)

    def name(self, pair):
        """Name of the segment with this id."""
        out = ctypes.create_string_buffer(64)
        self.lib.sa_segment_name((ctypes.c_uint64 * 2)(*pair), out)
        return out.value.decode()

    def memfd(self, name, size):
        """Return ``(result, fd)`` of ``sa_memfd``."""
        fd = ctypes.c_int(-7)
        r = self.lib.sa_memfd(name.encode(), ctypes.c_uint64(size), ctypes.byref(fd))
        return r, fd.value

    def segment(self, size=4096):
        """Make a segment: ``(id, name, fd)``."""
        pair = self.new_id()
        r, fd = self.memfd(self.name(pair), size)
        assert r == 0
        return pair, self.name(pair), fd

    def start(self, pid):
        """Return the start time of a process, or the negative errno."""
        ticks = ctypes.c_uint64()
        r = self.lib.sa_start_time(pid, ctypes.byref(ticks))
        return ticks.value if r == 0 else r

    def alive(self, pid, start):
        """Whether that process runs."""
        return self.lib.sa_alive(pid, ctypes.c_uint64(start))

    def open(self, pid, start, number, name, size=4096, writable=True):
        """Return ``(reason, fd, errno)`` of ``sa_open_foreign``."""
        fd, err = ctypes.c_int(-7), ctypes.c_int(-7)
        reason = self.lib.sa_open_foreign(
            pid,
            ctypes.c_uint64(start),
            number,
            name.encode(),
            ctypes.c_uint64(size),
            int(writable),
            ctypes.byref(fd),
            ctypes.byref(err),
        )
        return reason, fd.value, err.value

    def put(self, pair, size, fd):
        """Let the server of this process give `fd` for that id."""
        self.lib.table_put((ctypes.c_uint64 * 2)(*pair), ctypes.c_uint64(size), fd)

    def serve(self):
        """Start the server; its socket's name."""
        assert self.lib.table_serve() == 0
        return self.socket_name()

    def socket_name(self):
        """Name of the socket that this process serves, or the negative errno."""
        token, out = (ctypes.c_uint64 * 2)(), ctypes.create_string_buffer(64)
        r = self.lib.sa_serve_token(token)
        if r < 0:
            return r
        self.lib.sa_socket_name(os.geteuid(), token, out)
        return out.value.decode()

    def fetch(self, socket, pair, size=4096, writable=True, timeout=900, uid=None, name=None):
        """Return ``(reason, fd, errno)`` of ``sa_fetch_served``."""
        fd, err = ctypes.c_int(-7), ctypes.c_int(-7)
        reason = self.lib.sa_fetch_served(
            socket.encode(),
            os.geteuid() if uid is None else uid,
            (name or self.name(pair)).encode(),
            (ctypes.c_uint64 * 2)(*pair),
            ctypes.c_uint64(size),
            int(writable),
            timeout,
            ctypes.byref(fd),
            ctypes.byref(err),
        )
        return reason, fd.value, err.value

    def limit(self, root, kinds):
        """Return ``(available bytes, name)`` of the binding limit, or the negative errno."""
        avail, which = ctypes.c_uint64(), ctypes.create_string_buffer(64)
        r = self.lib.sa_memory_limit(str(root).encode(), kinds, ctypes.byref(avail), which)
        return (avail.value, which.value.decode()) if r == 0 else r

    def fork(self):
        """`os.fork` with the handlers around it."""
        self.lib.table_before_fork()
        pid = os.fork()
        if pid == 0:
            self.lib.table_after_fork_child()
        else:
            self.lib.table_after_fork_parent()
        return pid


def descriptors(pid="self"):
    """What the descriptors of a process lead to."""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            found[int(number)] = os.readlink(f"/proc/{pid}/fd/{number}")
    if pid == "self":  # the listing's own
        found = {n: to for n, to in found.items() if not to.endswith(f"/{os.getpid()}/fd")}
    return found


def set_dumpable(value):
    """Open or close the ``/proc`` entry of this process."""
    assert ctypes.CDLL(None).prctl(4, value, 0, 0, 0) == 0


def become(uid):
    """Give up root for good, with an open ``/proc`` entry as after exec."""
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
    set_dumpable(1)


def wait_status(pid):
    """Exit code of a child."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class PeerError(AssertionError):
    """The other process failed, or did not answer in time."""


class Peer:
    """Another process that runs what it is told and answers with JSON.

    Parameters
    ----------
    library : path
        The library that the process loads as ``core``.
    uid : int, optional
        User to become (with root only).
    wrapper : sequence of str
        Command that starts the interpreter.
    """

    def __init__(self, library, uid=None, wrapper=()):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SHAREDARRAY_")}
        self.process = subprocess.Popen(
            [*wrapper, sys.executable, "-m", "tests.core.native", str(library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=environment,
            start_new_session=True,
        )
        self.start, self.pid = self.ask("core.start(os.getpid())", {})
        if uid is not None and os.geteuid() == 0:
            self(f"become({uid})")

    def __call__(self, code, **names):
        """Run `code` with the variables `names`; the value of its last expression."""
        return self.ask(code, names)[0]

    def ask(self, code, names, timeout=60.0):
        """Run `code`; the value of its last expression, and the process's own pid."""
        self.process.stdin.write(json.dumps([code, names]).encode() + b"\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            self.kill()
            raise PeerError(f"no answer to {code!r}")
        value, error, number = json.loads(line)
        if error:
            raise PeerError(f"{code!r}: {error}")
        return value, number

    def kill(self):
        """End the process."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()


def _run(code, names):
    *body, last = code.strip().split("\n")
    exec("\n".join(body), names)
    try:
        expression = compile(last, "<peer>", "eval")
    except SyntaxError:
        exec(last, names)
        return None
    return eval(expression, names)


def main():
    """Answer until the other side goes."""
    names = dict(globals(), core=Core(sys.argv[1]))
    for line in sys.stdin:
        code, more = json.loads(line)
        names.update(more)
        try:
            answer = [_run(code, names), None, os.getpid()]
        except Exception as exc:
            answer = [None, repr(exc), os.getpid()]
        print(json.dumps(answer, default=repr), flush=True)


def may_unshare(*options):
    """Whether this process may make such namespaces."""
    command = ["unshare", *options, "true"]
    return subprocess.run(command, capture_output=True, timeout=20).returncode == 0


if __name__ == "__main__":
    main()
