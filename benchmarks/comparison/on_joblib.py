"""What can be tried of the same with joblib: A is the program, B and C are its workers.

joblib shares arguments of tasks: arrays over 1 MB are written to a file once, in ``/dev/shm`` where
it is large enough, and mapped by the workers, read-only. Workers neither outlive the program nor
send to each other, so the experiments about a sender that ends do not apply.
"""

import os
import resource
import time

import numpy
from adapters import VALUE
from experiments import COUNT, MANY, SMALL
from joblib import Parallel, delayed
from outcome import Outcome, tell


def right(*arrays):
    """Whether all elements are what was sent."""
    return all(bool((x == VALUE).all()) for x in arrays)


def mapped(x):
    """Whether an argument arrived as mapped memory."""
    return isinstance(x, numpy.memmap)


def check(answers):
    if not all(answers):
        raise Outcome("wrong values")


def opened_twice(peer):
    x = numpy.full(COUNT, VALUE)
    check(Parallel(n_jobs=2)(delayed(right)(x) for _ in range(2)))
    if not all(Parallel(n_jobs=2)(delayed(mapped)(x) for _ in range(2))):
        raise Outcome("copied")


def back(x):
    return x


def passed_on(peer):
    x = numpy.full(COUNT, VALUE)
    (y,) = Parallel(n_jobs=2)(delayed(back)(x) for _ in range(1))
    check(Parallel(n_jobs=2)(delayed(right)(y) for _ in range(2)))
    if not mapped(y):
        raise Outcome("copied")


def small_shm(peer):
    check(Parallel(n_jobs=2)(delayed(right)(numpy.full(COUNT, VALUE)) for _ in range(2)))


def many(peer):
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    arrays = [numpy.full(SMALL, VALUE) for _ in range(MANY)]
    check(Parallel(n_jobs=2)(delayed(right)(*arrays) for _ in range(2)))
    if not all(Parallel(n_jobs=2)(delayed(mapped)(x) for x in arrays[:2])):
        raise Outcome("copied")


def hold(x):
    """Keep a worker busy with an array."""
    if not right(x):
        tell("wrong values")
    tell("held")
    time.sleep(1000)


def held(peer):
    x = numpy.full(COUNT, VALUE)
    Parallel(n_jobs=2)(delayed(hold)(x) for _ in range(2))


def forgotten(peer):
    x = numpy.full(COUNT, VALUE)
    check(Parallel(n_jobs=2)(delayed(right)(x) for _ in range(2)))


def without(peer):
    """Nothing to try."""
    raise Outcome("-", os.name)


EXPERIMENTS = {f.__name__: f for f in (opened_twice, passed_on, small_shm, many, held, forgotten)}
EXPERIMENTS |= dict.fromkeys(
    ("ended_opened", "ended_unopened", "killed_opened", "killed_unopened"), without
)
