"""A worker process: acts by its plan until it is killed, ends or is told to stop."""

import faulthandler
import gc
import json
import math
import os
import signal
import sys
import threading
import time
import traceback
import warnings

import sharedarray as xp
from sharedarray import _core
from tests.harness.footprint import planted as entries_planted

from . import messages, plan, planted, table
from .actor import Actor, complain

SETTLE = 10.0  # seconds until everything dropped must have come back
LINGER = 30.0  # seconds that keepers keep what nobody opens: its receiver was killed
WAIT = 2.0  # seconds that a process that wants to end waits for its messages to be opened


class Run:
    """
    What all processes of a run know.

    Parameters
    ----------
    folder : str
        Where faults and statistics are written.
    seed : int
    slots : int
        Number of workers.
    outlets : list of socket
        The way to each worker, never blocking.
    keeper : bool
        Whether what was sent survives its sender's normal end.
    plant : str
        Name of a fault to make, see `planted`; "" for none.
    silence : float
        Seconds without a step after which a worker counts as hanging.
    """

    def __init__(self, folder, seed, slots, outlets, keeper=False, plant="", silence=30.0):
        self.folder, self.seed, self.slots, self.outlets = folder, seed, slots, outlets
        self.keeper, self.plant, self.silence = keeper, plant, silence
        self.entry = f"{entries_planted()}stress"  # of /dev/shm, if that is the fault
        self.table = table.Table(os.path.join(folder, "table"))

    def fault(self, row, number, error):
        """Record what must not be; everybody stops."""
        text = "".join(traceback.format_exception(error))
        path = os.path.join(self.folder, f"fault-{row.number}-{time.monotonic_ns()}")
        with open(path, "w") as file:
            file.write(f"{row.name}, process {os.getpid()}, decision #{number}:\n{text}")
        self.table.words[2] += 1
        complain(f"fault in {row.name} at #{number}: {error}")

    def kill(self, row):
        """SIGKILL the process of a row, if it still is that process."""
        if row is None or self.plant or not messages.runs(row):
            return False  # a kill might hide the planted fault
        try:
            handle = os.pidfd_open(row.pid)
        except OSError:  # gone, or the number is a thread's by now
            return False
        try:
            if not messages.runs(row):
                return False
            row.condemned = 1
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        except ProcessLookupError:
            return False
        finally:
            os.close(handle)
        return True


def second_thread(actor):
    """Make, send and drop beside the main thread."""
    try:
        while actor.run.table.phase == table.RUN and not actor.ending:
            actor.step()
            time.sleep(0.001)
        while actor.outbox and actor.run.table.phase < table.DROP:
            actor.flush()
            time.sleep(0.001)
        for item in actor.items:
            item.check()
    except BaseException as error:
        actor.run.fault(actor.row, actor.now, error)
    finally:
        actor.items.clear()


def settled(actor, stats):
    """Whether nothing is left of this worker's part."""
    return not too_much(actor.run.table, actor.row.number, stats)


def too_much(known, number, stats, collected=False):
    """
    What a worker that dropped everything has beyond what it may have: ``{name: (has, may)}``.

    A message whose receiver was killed between taking and opening it stays in flight; bytes of
    segments that came from others are not told apart by block. Once `collected`, nothing is left.
    """
    gone = [row for row in known.rows() if row.opening and row.opening_from == number + 1]
    gone = [] if collected else gone
    mine = [row for row in gone if row.opening_maker == number + 1]
    own = sum(2 * row.opening_bytes + 4096 for row in mine)
    foreign = math.inf if len(gone) > len(mine) else 0
    most = {"allocated": own, "attached": foreign, "in_flight": own + foreign}
    return {name: (stats[name], may) for name, may in most.items() if stats[name] > may}


class Beside:
    """The second thread of a worker, if it has one."""

    def __init__(self, actor):
        self.actor, self.thread = actor, None
        if actor:
            self.thread = threading.Thread(target=second_thread, args=(actor,))
            self.thread.start()

    def stop(self):
        """Let it send what it has, and end; whether it has ended."""
        if self.thread:
            self.actor.ending = True
            if self.thread.is_alive():
                return False
            self.thread.join()
            self.thread = None
        return True


def may_end(actor):
    """Whether this process can end now without losing what it sent."""
    return actor.quiet() and (actor.run.keeper or not xp.memory_stats()["cpu"]["in_flight"])


def act(actor, beside):
    """Follow the plan until the run is over; False if the process shall end before."""
    patience = 0
    while actor.run.table.phase == table.RUN:
        for _ in range(8):
            if not actor.receive():
                break
        if not actor.ending:
            actor.step()
            patience = time.monotonic() + WAIT
        elif beside.stop() and may_end(actor):
            return False
        elif time.monotonic() > patience:  # who should open it was killed
            actor.ending = False
    return True


def drain(actor, beside):
    """Read until the supervisor has found all at rest."""
    while actor.run.table.phase == table.DRAIN:
        more = actor.receive()
        actor.row.idle = actor.quiet() and beside.stop() and not more
        if not more:
            time.sleep(0.002)


def finish(actor):
    """Drop everything and tell what is left."""
    end = time.monotonic() + SETTLE
    while True:
        stats = actor.let_go()
        if settled(actor, stats) or time.monotonic() > end:
            break
        time.sleep(0.05)
    collected = hasattr(xp, "collect")
    if collected:  # what nobody will open any more
        xp.collect()
        stats = actor.let_go()
    told = {"name": actor.name, "row": actor.row.number, "stats": stats, "collected": collected}
    path = os.path.join(actor.run.folder, f"end-{actor.row.number}.json")
    with open(path + ".part", "w") as file:
        json.dump(told, file)
    os.rename(path + ".part", path)
    while actor.run.table.phase != table.EXIT:
        time.sleep(0.005)


def second(run, name, row):
    """Return the actor of a second thread."""
    own = run.table.new_row()
    own.begin(name + "+", os.getpid(), row.start, row)
    return Actor(run, name + "+", own)


def main(run, name, number, inbox):
    """Body of a worker process."""
    warnings.simplefilter("ignore", DeprecationWarning)  # fork beside threads
    row = table.Row(run.table, number)
    path = os.path.join(run.folder, f"stacks-{number}")
    stacks = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)  # as long as the process
    faulthandler.enable(stacks)
    faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=True)
    row.begin(name, os.getpid(), messages.start_of(os.getpid()))
    _core.linger_for(LINGER)  # not by the environment: fork brings what its parent had read
    actor = Actor(run, name, row, inbox)
    beside = Beside(second(run, name, row) if plan.has_thread(run.seed, name) else None)
    try:
        planted.begin(actor)
        if act(actor, beside):
            drain(actor, beside)
            finish(actor)
        else:
            actor.items.clear()
            gc.collect()
        row.ended = 1
    except BaseException as error:
        run.fault(row, actor.now, error)
        beside.stop()
        sys.exit(71)
