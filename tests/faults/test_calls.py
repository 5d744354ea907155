"""Each call that the core makes to the system fails: the first time, the n-th, or always.

A program that makes, views, sends, receives, grows, drops and forks (scenario.py) gets by in
another way, or gets an exception of the contract; values are right, nothing is left, stderr is
empty.
"""

import pytest

from .shim import FOREVER

pytestmark = pytest.mark.slow

#: What each call may fail with in a healthy system that is short of something, or filtered.
ERRORS = {
    "calloc": ["ENOMEM"],
    "close": ["EIO"],
    "fallocate": ["EOPNOTSUPP", "ENOSPC"],
    "fcntl": ["EMFILE", "EINVAL"],
    "fopen": ["EMFILE"],
    "fstat": ["EOVERFLOW"],
    "fstatfs": ["ENOSYS"],
    "ftruncate": ["ENOMEM", "EINTR"],
    "getrandom": ["ENOSYS", "EINTR"],
    "kill": ["EPERM"],
    "memfd_create": ["EMFILE", "ENOMEM", "EPERM"],
    "mmap": ["ENOMEM"],
    "munmap": ["ENOMEM"],
    "open": ["EMFILE", "ENOMEM"],
    "prctl": ["EINVAL"],
    "pthread_setspecific": ["ENOMEM"],
    "read": ["EIO", "EINTR"],
    "readlink": ["ENOMEM"],
    "realloc": ["ENOMEM"],
    "stat": ["ENOMEM"],
}
#: The same where descriptors go by sockets.
SERVED = {
    "accept4": ["EMFILE", "ECONNABORTED"],
    "bind": ["EADDRINUSE"],
    "connect": ["EAGAIN", "EACCES"],
    "fcntl": ["EMFILE"],
    "getsockopt": ["ENOBUFS"],
    "listen": ["EADDRINUSE"],
    "poll": ["ENOMEM", "EINTR"],
    "pthread_create": ["EAGAIN"],
    "readlink": ["ENOMEM"],
    "recv": ["ECONNRESET", "EINTR"],
    "recvmsg": ["ENOBUFS"],
    "send": ["ENOBUFS", "EAGAIN"],
    "sendmsg": ["ENOBUFS", "ETOOMANYREFS"],
    "shutdown": ["ENOTCONN"],
    "socket": ["EMFILE"],
}
#: Errors of one moment: no system gives them for ever.
PASSING = {"EINTR", "EAGAIN", "ECONNABORTED"}
#: Without them for good, each message costs its receiver the second that it waits.
WAITING = {"accept4", "poll"}
#: Calls that this scenario does not need in each run (the kernel may offer no huge pages, say).
SOMETIMES = {"madvise", "nanosleep"}

EACH = [(False, call) for call in ERRORS] + [(True, call) for call in SERVED]
IDS = [f"{call}{' served' if served else ''}" for served, call in EACH]


def errors(served, call):
    """Errnos of a call."""
    return (SERVED if served else ERRORS)[call]


def play(zygote, served, call, number, first, last=None):
    """Run the scenario with that fault; the sentences on what is wrong."""
    rule = [call, number, first, first if last is None else last]
    report = zygote.run({"served": served, "rules": [rule]})
    if not report["wrong"] and first == 1 and not report["failed"].get(call):
        return [f"{rule}: it was not called"]
    return [f"{rule}: {report['wrong']}"] if report["wrong"] else []


@pytest.mark.parametrize("served", [False, True])
def test_nothing_fails_by_itself(zygote, served):
    report = zygote.baseline[served]
    assert report["wrong"] is None
    assert report["raised"] == []
    assert report["failed"].keys() <= ({"open", "readlink"} if served else set())


@pytest.mark.parametrize("served", [False, True])
def test_every_call_of_the_scenario_is_in_the_table(zygote, served):
    made = set(zygote.baseline[served]["calls"])
    assert made - ERRORS.keys() - (SERVED.keys() if served else set()) <= SOMETIMES
    assert made >= (SERVED if served else ERRORS).keys()


@pytest.mark.parametrize(("served", "call"), EACH, ids=IDS)
def test_once_and_always(zygote, served, call):
    number, *_ = errors(served, call)
    total = zygote.calls(served, call)
    wrong = play(zygote, served, call, number, 1)
    wrong += play(zygote, served, call, number, (total + 1) // 2)
    if number not in PASSING and call not in WAITING:
        wrong += play(zygote, served, call, number, 1, FOREVER)
    assert not wrong


@pytest.mark.slow
@pytest.mark.time_out(600)
@pytest.mark.parametrize(("served", "call"), EACH, ids=IDS)
def test_each_time(zygote, served, call):
    wrong = []
    for number in errors(served, call):
        for n in range(1, zygote.calls(served, call) + 3):
            wrong += play(zygote, served, call, number, n)
        for n in range(1, zygote.calls(served, call), 3):  # and for a while
            wrong += play(zygote, served, call, number, n, n + 4)
        if number not in PASSING:
            wrong += play(zygote, served, call, number, 1, FOREVER)
    assert not wrong


@pytest.mark.slow
@pytest.mark.time_out(600)
@pytest.mark.parametrize("served", [False, True])
def test_everything_fails_from_some_moment_on(zygote, served):
    """As in a process without descriptors, or without memory."""
    pairs = [
        ("memfd_create", "EMFILE"),
        ("open", "EMFILE"),
        ("socket", "EMFILE"),
        ("fopen", "EMFILE"),
    ]
    memory = [
        ("calloc", "ENOMEM"),
        ("realloc", "ENOMEM"),
        ("mmap", "ENOMEM"),
        ("ftruncate", "ENOMEM"),
    ]
    wrong = []
    for several in (pairs, memory):
        for n in range(1, 12):
            rules = [[call, number, n, FOREVER] for call, number in several]
            report = zygote.run({"served": served, "rules": rules})
            wrong += [f"{rules}: {report['wrong']}"] if report["wrong"] else []
    assert not wrong
