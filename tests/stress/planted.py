"""Faults made on purpose: each must be seen, see `test_planted`."""

import itertools
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np

import sharedarray as xp

from . import messages
from .actor import Item

AFTER = 60  # steps of a worker

FAULTS = {}


def fault(function):
    """Enter a fault by its name."""
    FAULTS[function.__name__] = function
    return function


def begin(actor):
    """Let the worker in slot 1 make the fault that the run asks for, once."""
    make = FAULTS.get(actor.run.plant)
    if make is None or actor.run.table.words[3] or not actor.name.startswith("1."):
        return
    step, count = actor.step, itertools.count()

    def stepping():
        step()
        if next(count) == AFTER:
            make(actor)
            actor.run.table.words[3] = 1

    actor.step = stepping
    actor.end = lambda d: None


def _item(actor, n=100):
    """An array of this worker with a number of its own."""
    spec = (actor.row.number << 32 | 0xFFFF0000, "i8", (n,), "C")
    from . import patterns

    return Item(xp.asarray(patterns.original(spec)), spec, home=True)


def _send(actor, data):
    while True:
        try:
            actor.run.outlets[0].send(data)
        except BlockingIOError:
            time.sleep(0.001)
        else:
            actor.row.sent += 1
            return


@fault
def content(actor):
    """One bit of an array under way is changed."""
    item = _item(actor)
    data = messages.written(actor.row, item, messages.PICKLE)
    np.asarray(item.x)[-1] ^= 1
    _send(actor, data)


@fault
def recycled(actor):
    """A block is used for another array while somebody still looks at it."""
    item = _item(actor)
    item.x[...] = 0
    actor.items.append(item)


@fault
def lost(actor):
    """A message's memory is let go of before it is opened: the ticket is marked by the sender."""
    item = _item(actor)
    data = messages.written(actor.row, item, messages.HANDLE)
    messages.opened(messages.HANDLE, messages.described(data)[3])
    item.x = None
    for _ in range(50):
        xp.full(100, 1)
    _send(actor, data)


@fault
def vanished(actor):
    """Messages are taken and forgotten."""
    for _ in range(200):
        try:
            actor.inbox.recv(messages.LIMIT)
        except BlockingIOError:
            time.sleep(0.005)


@fault
def leaked(actor):
    """An array is never dropped."""
    actor.hoard.append(xp.ones(5000))


@fault
def kept(actor):
    """What came from others is never dropped."""
    let_go = actor.let_go

    def forgetful():
        actor.hoard.extend(item.x for item in actor.items if not item.home)
        return let_go()

    actor.let_go = forgetful


@fault
def descriptor(actor):
    """A process outlives the run and keeps a descriptor of its memory."""
    x = xp.ones(5000)
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
        os._exit(len(x))


@fault
def process(actor):
    """A process without any memory outlives the run."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


@fault
def entry(actor):
    """A name is left in /dev/shm."""
    pathlib.Path("/dev/shm", actor.run.entry).touch()


@fault
def crash(actor):
    """A worker ends by a signal that nobody sent."""
    os.kill(os.getpid(), signal.SIGSEGV)


@fault
def murder(actor):
    """A worker is killed by somebody outside (the kernel, for want of memory)."""
    os.kill(os.getpid(), signal.SIGKILL)


@fault
def code(actor):
    """A worker ends with an error."""
    os._exit(3)


@fault
def hang(actor):
    """A worker does nothing any more."""
    time.sleep(600)
