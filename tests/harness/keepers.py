"""Keepers: what senders left behind, until their messages are opened."""

import contextlib
import os
import signal

from . import procfs

NAME = "sharedarray-keeper"


def keepers(sender=None):
    """Living keepers below this process, or the one of the process that had the id `sender`."""
    found = []
    for pid in procfs.descendants(os.getpid()):
        name, _, creator = procfs.command(pid).partition(" ")
        if name == NAME and sender in (None, int(creator)) and procfs.state(pid) not in ("Z", "X"):
            found.append(pid)
    return found


def reap_keepers():
    """Wait for those that ended: this process adopts the orphans below it."""
    for pid in procfs.children(os.getpid()):
        if procfs.state(pid) == "Z" and procfs.name(pid) == NAME[:15]:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def end_keepers():
    """End those below this process: of workers that other tests shared."""
    for pid in keepers():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return no_keeper()


def no_keeper(sender=None, timeout=procfs.PATIENCE):
    """Wait until there is none; whether that is so."""

    def none():
        reap_keepers()
        return not keepers(sender)

    return procfs.wait_until(none, timeout=timeout)
