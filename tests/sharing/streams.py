"""Streams of fresh arrays between workers; every function here runs in one of them."""

import gc
import os
import re
import resource
from multiprocessing.connection import Client, Listener
from typing import NamedTuple

import sharedarray as xp
from tests.harness import procfs
from tests.harness.syscalls import allow_tracing

PAGE = 4096
WARM = 4  # arrays that may be alive at once in any of the streams
WHOLE = 256  # every so many messages all pages are touched

links = {}  # name: connection


class State(NamedTuple):
    """What a process holds, and how often it faulted in a page so far."""

    faults: int
    descriptors: int
    mappings: int
    mapped: int
    private: int


def state():
    """Measure this process, its caches included."""
    gc.collect()
    with open("/proc/self/status") as file:
        private = 1024 * int(re.search(r"RssAnon:\s+(\d+) kB", file.read())[1])
    regions = procfs.mappings()
    return State(
        resource.getrusage(resource.RUSAGE_SELF).ru_minflt,
        len(procfs.descriptors()),
        len(regions),
        sum(region.end - region.start for region in regions),
        private,
    )


def listen():
    """Open a socket for `accept`; its address."""
    links["listener"] = Listener(family="AF_UNIX")
    return links["listener"].address


def accept(name):
    """Wait for `connect` at the other end."""
    with links.pop("listener") as listener:
        links[name] = listener.accept()


def connect(name, address):
    """Connect to a worker that listens."""
    links[name] = Client(address, family="AF_UNIX")


def join(first, second, name):
    """Connect two workers by a link of this name (runs in the test)."""
    address = first.call(listen)
    first.send(accept, name)
    second.call(connect, name, address)
    first.receive()


def ready():
    """Prepare for being traced."""
    allow_tracing()
    state()


class Stream:
    """
    Makes and checks the messages of a stream.

    Parameters
    ----------
    nbytes : int
        Size of each array; 0 for a stream of tuples of two numbers.
    """

    def __init__(self, nbytes):
        self.count = nbytes // 8
        self.pages = slice(None, None, PAGE // 8)

    def make(self, number, whole=False):
        """Make the message of this number."""
        if not self.count:
            return (float(number), -float(number))
        x = xp.empty(self.count)
        a = x.numpy()
        if whole or number % WHOLE == 0:
            a[self.pages] = number
        a[0], a[-1] = number, -number
        return x

    def check(self, x, number, whole=False):
        """Check that a message is the one of this number."""
        if not self.count:
            assert x == (float(number), -float(number))
            return
        a = x.numpy()
        assert a[0] == number and a[-1] == -number
        if whole or number % WHOLE == 0:
            assert (a[self.pages] == number).all()


def pour(link, nbytes, numbers, fault=None):
    """Send a fresh array for each number; the receiver confirms each."""
    stream, link = Stream(nbytes), links[link]
    for number in numbers:
        x = stream.make(number)
        link.send(x)
        del x
        link.recv_bytes()
        if fault:
            fault(number)


def drain(link, nbytes, numbers, fault=None):
    """Receive what `pour` sends."""
    stream, link = Stream(nbytes), links[link]
    for number in numbers:
        x = link.recv()
        stream.check(x, number)
        if fault:
            fault(x)
        del x
        link.send_bytes(b"")


def exchange(link, nbytes, numbers):
    """Send and receive fresh arrays at once; the other end does the same."""
    stream, link = Stream(nbytes), links[link]
    for number in numbers:
        x = stream.make(number)
        link.send(x)
        del x
        x = link.recv()
        stream.check(x, number)
        del x


def forward(source, sink, numbers):
    """Send on what comes, and confirmations back."""
    source, sink = links[source], links[sink]
    for _ in numbers:
        x = source.recv()
        sink.send(x)
        del x
        source.send_bytes(sink.recv_bytes())


def fill(link, nbytes):
    """Send as many arrays at once as a stream may need, each written whole."""
    stream, link = Stream(nbytes), links[link]
    for x in [stream.make(number, whole=True) for number in range(WARM)]:
        link.send(x)
    del x
    link.recv_bytes()


def empty(link, nbytes):
    """Receive what `fill` sends."""
    stream, link = Stream(nbytes), links[link]
    for number, x in enumerate([link.recv() for _ in range(WARM)]):
        stream.check(x, number, whole=True)
    del x
    link.send_bytes(b"")


def relay(source, sink):
    """Send on what `fill` sends to whoever runs `empty`."""
    source, sink = links[source], links[sink]
    for x in [source.recv() for _ in range(WARM)]:
        sink.send(x)
    del x
    source.send_bytes(sink.recv_bytes())


# What the tests plant, so that each of their checks has something to find.

_kept = []


def cache_emptied(number):
    """Give the cache back after every message."""
    xp.empty_cache()


def descriptor_left(number):
    """Leave a descriptor now and then."""
    if number % 64 == 0:
        os.dup(0)


def array_kept(x):
    """Keep what was received."""
    _kept.append(x)


def object_kept(x):
    """Keep a private copy of what was received."""
    _kept.append(x.numpy().copy())


def kept():
    """First value of each array kept; all its pages hold that."""
    for x in _kept:
        assert -x[-1] == x[0]
    return [float(x[0]) for x in _kept]
