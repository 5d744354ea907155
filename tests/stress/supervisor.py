"""Starts the workers, kills some, replaces those that ended, and brings the run to its end."""

import ctypes
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import time

from tests.harness import procfs
from tests.harness.footprint import servants

from . import plan, table, worker

_PR_SET_CHILD_SUBREAPER = 36


class RunFailed(AssertionError):
    """The run is over because something is wrong; the faults tell what."""


class Slot:
    """One worker at a time, and its inbox, which outlives it."""

    def __init__(self, index):
        self.index, self.incarnation = index, 0
        self.inbox, self.outlet = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.inbox.setblocking(False)
        self.outlet.setblocking(False)
        self.process = self.row = None
        self.steps, self.since = 0, 0.0

    def close(self):
        """Close both ends."""
        self.inbox.close()
        self.outlet.close()


class Supervisor:
    """
    A run with its processes.

    Parameters
    ----------
    run : worker.Run
    slots : list of Slot
    """

    def __init__(self, run, slots):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans come here
        self.run, self.slots = run, slots
        self.raids = plan.raids(run.seed, len(slots))
        self.next_burial = 0.0
        self.faults, self.ends = [], {"workers": 0, "normal": 0, "orphans": 0}
        multiprocessing.get_context("forkserver").set_forkserver_preload(
            ["sharedarray", "tests.stress.worker"]
        )

    # ---- processes ----

    def start(self, slot):
        """Start the next worker of a slot."""
        name = f"{slot.index}.{slot.incarnation}"
        slot.incarnation += 1
        slot.row = self.run.table.new_row()
        context = multiprocessing.get_context(plan.start_method(self.run.seed, name))
        slot.process = context.Process(
            target=worker.main, args=(self.run, name, slot.row.number, slot.inbox), name=name
        )
        slot.process.start()
        slot.steps, slot.since = 0, time.monotonic()
        self.run.table.set_slot(slot.index, slot.row)

    def watch(self):
        """Replace workers that ended; note what should not have happened."""
        for slot in self.slots:
            code = slot.process.exitcode
            if code is None:
                self.listen(slot)
                continue
            self.run.table.set_slot(slot.index, None)
            slot.process.close()
            name = slot.row.name
            if code == 0 and slot.row.ended:
                self.ends["normal"] += 1
            elif code == -signal.SIGKILL and slot.row.condemned:
                self.ends["workers"] += 1
            else:
                self.faults.append(f"worker {name} (row {slot.row.number}) ended with {code}")
            if self.run.table.phase < table.DROP:
                self.start(slot)
            elif slot.row.condemned:
                self.faults.append(f"worker {name} was killed when all should rest")
        if time.monotonic() > self.next_burial:
            self.next_burial = time.monotonic() + 0.5
            self.bury()
        if self.faults or self.run.table.words[2]:
            raise RunFailed

    def listen(self, slot):
        """Notice workers that do nothing."""
        now = time.monotonic()
        steps = slot.row.steps + slot.row.taken
        if steps != slot.steps or self.run.table.phase != table.RUN:
            slot.steps, slot.since = steps, now
        elif now - slot.since > (self.run.silence if steps else max(60.0, self.run.silence)):
            self.faults.append(f"worker {slot.row.name} hangs\n{self.stacks(slot.row)}")

    def stacks(self, row):
        """Where the threads of a process are; a forked child writes into its worker's file."""
        root = row
        while root.parent:
            root = table.Row(self.run.table, root.parent - 1)
        os.kill(row.pid, signal.SIGUSR1)
        time.sleep(0.5)
        with open(os.path.join(self.run.folder, f"stacks-{root.number}")) as file:
            return f"{row.name}, process {row.pid}:\n{file.read()}\n{native_stacks(row.pid)}"

    def bury(self):
        """Wait for children of killed workers, which are this process's now."""
        known = self.pids() | servants()
        for pid in procfs.children(os.getpid()):
            if pid in known or procfs.state(pid) != "Z":
                continue
            row = self.row_of(pid)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            self.ends["orphans"] += 1
            if code and not (code == -signal.SIGKILL and row and row.condemned):
                name = row.name if row else "unknown"
                self.faults.append(f"orphan {name} (process {pid}) ended with {code}")

    def row_of(self, pid):
        """Return the newest row of a process, or None."""
        for row in reversed(self.run.table.rows()):
            if row.pid == pid:
                return row
        return None

    def pids(self):
        """Processes of the workers."""
        return {slot.process.pid for slot in self.slots if slot.process._popen}

    def raid(self, which):
        """Kill the workers of some slots."""
        for index in which:
            self.run.kill(self.run.table.slot(index))

    # ---- phases ----

    def work(self, seconds, tick=lambda: None):
        """Let them work for so long."""
        for slot in self.slots:
            self.start(slot)
        end = time.monotonic() + seconds
        last = end + (60.0 if self.run.plant else 0.0)  # on a busy machine it takes a while
        pause, which = next(self.raids)
        due = time.monotonic() + pause
        while time.monotonic() < end or (time.monotonic() < last and not self.run.table.words[3]):
            time.sleep(0.01)
            self.watch()
            tick()
            if time.monotonic() > due:
                self.raid(which)
                pause, which = next(self.raids)
                due = time.monotonic() + pause

    def rest(self, timeout=60.0):
        """Let them read what is under way, until all are at rest."""
        self.run.table.phase = table.DRAIN
        end, quiet = time.monotonic() + timeout, 0
        while quiet < 5:
            time.sleep(0.02)
            self.watch()
            idle = all(slot.row.idle for slot in self.slots) and not any(map(waiting, self.slots))
            quiet = quiet + 1 if idle and not self.strangers() else 0
            if time.monotonic() > end:
                busy = [slot.row for slot in self.slots if not slot.row.idle] + self.strangers()
                told = "\n".join(map(self.stacks, busy))
                raise RunFailed(f"no rest after {timeout:g} s\n{told}")

    def strangers(self):
        """Forked children of workers that still run."""
        mine = self.pids()
        return [
            row
            for row in self.run.table.rows()
            if row.pid not in mine and worker.messages.runs(row)
        ]

    def drop(self, timeout=40.0):
        """Let them drop everything; what each says is left."""
        self.run.table.phase = table.DROP
        paths = [
            os.path.join(self.run.folder, f"end-{slot.row.number}.json") for slot in self.slots
        ]
        end = time.monotonic() + timeout
        while not all(map(os.path.exists, paths)):
            time.sleep(0.02)
            self.watch()
            if time.monotonic() > end:
                raise RunFailed(f"not all have dropped what they held after {timeout:g} s")
        return paths

    def leave(self, timeout=30.0):
        """Let them end."""
        self.run.table.phase = table.EXIT
        for slot in self.slots:
            slot.process.join(timeout)
            code = slot.process.exitcode
            if code:
                self.faults.append(f"worker {slot.row.name} ended with {code} at the end")
            elif code is None:
                self.faults.append(f"worker {slot.row.name} does not end")
                slot.process.kill()
                slot.process.join()
            slot.process.close()
        if self.faults:
            raise RunFailed

    def stop(self):
        """Kill whatever is left of a run that failed."""
        for slot in self.slots:
            self.run.table.set_slot(slot.index, None)
            if slot.process is not None and slot.process._popen:
                slot.process.kill()
                slot.process.join()
                slot.process.close()
        self.run.plant = ""
        for row in self.run.table.rows():
            self.run.kill(row)
        procfs.wait_until(lambda: not self.strangers(), timeout=5.0)
        self.bury()


def native_stacks(pid):
    """Where a process is in C, if the debugger is installed."""
    if not shutil.which("gdb"):
        return ""
    command = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 25"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return "\n".join(line for line in done.stdout.splitlines() if line.startswith(("#", "Thread")))


def waiting(slot):
    """Whether a message lies in the inbox."""
    try:
        slot.inbox.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    return True
