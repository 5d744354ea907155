"""The same experiments with Ray: A, B and C are actors, the message is an object reference."""

import os
import resource
import signal
import tempfile
import time

import numpy
import ray
from adapters import VALUE
from experiments import COUNT, MANY, PATIENCE, SMALL
from outcome import Outcome, tell


@ray.remote(num_cpus=0)
class Role:
    """An actor that puts arrays into the object store, and gets them."""

    def __init__(self):
        self.kept, self.refs = [], []

    def pid(self):
        return os.getpid()

    def make(self, count, number=1):
        self.refs = [ray.put(numpy.full(count, VALUE)) for _ in range(number)]
        return self.refs

    def receive(self, refs):
        self.refs = refs
        self.kept = ray.get(refs)

    def right(self):
        return all(bool((x == VALUE).all()) for x in self.kept)

    def given(self):
        return self.refs

    def end(self):
        ray.actor.exit_actor()


def ask(method, *arguments):
    """Call a method of an actor; its answer, or the outcome that it has none."""
    try:
        return ray.get(method.remote(*arguments), timeout=PATIENCE)
    except ray.exceptions.GetTimeoutError:
        raise Outcome("hangs", str(method)) from None
    except ray.exceptions.RayTaskError as error:
        raise Outcome(type(error.cause).__name__, str(error.cause)) from None


def family():
    """Start Ray on this machine and three actors."""
    ray.init(
        num_cpus=2,
        object_store_memory=400 << 20,
        include_dashboard=False,
        configure_logging=False,
        _temp_dir=tempfile.gettempdir(),
    )
    actors = [Role.remote() for _ in range(3)]
    return actors, [ask(actor.pid) for actor in actors]


def end(actor, pid):
    """Let an actor end normally, and wait for that."""
    actor.end.remote()
    gone(pid)


def kill(pid):
    """End an actor by SIGKILL, and wait for that."""
    os.kill(pid, signal.SIGKILL)
    gone(pid)


def gone(pid):
    stop = time.monotonic() + PATIENCE
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < stop:
        with open(f"/proc/{pid}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                break
        time.sleep(0.05)
    time.sleep(1.0)  # Ray notices a little later


def check(actor):
    if not ask(actor.right):
        raise Outcome("wrong values")


def lost_or_kept(how, opened):
    """A ends in some way, before or after B opened."""
    (a, b, _), (pid, *_) = family()
    refs = ask(a.make, COUNT)
    if opened:
        ask(b.receive, refs)
    how(a, pid)
    if not opened:
        ask(b.receive, refs)
    check(b)


def ended_unopened(peer):
    lost_or_kept(end, False)


def ended_opened(peer):
    lost_or_kept(end, True)


def killed_unopened(peer):
    lost_or_kept(lambda actor, pid: kill(pid), False)


def killed_opened(peer):
    lost_or_kept(lambda actor, pid: kill(pid), True)


def passed_on(peer):
    (a, b, c), (pid, *_) = family()
    ask(b.receive, ask(a.make, COUNT))
    end(a, pid)
    ask(c.receive, ask(b.given))
    check(c)


def opened_twice(peer):
    (a, b, c), _ = family()
    refs = ask(a.make, COUNT)
    for actor in (b, c):
        ask(actor.receive, refs)
        check(actor)


def small_shm(peer):
    (a, b, _), _ = family()
    ask(b.receive, ask(a.make, COUNT))
    check(b)


def many(peer):
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    (a, b, _), _ = family()
    ask(b.receive, ask(a.make, SMALL, MANY))
    check(b)


def held(peer):
    (a, b, _), _ = family()
    ask(b.receive, ask(a.make, COUNT))
    check(b)
    tell("held")
    time.sleep(1000)


def forgotten(peer):
    (a, b, _), _ = family()
    ask(b.receive, ask(a.make, COUNT))
    check(b)


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
