"""A running child process that evaluates what it is sent."""

import contextlib
import faulthandler
import gc
import itertools
import multiprocessing
import os
import pathlib
import signal
import tempfile
import textwrap
import time
import traceback
from multiprocessing.connection import wait
from typing import ClassVar

from . import procfs

METHODS = ("fork", "spawn", "forkserver")

_numbers = itertools.count()


def join(process, timeout=60.0):
    """Wait for a `multiprocessing.Process` that must end with 0."""
    process.join(timeout)
    if process.is_alive():
        process.kill()
        process.join()
        raise WorkerLost(f"{process.name} did not end in {timeout:g} s")
    if process.exitcode:
        raise WorkerLost(f"{process.name} ended with {process.exitcode}")


class WorkerError(Exception):
    """
    An exception was raised in the worker.

    Attributes
    ----------
    kind : str
        Name of its class.
    message : str
        Its text.
    trace : str
        Where it was raised.
    """

    def __init__(self, kind, message, trace):
        super().__init__(f"{kind}: {message}\n{trace}")
        self.kind, self.message, self.trace = kind, message, trace


class WorkerLost(AssertionError):
    """The worker ended, or gave no answer in time; the message holds its stacks."""


def _evaluate(source, keep, names):
    """Run `source` as the body of a function with the parameters `names`; what it returns."""
    import numpy

    import sharedarray

    scope = {"xp": sharedarray, "np": numpy, "os": os, "gc": gc, "keep": keep}
    text = f"def body({', '.join(names)}):\n" + textwrap.indent(
        textwrap.dedent(source).strip("\n"), "    "
    )
    try:
        exec(compile(text, "<sent to the worker>", "exec"), scope)
        return scope["body"](**names)
    finally:
        scope.clear()  # body and scope refer to each other


def _answer(connection, keep):
    """Serve one request; False when there will be no more."""
    try:
        request = connection.recv()
        if request is None:
            return False
        target, arguments, names = request
    except EOFError:
        return False
    except Exception as error:
        connection.send((False, (type(error).__name__, str(error), traceback.format_exc())))
        return True
    try:
        if isinstance(target, str):
            result = _evaluate(target, keep, names)
        else:
            result = target(*arguments, **names)
        connection.send((True, result))
    except Exception as error:
        connection.send((False, (type(error).__name__, str(error), traceback.format_exc())))
    return True


def serve(connection, stacks):
    """Answer requests until the other end closes."""
    with open(stacks, "w") as file:
        faulthandler.register(signal.SIGUSR1, file=file, all_threads=True)
        faulthandler.enable(file=file)
        keep = {}
        parent = multiprocessing.parent_process().sentinel
        while connection in wait([connection, parent]) and _answer(connection, keep):
            pass
        keep.clear()
        faulthandler.unregister(signal.SIGUSR1)
        faulthandler.disable()


class Worker:
    """
    A child of the given start method, ready for requests.

    Parameters
    ----------
    method : {"fork", "spawn", "forkserver"}
    timeout : float
        Seconds that a request may take; then the worker is killed and `WorkerLost` raised.
    """

    running: ClassVar[set] = set()

    def __init__(self, method, timeout=60.0):
        self.method, self.timeout = method, timeout
        context = multiprocessing.get_context(method)
        self._connection, remote = context.Pipe()
        number = next(_numbers)
        self._stacks = os.path.join(tempfile.gettempdir(), f"stacks-{os.getpid()}-{number}")
        self.process = context.Process(
            target=serve, args=(remote, self._stacks), name=f"worker-{number}"
        )
        self.process.start()
        remote.close()
        Worker.running.add(self)
        self.pid, self.exitcode, self.name = self.process.pid, None, self.process.name

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()

    def __repr__(self):
        return f"<{self.name}, {self.method}, pid {self.pid}>"

    def send(self, target, *arguments, **names):
        """Send a request without waiting; the answer is `receive`'s."""
        self._connection.send((target, arguments, names))

    def receive(self):
        """The answer to the oldest request."""
        end = time.monotonic() + self.timeout
        while not self._connection.poll(0.05):
            if time.monotonic() > end:
                stacks = self.stacks()
                self.kill()
                raise WorkerLost(f"{self!r}: no answer in {self.timeout:g} s\n{stacks}")
            if not self.process.is_alive() and not self._connection.poll():
                raise self._lost()
        try:
            good, answer = self._connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._lost() from None
        if not good:
            raise WorkerError(*answer)
        return answer

    def _lost(self):
        self.process.join(self.timeout)
        self.exitcode = self.process.exitcode
        path = pathlib.Path(self._stacks)
        stacks = path.read_text() if path.exists() else ""
        return WorkerLost(f"{self!r} ended with {self.exitcode}\n{stacks}")

    def call(self, function, *arguments, **names):
        """Call an importable function there; its result."""
        self.send(function, *arguments, **names)
        return self.receive()

    def run(self, source, **names):
        """
        Run statements there; what they return.

        They see `xp`, `np`, `os`, `gc`, the names given, and `keep`, a dictionary that lasts.
        """
        self.send(source, **names)
        return self.receive()

    def get(self, expression, **names):
        """Evaluate one expression there."""
        return self.run(f"return ({expression})", **names)

    def death(self, source, **names):
        """Run statements that must end the process; its exit code (minus the signal)."""
        try:
            answer = self.run(source, **names)
        except WorkerLost:
            self.process.join(self.timeout)
            self._forget()
            return self.exitcode
        raise AssertionError(f"{self!r} lived and answered {answer!r}")

    def stacks(self):
        """Where its threads are now."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGUSR1)
        path = pathlib.Path(self._stacks)

        def written():
            """They are there, and the handler that writes them line by line has come back."""
            told = path.exists() and path.stat().st_size
            return told and procfs.state(self.pid) not in ("R", "D")

        procfs.wait_until(written, timeout=5.0)
        return path.read_text() if path.exists() else "(no stacks)"

    def kill(self):
        """End it by SIGKILL and wait for that."""
        if self not in Worker.running:
            return
        if self.process.is_alive():
            os.kill(self.pid, signal.SIGKILL)
        self.process.join(self.timeout)
        self._forget()

    def stop(self):
        """Let it end by itself; its exit code."""
        if self not in Worker.running:
            return self.exitcode
        with contextlib.suppress(OSError):
            self._connection.send(None)
        self.process.join(self.timeout)
        if self.process.is_alive():
            stacks = self.stacks()
            self.kill()
            raise WorkerLost(f"{self!r} did not end\n{stacks}")
        self._forget()
        return self.exitcode

    def _forget(self):
        Worker.running.discard(self)
        self.exitcode = self.process.exitcode
        self.process.close()
        self._connection.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._stacks)
