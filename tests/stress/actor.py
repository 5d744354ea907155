"""What a process or thread does: one method for each action of the plan."""

import contextlib
import gc
import os
import signal
import sys
import time

import numpy as np

import sharedarray as xp

from . import messages, patterns, plan, table

MOST_ITEMS, MOST_BYTES = 40, 96 << 20
CHILDREN, DEPTH = 3, 2


class Fault(Exception):
    """Something that must not be: the run has failed."""


class Item:
    """An array held, and what it must contain."""

    def __init__(self, x, spec, views=(), home=False):
        self.x, self.spec, self.views, self.home = x, spec, views, home
        self.handle = None

    def check(self, origin=""):
        """Look at every element."""
        wrong = patterns.difference(np.asarray(self.x), self.spec, self.views)
        if wrong:
            raise Fault(
                f"content of array {self.spec[0]:x} {self.spec} {self.views}: {wrong}{origin}"
            )


class Actor:
    """
    The state of one process (or thread) and its actions.

    Parameters
    ----------
    run : Run
        What all processes of the run know.
    row : table.Row
    inbox : socket or None
        Where its messages come; nobody else reads it.
    """

    def __init__(self, run, name, row, inbox=None):
        self.run, self.name, self.row, self.inbox = run, name, row, inbox
        self.plan = plan.decisions(run.seed, name)
        self.items, self.outbox, self.children, self.hoard = [], [], {}, []
        self.ending = False
        self.now = -1  # number of the decision

    # ---- the loop ----

    def step(self):
        """Take the next decision."""
        d = next(self.plan)
        self.now = d.number
        self.row.note(d.number, d.action)
        getattr(self, d.action)(d)
        self.flush()
        while len(self.items) > MOST_ITEMS or sum(i.x.nbytes for i in self.items) > MOST_BYTES:
            self.drop(d)

    def pick(self, u):
        """Return one of the arrays held, or None."""
        return self.items[int(u * len(self.items))] if self.items else None

    # ---- actions ----

    def make(self, d):
        n = plan.elements(d.u, d.v)
        shape, order = patterns.layout(n, d.w)
        dtype = patterns.DTYPES[int(d.u * 977) % len(patterns.DTYPES)]
        # no two arrays of a run have one number: rows are never given twice
        ident = self.row.number << 32 | self.row.made
        spec = ident, dtype, shape, order
        if d.w < 0.5:
            x = xp.asarray(patterns.original(spec), order=order)
        else:
            x = xp.empty(shape, dtype=np.dtype(dtype), order=order)
            x[...] = patterns.original(spec)
        self.row.made += 1
        self.items.append(Item(x, spec, home=True))

    def view(self, d):
        item = self.pick(d.u)
        if item and len(item.views) < 3 and item.x.ndim < 6:
            name = list(patterns.VIEWS)[int(d.v * len(patterns.VIEWS))]
            x = patterns.VIEWS[name](item.x)
            self.items.append(Item(x, item.spec, (*item.views, name), item.home))

    def drop(self, d):
        if self.items:
            self.items.pop(int(d.u * len(self.items))).check()

    def look(self, d):
        item = self.pick(d.u)
        if item:
            item.check()
            self.row.looks += 1

    def keep_handle(self, d):
        item = self.pick(d.u)
        if item:
            item.handle = item.x.handle()

    def trim(self, d):
        if d.u < 0.3:
            xp.empty_cache()
        elif d.u < 0.6:
            gc.collect()
        else:
            xp.memory_stats()

    def send(self, d):
        item = self.pick(d.u)
        if item and len(self.outbox) < 8:
            how = messages.HANDLE if d.w < 0.4 else messages.PICKLE
            data = messages.written(self.row, item, how)
            self.outbox.append((int(d.v * self.run.slots), data, not item.home))
            if d.w < 0.05 or d.w > 0.9:  # nobody but the message holds it now
                self.items.remove(item)

    again = send

    def open_twice(self, d):
        item = self.pick(d.u)
        if item:
            data = messages.written(self.row, item, messages.HANDLE)
            _, spec, views, payload = messages.described(data)
            for _ in range(2):
                x, reason = messages.opened(messages.HANDLE, payload)
                if reason:
                    raise Fault(f"own message of array {spec[0]:x}: {reason}")
                Item(x, spec, views).check()

    # ---- processes ----

    def fork(self, d):
        self.reap()
        if len(self.children) >= CHILDREN or self.name.count("/") >= DEPTH:
            return
        row = self.run.table.new_row()
        pid = os.fork()
        if pid:
            self.children[pid] = row
            row.pid = pid  # also here: it may be killed before it enters itself
            self.row.forks += 1
            return
        code = 70
        try:
            name = f"{self.name}/{d.number}"
            row.begin(name, os.getpid(), messages.start_of(os.getpid()), self.row)
            self.now = -1
            child = Actor(self.run, name, row)
            child.items = self.items
            child.live()
            code = 0
        except BaseException as error:
            self.run.fault(row, self.now, error)
        finally:
            row.ended = 1  # what it sent and nobody opened may be lost from here on
            os._exit(code)

    def live(self):
        """What a forked child does until it ends."""
        steps, lingers = plan.child_steps(self.run.seed, self.name)
        for _ in range(steps):
            if self.run.table.phase != table.RUN:
                break
            self.step()
            if lingers:
                time.sleep(0.02)
        for item in self.items:
            item.check()
        while self.children:
            self.reap()
            time.sleep(0.005)

    def reap(self):
        """Take leave of children that ended."""
        for pid in list(self.children):
            got, status = os.waitpid(pid, os.WNOHANG)
            if got:
                row = self.children.pop(pid)
                code = os.waitstatus_to_exitcode(status)
                if code and not (code == -signal.SIGKILL and row.condemned):
                    raise Fault(f"child {row.name} (process {pid}) ended with {code}")

    def kill_child(self, d):
        if self.run.plant:
            return  # a kill might hide the planted fault
        for pid, row in self.children.items():
            row.condemned = 1
            os.kill(pid, signal.SIGKILL)  # not waited for yet: the number is its own
            self.row.kills += 1
            break

    def kill(self, d):
        """Kill the worker of some slot, this one too."""
        if self.run.kill(self.run.table.slot(int(d.u * self.run.slots))):
            self.row.kills += 1

    def end(self, d):
        """End normally, like a program that is done."""
        self.ending = True

    # ---- messages ----

    def flush(self):
        """Send what waits, as far as there is room."""
        while self.outbox:
            target, data, forwarded = self.outbox[0]
            try:
                self.run.outlets[target].send(data)
            except BlockingIOError:
                return
            del self.outbox[0]
            self.row.sent += 1
            self.row.forwarded += forwarded
            self.row.bytes += messages.HEAD.unpack_from(data)[4]

    def receive(self):
        """Take one message; False if there is none."""
        row = self.row
        try:
            data = self.inbox.recv(messages.LIMIT, messages.PEEK)
        except BlockingIOError:
            return False
        head, spec, views, payload = messages.described(data)
        # If this process is killed from here on, nobody opens the message.
        row.opening_from, row.opening_bytes = head[0] + 1, head[4]
        row.opening_maker, row.opening = (spec[0] >> 32) + 1, spec[0] + 1
        if self.inbox.recv(messages.LIMIT) != data:
            raise Fault("another process reads this inbox")
        row.taken += 1
        x, reason = messages.opened(head[5], payload)
        if reason:
            self.lost(head, spec, reason)
        else:
            row.opened += 1
        row.opening = 0
        if x is not None and not reason:
            item = Item(x, spec, views)
            sender = table.Row(self.run.table, head[0]).name
            item.check(f"; it was made by {self.maker(spec)} and sent by {sender}")
            row.looks += 1
            self.items.append(item)
        return True

    def lost(self, head, spec, reason):
        """Only what a killed process sent may be lost, or one that ended without a word."""
        sender = table.Row(self.run.table, head[0])
        if sender.name.endswith("+"):  # a thread goes with its process
            sender = table.Row(self.run.table, sender.parent - 1)
        # Killers say so before they kill: what is lost earlier is lost without a reason.
        if not sender.condemned and not (sender.ended and "/" in sender.name):
            state = "ended normally" if sender.ended else "lives"
            raise Fault(
                f"lost array {spec[0]:x} (made by {self.maker(spec)}) although its sender "
                f"{sender.name}, process {sender.pid}, {state}: {reason}"
            )
        self.row.lost += 1

    def maker(self, spec):
        """Return the name of the process that made an array."""
        return table.Row(self.run.table, spec[0] >> 32).name

    # ---- the end ----

    def quiet(self):
        """Nothing is left to do here."""
        self.flush()
        if self.children:
            self.reap()
        return not self.outbox and not self.children

    def let_go(self):
        """Drop everything; what is left, as statistics."""
        for item in self.items:
            item.check()
        self.items.clear()
        gc.collect()
        xp.empty_cache()
        return xp.memory_stats()["cpu"]


def complain(text):
    """Say something where the supervisor's user sees it."""
    with contextlib.suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
