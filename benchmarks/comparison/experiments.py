"""The experiments of the table, with processes of ``multiprocessing``; one run of this is one cell.

A makes an array and sends it to B, who may send it on to C. All three are children of the program,
which touches no array itself.
"""

import multiprocessing
import os
import resource
import signal
import time
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler

from adapters import ADAPTERS, VALUE
from outcome import Outcome, tell

COUNT = 100_000_000 // 8
MANY, SMALL = 5_000, 512
PATIENCE = 40.0


class Role:
    """What a child does; every method is called from the program."""

    def __init__(self, peer, links):
        self.adapter, self.links, self.kept = ADAPTERS[peer](), links, []

    def make(self, count, number=1):
        self.kept = [self.adapter.make(count) for _ in range(number)]

    def send(self, link):
        for x in self.kept:
            self.links[link].send(self.adapter.message(x))

    def receive(self, link, number=1):
        for _ in range(number):
            self.kept.append(self.adapter.opened(self.links[link].recv()))

    def pack(self):
        return bytes(ForkingPickler.dumps(self.adapter.message(self.kept[0])))

    def unpack(self, data):
        self.kept = [self.adapter.opened(ForkingPickler.loads(data))]

    def right(self):
        return all(bool((self.adapter.values(x) == VALUE).all()) for x in self.kept)

    def drop(self):
        self.kept = []


def serve(peer, control, links):
    """Answer the program until it says None; then end as any child does."""
    role = Role(peer, links)
    while True:
        try:
            order = control.recv()
        except EOFError:  # the program has ended
            return
        if order is None:
            return
        name, *arguments = order
        try:
            control.send((getattr(role, name)(*arguments), None))
        except Exception as error:
            control.send((None, type(error).__name__ + ": " + str(error)))


class Child:
    """A child of the program, with links to others."""

    def __init__(self, peer, **links):
        context = multiprocessing.get_context("spawn")
        self.control, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(peer, theirs, links))
        self.process.start()
        theirs.close()

    def __call__(self, *order):
        """Let it do something; what that returns.

        Raises
        ------
        Outcome
            If it cannot: what the cell says.
        """
        self.control.send(order)
        if not wait([self.control, self.process.sentinel], PATIENCE):
            raise Outcome("hangs", str(order))
        if not self.control.poll():
            raise self.death()
        try:
            value, error = self.control.recv()
        except EOFError:
            raise self.death() from None
        if error:
            raise Outcome(error.partition(":")[0], error)
        return value

    def death(self):
        """Outcome of its death."""
        self.process.join(5)
        code = self.process.exitcode or 0
        if code < 0:
            return Outcome({7: "bus error"}.get(-code, signal.Signals(-code).name))
        return Outcome(f"ends with {code}")

    def end(self):
        """Let it end normally."""
        self.control.send(None)
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            raise Outcome("sender hangs at its end")

    def kill(self):
        """End it by SIGKILL."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()


def family(peer):
    """A, B and C, linked in a row."""
    context = multiprocessing.get_context("spawn")
    (b_in, a_out), (c_in, b_out) = context.Pipe(duplex=False), context.Pipe(duplex=False)
    return Child(peer, out=a_out), Child(peer, into=b_in, out=b_out), Child(peer, into=c_in)


def check(child):
    """Outcome unless all that the child has is right."""
    if not child("right"):
        raise Outcome("wrong values")


def ended_unopened(peer):
    """A sends, drops and ends normally; only then B opens."""
    a, b, _ = family(peer)
    a("make", COUNT)
    a("send", "out")
    a("drop")
    a.end()
    b("receive", "into")
    check(b)


def ended_opened(peer):
    """A ends normally after B opened."""
    a, b, _ = family(peer)
    a("make", COUNT)
    a("send", "out")
    b("receive", "into")
    a.end()
    check(b)


def killed_unopened(peer):
    """A sends and is killed; only then B opens."""
    a, b, _ = family(peer)
    a("make", COUNT)
    a("send", "out")
    a.kill()
    b("receive", "into")
    check(b)


def killed_opened(peer):
    """A is killed after B opened."""
    a, b, _ = family(peer)
    a("make", COUNT)
    a("send", "out")
    b("receive", "into")
    a.kill()
    check(b)


def passed_on(peer):
    """A ends normally after B opened; B sends it on, C opens."""
    a, b, c = family(peer)
    a("make", COUNT)
    a("send", "out")
    b("receive", "into")
    a.end()
    b("send", "out")
    c("receive", "into")
    check(c)


def opened_twice(peer):
    """B and C open the same pickled message."""
    a, b, c = family(peer)
    a("make", COUNT)
    data = a("pack")
    b("unpack", data)
    check(b)
    c("unpack", data)
    check(c)


def small_shm(peer):
    """An array of 100 MB where ``/dev/shm`` has 64 MB."""
    a, b, _ = family(peer)
    a("make", COUNT)
    a("send", "out")
    b("receive", "into")
    check(b)


def many(peer):
    """5,000 arrays of 4 KiB sent and held at both ends, with 1,024 descriptors."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    a, b, _ = family(peer)
    a("make", SMALL, MANY)
    # A pipe holds some hundred messages only, so both work at once.
    a.control.send(("send", "out"))
    b("receive", "into", MANY)
    _, error = a.control.recv()
    if error:
        raise Outcome(error.partition(":")[0], error)
    check(b)


def held(peer):
    """A and B hold an array; for what is left when everything is killed."""
    a, b, _ = family(peer)
    a("make", COUNT)
    a("send", "out")
    b("receive", "into")
    check(b)
    tell("held")
    time.sleep(1000)


def forgotten(peer):
    """A and B hold an array, and all end normally without deleting anything."""
    children = family(peer)
    children[0]("make", COUNT)
    children[0]("send", "out")
    children[1]("receive", "into")
    check(children[1])
    for child in children:
        child.end()


EXPERIMENTS = {
    f.__name__: f
    for f in (
        ended_opened,
        ended_unopened,
        killed_opened,
        killed_unopened,
        passed_on,
        opened_twice,
        small_shm,
        many,
        held,
        forgotten,
    )
}
