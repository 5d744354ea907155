"""Decisions: what each process does, from the seed and its name alone."""

import random
from typing import NamedTuple

#: How often each action is taken, in a worker's own process.
WEIGHTS = {
    "make": 16,
    "send": 40,
    "again": 16,
    "view": 8,
    "drop": 16,
    "look": 12,
    "open_twice": 3,
    "keep_handle": 2,
    "trim": 0.15,
    "fork": 0.5,
    "kill_child": 0.1,
    "kill": 0.02,
    "end": 0.05,
}
#: In a forked child, which reads no messages.
CHILD = {name: WEIGHTS[name] for name in ("make", "send", "view", "drop", "look", "trim", "fork")}
#: In a worker's second thread.
THREAD = {name: WEIGHTS[name] for name in ("make", "send", "again", "view", "drop", "look")}

METHODS = {"fork": 6, "forkserver": 3, "spawn": 1}


class Decision(NamedTuple):
    """One step: the action, and numbers in [0, 1) from which it chooses."""

    number: int
    action: str
    u: float
    v: float
    w: float


def stream(seed, name):
    """Return the random numbers of that name, independent of all others."""
    return random.Random(f"{seed}:{name}")


def decisions(seed, name):
    """Yield what the process or thread of that name does, without end."""
    chance = stream(seed, name)
    weights = THREAD if name.endswith("+") else CHILD if "/" in name else WEIGHTS
    actions, chances = list(weights), list(weights.values())
    number = 0
    while True:
        (action,) = chance.choices(actions, chances)
        yield Decision(number, action, chance.random(), chance.random(), chance.random())
        number += 1


def start_method(seed, name):
    """Return how a worker of that name is started."""
    (method,) = stream(seed, f"{name} start").choices(list(METHODS), METHODS.values())
    return method


def child_steps(seed, name):
    """Return how many steps a forked child takes, and whether it lingers between them."""
    chance = stream(seed, f"{name} steps")
    return int(2 ** chance.uniform(1, 7)), chance.random() < 0.3


def has_thread(seed, name):
    """Return whether a worker of that name runs a second thread."""
    return stream(seed, f"{name} thread").random() < 0.4


def raids(seed, slots):
    """Yield ``(seconds to wait, slots to kill)`` of the supervisor, without end."""
    chance = stream(seed, "supervisor")
    while True:
        many = chance.random() < 0.05
        count = chance.randint(2, slots) if many else 1
        yield chance.uniform(0.5, 3.0), chance.sample(range(slots), count)


def elements(u, v):
    """Return how many elements: from 1 to millions, small ones most often."""
    if u < 0.7:
        return int(2 ** (v * 11))
    if u < 0.97:
        return int(2 ** (10 + v * 7))
    if u < 0.998:
        return int(2 ** (17 + v * 3.5))
    return int(2 ** (22 + v / 4))  # in segments of their own, with 8 bytes an element
