"""When a process ends: the moments at which what it sent goes to its keeper.

`multiprocessing` runs its finalizers at the end of the main process and of its children, after the
feeder threads of queues; `atexit` alone does not run in children before Python 3.13, and runs after
those since.
"""

import atexit
import contextlib
import os
import threading
from multiprocessing import parent_process, util

from ._core import hand_over

PRIORITY = -1000  # after all of multiprocessing's own, of which the queues' is -5


def end():
    """Hand over what is in flight, and what threads send that `multiprocessing` still waits for."""
    hand_over()
    others = [t for t in threading.enumerate() if not t.daemon and _outlives_this(t)]
    if others:
        with contextlib.suppress(RuntimeError):  # no new threads: these are nobody's to wait for
            threading.Thread(target=_end_after, args=(others,), name="sharedarray").start()


def _outlives_this(thread):
    return thread not in (threading.current_thread(), threading.main_thread())


def _end_after(others):
    """Wait for the other threads, and those that they start, then hand over again."""
    me = threading.current_thread()
    while others:
        for thread in others:
            thread.join()
        others = [
            t for t in threading.enumerate() if not t.daemon and t is not me and _outlives_this(t)
        ]
    hand_over()


class _Registration:
    """The finalizer of this process; forked children drop their parent's and make their own."""

    def __init__(self):
        self.finalizer = None
        self.renew()
        os.register_at_fork(after_in_child=self.renew)
        util.register_after_fork(self, _Registration.renew)  # it has emptied the registry

    def renew(self):
        """Register for this process."""
        if self.finalizer is not None:
            self.finalizer.cancel()
        self.finalizer = util.Finalize(None, end, exitpriority=PRIORITY)
        atexit.unregister(hand_over)
        if parent_process() is not None:  # whose end passes by Py_AtExit()
            atexit.register(hand_over)


_registration = _Registration()
