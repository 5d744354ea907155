"""What a program does with the library, step by step, while calls fail: each step works or raises.

`play` runs in a process of its own with a healthy partner, another process; both come fresh from
the zygote. A step that raises one of its exceptions is noted, and the program goes on without what
that step would have made. What is there must be right, at every moment.
"""

import contextlib
import gc
import os
import pickle
import struct
from multiprocessing.reduction import ForkingPickler

import numpy as np

import sharedarray as xp

BIG = (40 << 20) // 8  # elements of an array that has a segment of its own
MAKING = (MemoryError, OSError)
SENDING = (MemoryError, OSError)


def ends(x):
    """First and last element, read without allocating."""
    a = np.asarray(x)
    return float(a[0]), float(a[-1])


class Wrong(Exception):
    """Something was not as it must be."""


def check(truth, what):
    """Raise `Wrong` unless it holds."""
    if not truth:
        raise Wrong(what)


# ---- messages between the two ----


def put(fd, message):
    """Write one pickled message to a pipe."""
    data = pickle.dumps(message)
    data = struct.pack("<I", len(data)) + data
    while data:
        data = data[os.write(fd, data) :]


def _read(fd, n):
    data = b""
    while len(data) < n:
        more = os.read(fd, n - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def get(fd):
    """Read one."""
    return pickle.loads(_read(fd, struct.unpack("<I", _read(fd, 4))[0]))


# ---- the partner ----


class Healthy:
    """What the partner can be asked for."""

    def __init__(self):
        self.held = {}

    def open(self, name, blob):
        """Open a handle under a name; first and last element."""
        self.held[name] = x = xp.from_handle(xp.Handle.from_bytes(blob))
        return ends(x)

    def loads(self, name, blob):
        """Open what multiprocessing would send; is_shared(), first and last element."""
        self.held[name] = x = pickle.loads(blob)
        return x.is_shared(), *ends(x)

    def make(self, name, n, value, readonly=False):
        """Make an array, drop it, and give its handle."""
        x = xp.zeros(n)
        x[0] = x[-1] = value
        self.held[name] = x
        return bytes((x.readonly() if readonly else x).handle())

    def dumps(self, n, value):
        """Make an array, drop it, and send it as multiprocessing does."""
        return bytes(ForkingPickler.dumps(xp.full(n, value)))

    def values_of(self, n, value):
        """Make an array, and send it by value."""
        return pickle.dumps(xp.full(n, value))

    def add(self, name, value):
        """Write into an array."""
        self.held[name] += value

    def values(self, name):
        """Least and greatest element."""
        x = self.held[name]
        return float(xp.min(x)), float(xp.max(x))

    def ends(self, name):
        """First, middle and last element."""
        x = self.held[name]
        return float(x[0]), float(x[len(x) // 2]), float(x[-1])

    def drop(self, *names):
        """Let go of arrays."""
        for name in names:
            self.held.pop(name, None)

    def in_flight(self):
        """Whether messages wait to be opened."""
        return xp.memory_stats()["cpu"]["in_flight"] > 0

    def settle(self):
        """Let go of everything."""
        self.held.clear()
        gc.collect()
        xp.empty_cache()


def serve(requests, answers):
    """Be the partner until the pipe ends."""
    healthy = Healthy()
    while True:
        try:
            name, arguments = get(requests)
        except EOFError:
            return
        try:
            answer = (True, getattr(healthy, name)(*arguments))
        except Exception as error:
            answer = (False, f"{type(error).__name__}: {error}")
        put(answers, answer)


class PartnerError(Exception):
    """The partner could not do what it was asked for."""


class Partner:
    """The other process, seen from here."""

    def __init__(self, prepare):
        theirs, self.requests = os.pipe()
        self.answers, back = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(self.requests)
                os.close(self.answers)
                prepare(os.getppid())
                serve(theirs, back)
                code = 0
            finally:
                os._exit(code)
        os.close(theirs)
        os.close(back)

    def __getattr__(self, name):
        def ask(*arguments):
            put(self.requests, (name, arguments))
            good, answer = get(self.answers)
            if not good:
                raise PartnerError(f"{name}: {answer}")
            return answer

        return ask

    def end(self):
        """Let it end; its status."""
        os.close(self.requests)
        os.close(self.answers)
        return os.waitpid(self.pid, 0)[1]


# ---- the program ----


class Program:
    """The steps, and what became of them."""

    def __init__(self, partner, shim):
        self.partner, self.shim = partner, shim
        self.raised = []  # (step, class, errno, message)
        self.have = {}
        self.blobs = []  # handles that arrived here
        self.sent = []

    def step(self, name, allowed, function, needs=()):
        """Run a step; its result, or None where it raised one of `allowed`, or was left out."""
        if any(need not in self.have for need in needs):
            return None
        try:
            return function()
        except allowed as error:
            check(str(error), f"{name}: {error!r} says nothing")
            message = (name, type(error).__name__, getattr(error, "errno", None), str(error))
            self.raised.append(message)
            return None
        except Wrong:
            raise
        except Exception as error:
            raise Wrong(f"{name}: raised {error!r}") from error

    def make(self, name, maker):
        """Make an array and check it."""
        x = self.step(f"make {name}", MAKING, maker)
        if x is not None:
            check(x.is_shared(), f"{name} is not shared")
            self.have[name] = x

    def told(self, name, verb, blob):
        """Let the partner open a message; None where it cannot, for what fails here."""
        self.sent.append((verb, blob))
        try:
            return getattr(self.partner, verb)(name, blob)
        except PartnerError as error:
            check("HandleError" in str(error), f"{name}: {error}")
            self.raised.append((f"partner opens {name}", "HandleError", None, str(error)))
            return None

    def send(self, name, first, last):
        """Send an array by handle; the partner keeps it under the same name."""
        blob = self.step(f"send {name}", SENDING, lambda: bytes(self.have[name].handle()), [name])
        if blob is None:
            return
        seen = self.told(name, "open", blob)
        if seen is not None:
            check(seen == (first, last), f"the partner sees {seen} in {name}")
            self.have[f"sent {name}"] = True

    def receive(self, name, blob, first, last):
        """Open a handle that the partner made."""
        self.blobs.append(blob)
        x = self.step(
            f"receive {name}",
            xp.HandleError,
            lambda: xp.from_handle(xp.Handle.from_bytes(blob)),
        )
        if x is not None:
            check(ends(x) == (first, last), f"{name} holds {ends(x)}")
            self.have[name] = x

    def loads(self, name, blob, value):
        """Open what came as multiprocessing sends it: there, or lost."""
        x = pickle.loads(blob)
        check(x.shape == (1000,), f"{name} has the shape {x.shape}")
        if x.is_shared():
            check(ends(x) == (value, value), f"{name} holds {ends(x)}")
            self.have[name] = x
            return
        found = self.step(f"read {name}", xp.HandleError, lambda: x[-1])
        check(found is None, f"{name} is not shared and has data")
        y = pickle.loads(blob)  # a lost array's message is whole
        if y.is_shared():
            self.have[name] = y
        else:
            self.blobs.append(blob)

    def grow(self):
        """NumPy's own growing of an array in shared memory."""
        with xp.capture_numpy():
            a = np.arange(10.0)
            a.resize(50_000, refcheck=False)
            check(a[9] == 9 and a[49_999] == 0, "what grew lost its values")
            return a

    def fork(self):
        """A child that reads, writes and makes, while its parent drops and makes."""
        here, there = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            code = 3
            try:
                code = self.child(here[1], there[0])
            finally:
                os._exit(code)
        os.close(here[1])
        os.close(there[0])
        os.read(here[0], 1)  # the child has looked
        for name in ("kept", "sent kept"):
            self.have.pop(name, None)
        for _ in range(5):  # would serve from what the child sees
            self.step("make after fork", MAKING, lambda: xp.full(5000, -1.0))
        with contextlib.suppress(BrokenPipeError):
            os.write(there[1], b"x")
        os.close(there[1])
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(here[0])
        check(status == 0, f"the forked child ended with {status}")

    def child(self, tell, told):
        """What the forked child does; its exit code."""
        kept = self.have.get("kept")
        values = {name: ends(x) for name, x in self.arrays()}
        os.write(tell, b"x")
        os.read(told, 1)
        try:
            made = xp.full(5000, -2.0)
            if ends(made) != (-2, -2):
                return 4
            bytes(made.handle())
        except MAKING:
            pass
        if kept is not None and not (np.asarray(kept) == 6).all():
            return 5
        for name, x in self.arrays():
            if ends(x) != values[name]:
                return 6
        return 0

    def arrays(self):
        """What is held, as pairs."""
        return [(name, x) for name, x in self.have.items() if isinstance(x, xp.Array)]

    def run(self):
        """All steps."""
        partner, have = self.partner, self.have
        self.make("small", lambda: xp.arange(1000.0))
        self.make("medium", lambda: xp.full(1 << 17, 2.0))
        self.make("large", lambda: xp.zeros(BIG))
        if "large" in have:
            have["large"][0], have["large"][-1] = 3.0, 4.0
        if "small" in have:
            check(np.asarray(have["small"])[1::2].sum() == 250_000, "the view")
            check(memoryview(have["small"])[7] == 7.0, "the memoryview")
        self.step("grow", MAKING, self.grow)
        self.send("small", 0.0, 999.0)
        self.send("medium", 2.0, 2.0)
        self.send("large", 3.0, 4.0)
        self.send("small", 0.0, 999.0)
        if "sent small" in have:
            partner.add("small", 1.0)
            check(ends(have["small"]) == (1, 1000), "small is no alias")
        blob = self.step(
            "pickle medium",
            SENDING,
            lambda: bytes(ForkingPickler.dumps(have["medium"])),
            ["medium"],
        )
        if blob is not None:
            seen = self.told("pickled", "loads", blob)
            if seen is not None:
                check(seen == (True, 2.0, 2.0), f"the partner sees {seen}")
        self.receive("theirs", partner.make("theirs", 1000, 5.0), 5.0, 5.0)
        self.receive("wide", partner.make("wide", BIG, 7.0), 7.0, 7.0)
        self.receive("fixed", partner.make("fixed", 1 << 17, 8.0, True), 8.0, 8.0)
        if "fixed" in have:
            try:
                have["fixed"][0] = 0.0
            except ValueError:
                pass
            else:
                raise Wrong("a read-only array was written")
        self.loads("parcel", partner.dumps(1000, 9.0), 9.0)
        if "theirs" in have:
            np.asarray(have["theirs"])[:] += 1
            check(partner.values("theirs")[1] == 6.0, "what was received is no alias")
            self.send("theirs", 6.0, 6.0)
        self.recycle()
        self.make("kept", lambda: xp.full(5000, 6.0))
        self.fork()
        self.step("stats", (), xp.memory_stats)
        xp.empty_cache()
        self.make("late", lambda: xp.full(1 << 17, 2.0))
        self.send("late", 2.0, 2.0)

    def run_private(self):
        """The same in memory("private"), in short: by value, and nothing is refused."""
        with xp.memory("private"):
            x = xp.arange(1000.0) + 1
            blob = bytes(ForkingPickler.dumps(x))
            check(self.partner.loads("value", blob)[1:] == (1.0, 1000.0), "by value")
            y = pickle.loads(self.partner.values_of(1000, 9.0))
            check(not y.is_shared() and ends(y) == (9.0, 9.0), "what came by value")
            check(float(xp.sum(y)) == 9000.0, "computing")

    def recycle(self):
        """Blocks that the partner holds must not serve other arrays here."""
        for name in ("small", "medium", "large"):
            self.have.pop(name, None)
        for n in (1000, 1 << 17, BIG):
            for _ in range(3):
                made = self.step("make again", MAKING, lambda n=n: xp.empty(n))
                if made is not None:
                    a = np.asarray(made)
                    a[0] = a[-1] = a[n // 2] = -1
        for name, least in (("small", 1.0), ("medium", 2.0)):
            if f"sent {name}" in self.have:
                check(self.partner.values(name)[0] == least, f"{name} was overwritten")
                self.partner.drop(name)
        if "sent large" in self.have:
            check(self.partner.ends("large") == (3.0, 0.0, 4.0), "large was overwritten")
            self.partner.drop("large", "pickled")

    def recover(self):
        """Nothing fails any more: everything works."""
        for blob in self.blobs:  # what could not be opened, or whose sender could not be told
            if blob.startswith(b"\x80"):
                check(pickle.loads(blob).is_shared(), "a message is lost for good")
            else:
                xp.from_handle(xp.Handle.from_bytes(blob))
        for verb, blob in self.sent:  # what could not be opened, or not acknowledged
            with contextlib.suppress(PartnerError):  # gone; or it names no socket, and waits
                getattr(self.partner, verb)("again", blob)
        x = xp.full(3000, 1.5)
        check(self.partner.open("after", bytes(x.handle())) == (1.5, 1.5), "sending afterwards")
        blob = self.partner.make("after 2", BIG, 2.5)
        check(ends(xp.from_handle(xp.Handle.from_bytes(blob)))[1] == 2.5, "receiving afterwards")

    def in_flight(self):
        """Whether messages wait to be opened."""
        return xp.memory_stats()["cpu"]["in_flight"] > 0

    def settle(self):
        """Let go of everything."""
        self.have.clear()
        self.blobs.clear()
        gc.collect()
        self.partner.settle()
        xp.empty_cache()
        self.partner.settle()  # what only this one had held
