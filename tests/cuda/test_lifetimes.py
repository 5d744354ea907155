"""Device memory lives as long as anybody can reach it, and no longer."""

import contextlib
import os
import socket
import subprocess
import sys

import pytest

from tests.harness import procfs
from tests.harness.worker import WorkerError

from .machines import (
    DESCRIPTORS,
    ON_CARD,
    OPEN,
    SEND,
    left,
    process,
    processes,
    surroundings,
)

ONES = "y = xp.ones(1000, device='cuda')\n"
PICKLE = (
    "from multiprocessing.reduction import ForkingPickler\n"
    "keep['y'] = y\nreturn bytes(ForkingPickler.dumps(y))"
)


@pytest.fixture
def three():
    with processes({}, {}, {}) as workers:
        yield workers


def test_it_outlives_its_makers_sigkill_where_it_was_opened(three):
    maker, user, third = three
    message = maker.run(ONES + SEND)
    user.run(OPEN, message=message)
    maker.kill()
    assert user.get("float(xp.sum(keep['z'] + 1))") == 2000.0
    onward = user.get("bytes(keep['z'][1:].handle())")
    assert third.run(OPEN + "return float(xp.sum(z))", message=onward) == 999.0


def test_the_first_message_too_while_anybody_holds_it(three):
    maker, user, third = three
    message = maker.run(ONES + SEND)
    user.run(OPEN, message=message)
    maker.kill()
    assert third.run(OPEN + "return float(xp.sum(z))", message=message) == 1000.0


def test_whoever_holds_it_is_found_beside_others_that_do_not_answer(three):
    maker, user, third = three
    message = maker.run(ONES + SEND)
    user.run(OPEN, message=message)
    maker.kill()
    with contextlib.ExitStack() as stack:
        for _ in range(2):  # as stopped processes have them
            name = f"sharedarray-{os.geteuid()}-{os.urandom(16).hex()}"
            silent = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            silent.bind(b"\0" + name.encode())
            silent.listen()
        assert third.run(OPEN + "return float(xp.sum(z))", message=message) == 1000.0


def test_unopened_it_goes_with_a_killed_maker_and_the_error_says_so(three):
    maker, user, _ = three
    message = maker.run(ONES + SEND)
    maker.kill()
    with pytest.raises(WorkerError, match=r"HandleError.*has ended.*killed"):
        user.run(OPEN, message=message)
    assert left(user)["memory"] == 0


def test_through_multiprocessing_it_arrives_lost(three):
    maker, user, _ = three
    pickled = maker.run(ONES + PICKLE)
    maker.kill()
    found = user.run(
        "import pickle\nz = pickle.loads(pickled)\n"
        "return z.shape, z.dtype.str, str(z.device), z.is_shared(), repr(z)",
        pickled=pickled,
    )
    assert found[:4] == ((1000,), "<f8", "cuda:0", False)
    assert "has ended" in found[4]
    assert user.run(LOST, pickled=pickled) == []


# What uses of a lost array do not raise that `HandleError`.
LOST = """
import pickle
from tests.sharing.test_lost import USES
z, wrong = pickle.loads(pickled), []
assert xp.is_shared(z) is False and z.is_cuda and (z.ndim, z.size, len(z)) == (1, 1000, 1000)
for name, use in {**USES, "cpu": lambda z: z.cpu(), "cupy": lambda z: z.cupy()}.items():
    try:
        use(z)
    except xp.HandleError:
        continue
    except Exception as error:
        wrong.append((name, repr(error)))
    else:
        wrong.append((name, "no error"))
return wrong
"""


def test_what_cannot_be_mapped_arrives_lost_and_the_receiver_goes_on(three):
    maker, user, _ = three
    pickled = maker.run(ONES + PICKLE)
    failing = "from tests.cuda_double import control\ncontrol().set_failures('{}')"
    user.run("xp.ones(3, device='cuda')\n" + failing.format("cuMemMap:*=2"))
    assert user.run(LOST, pickled=pickled) == []
    user.run(failing.format(""))
    code = "import pickle\nreturn float(xp.sum(pickle.loads(pickled)))"
    assert user.run(code, pickled=pickled) == 1000.0


def sends_and_ends(queue, view):
    import sharedarray as xp

    x = xp.arange(8.0, device="cuda:0")
    queue.put(x[2:] if view else x + 1)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_what_was_sent_outlives_its_senders_normal_end(three, method):
    user = three[0]
    source = (
        "import multiprocessing\nfrom tests.cuda.test_lifetimes import sends_and_ends\n"
        f"context = multiprocessing.get_context('{method}')\nqueue = context.Queue()\n"
        "p = context.Process(target=sends_and_ends, args=(queue, view))\np.start(); p.join()\n"
        "return queue.get(timeout=30).tolist(), p.exitcode"
    )
    assert user.run(source, view=True) == ([2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 0)
    assert user.run(source, view=False)[0][:2] == [1.0, 2.0]


def test_a_forwarder_that_dropped_it_still_has_it_in_flight(three):
    maker, forwarder, user = three
    message = maker.run(ONES + SEND)
    onward = forwarder.run(OPEN + "return bytes(z.handle())", message=message)
    forwarder.run("keep.clear()\ngc.collect()\nxp.empty_cache()")
    maker.kill()
    assert user.run(OPEN + "return float(xp.sum(z))", message=onward) == 1000.0


def test_a_published_block_is_not_recycled_before_nobody_is_left(three):
    maker, user, _ = three
    message = maker.run(ONES + SEND)
    user.run(OPEN, message=message)
    maker.run("keep.clear()\ngc.collect()")
    maker.run("keep['new'] = [xp.zeros(1000, device='cuda') for _ in range(50)]")
    assert user.get("float(xp.sum(keep['z']))") == 1000.0
    assert maker.get("xp.memory_stats()['cuda:0']['published']") == 8000
    user.run("keep.clear()\ngc.collect()")
    maker.run("keep.clear()\ngc.collect()")
    assert maker.get("xp.memory_stats()['cuda:0']['published']") == 0


def test_what_a_killed_process_held_is_reclaimed(three):
    maker, user, _ = three
    message = maker.run(ONES + SEND)
    user.run(OPEN, message=message)
    user.kill()
    maker.run("keep.clear()\ngc.collect()")
    assert procfs.wait_until(
        lambda: maker.get("xp.memory_stats()['cuda:0']['published']") == 0, pause=0.1
    )


def test_collect_lets_go_of_what_was_never_opened(three):
    maker, user, _ = three
    message = maker.run("return bytes(xp.ones(1000, device='cuda').handle())")
    assert maker.get("xp.memory_stats()['cuda:0']['in_flight']") == 8000
    assert maker.get("xp.collect()") >= 8000
    assert maker.get("xp.memory_stats()['cuda:0']['in_flight']") == 0
    with pytest.raises(WorkerError, match=r"HandleError.*gone"):
        user.run(OPEN, message=message)


STREAM = """
from sharedarray import _cuda
for message in messages:
    z = xp.from_handle(xp.Handle.from_bytes(message))
    assert float(z[0]) == 3.0
del z
gc.collect()
"""


def descriptors_return(workers, level):
    """Whether they come to have no more: who gave one out may be about to close its own end."""
    return procfs.wait_until(
        lambda: all(w.run(DESCRIPTORS) <= n for w, n in zip(workers, level, strict=True))
    )


def test_a_stream_of_fresh_arrays_grows_neither_side(three):
    maker, user, _ = three
    make = "return [bytes(xp.full(5000, 3.0, device='cuda').handle()) for _ in range(20)]"
    figures = []
    for turn in range(6):
        user.run(STREAM, messages=maker.run(make))
        figures.append(
            (
                maker.get("[xp.memory_stats()['cuda:0'][k] for k in ('cached', 'published')]"),
                user.get("xp.memory_stats()['cuda:0']['attached']"),
            )
        )
        if turn == 1:
            level = [w.run(DESCRIPTORS) for w in (maker, user)]
    assert figures[1:] == figures[1:2] * 5
    assert descriptors_return((maker, user), level)


def exchange(maker, user):
    """Send there and back, and let go of it all."""
    message = maker.run(ONES + SEND)
    onward = user.run(OPEN + "return bytes(z[::2].handle())", message=message)
    maker.run("keep['w'] = xp.from_handle(xp.Handle.from_bytes(m))", m=onward)
    for worker in (user, maker):
        worker.run("keep.clear()\ngc.collect()")
    return [left(w) for w in (user, maker)]


def test_nothing_is_left(three):
    maker, user, _ = three
    start = exchange(maker, user)
    assert start[0]["memory"] == start[0]["mappings"] == start[1]["memory"] == 0
    level = [w.run(DESCRIPTORS) for w in (maker, user)]
    for _ in range(5):
        assert exchange(maker, user) == start
    assert descriptors_return((maker, user), level)


def test_the_check_above_sees_what_is_left():
    with process() as worker:
        worker.run(
            "import sharedarray._cuda_blocks as b\nos.environ['X'] = ''\n"
            "b.leak = xp.ones(3, device='cuda')"
        )
        assert left(worker)["memory"] == 1


def in_child(x, queue):
    import sharedarray as xp

    answers = []
    for use in (
        lambda: xp.zeros(3, device="cuda"),
        lambda: x + 1,
        lambda: x.tolist(),
        lambda: bytes(x.handle()),
        lambda: x.to_device("cpu"),
        lambda: x.storage().fill_(1),
        lambda: xp.cuda.synchronize(),
    ):
        try:
            answers.append(repr(use()))
        except BaseException as error:
            answers.append(f"{type(error).__name__}: {error}")
    queue.put(answers)


def test_after_a_fork_every_use_says_spawn_or_forkserver():
    with process() as worker:
        answers, code = worker.run(
            "import multiprocessing\nfrom tests.cuda.test_lifetimes import in_child\n"
            "context = multiprocessing.get_context('fork')\nq = context.SimpleQueue()\n"
            "x = xp.ones(3, device='cuda')\np = context.Process(target=in_child, args=(x, q))\n"
            "p.start()\na = q.get()\np.join()\nreturn a, p.exitcode"
        )
        assert code == 0
        for answer in answers:
            assert answer.startswith("RuntimeError: ") and "'spawn' or 'forkserver'" in answer
        assert worker.get("xp.ones(3, device='cuda').tolist()") == [1.0, 1.0, 1.0]


WHILE_IT_PUBLISHES = """
import signal, threading
from sharedarray import _cuda
x = xp.ones(3, device="cuda")
held, done = threading.Event(), threading.Event()

def publish():
    with _cuda._publishing:
        held.set()
        done.wait(60)

thread = threading.Thread(target=publish)
thread.start()
held.wait(60)
answer, end = os.pipe()
pid = os.fork()
if not pid:
    signal.alarm(20)
    try:
        os.write(end, x.storage().id.encode())
    except RuntimeError as error:
        os.write(end, str(error).encode())
    os._exit(0)
os.close(end)
done.set()
thread.join()
found = os.read(answer, 1000).decode()
os.close(answer)
return found, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def test_a_child_forked_while_a_thread_publishes_does_not_wait_for_it():
    with process() as worker:
        answer, code = worker.run(WHILE_IT_PUBLISHES)
    assert code == 0
    assert "'spawn' or 'forkserver'" in answer


DROPPED_IN_A_CHILD = """
import json
x = xp.ones(1000, device="cuda")
answer, end = os.pipe()
pid = os.fork()
if not pid:
    del x
    os.write(end, json.dumps(xp.memory_stats()["cuda:0"]).encode())
    os._exit(0)
os.close(end)
os.waitpid(pid, 0)
found = json.loads(os.read(answer, 1000))
os.close(answer)
return found, xp.memory_stats()["cuda:0"]["allocated"]
"""


def test_what_a_forked_child_drops_was_never_counted_there():
    with process() as worker:
        found, allocated = worker.run(DROPPED_IN_A_CHILD)
    assert set(found.values()) == {0}
    assert allocated == 8000


def test_questions_before_a_fork_are_harmless():
    with process() as worker:
        worker.run(
            "xp.cuda.is_available(), xp.cuda.current_device()\n"
            "last = xp.cuda.device_count() - 1\n"
            "xp.cuda.set_device(last)\nxp.Device('cuda', last)\nwith xp.Device('cuda:0'): pass\n"
            "assert 'cuda:0' in xp.cuda.memory_summary(0)"
        )
        assert worker.run(
            "import multiprocessing\nfrom tests.cuda.test_lifetimes import can_use\n"
            "context = multiprocessing.get_context('fork')\nq = context.SimpleQueue()\n"
            "p = context.Process(target=can_use, args=(q,))\np.start()\na = q.get()\n"
            "p.join()\nreturn a"
        ) == [0.0, 1.0, 2.0]


def can_use(queue):
    import sharedarray as xp

    last = xp.cuda.device_count() - 1
    queue.put(xp.arange(3.0, device=f"cuda:{last}").tolist())


AT_THE_END = """
import builtins
import sharedarray as xp
class Late:
    def __init__(self, x):
        self.x, self.me = x, self
    def __del__(self):
        print(self.x.tolist(), self.x.shape, COMPUTED)
builtins.late = Late(xp.ones(2, device="cuda"))
"""


def test_arrays_can_be_read_when_nothing_can_be_imported_any_more():
    # CuPy imports whenever it computes.
    source = AT_THE_END.replace("COMPUTED", "1.0" if ON_CARD else "float(self.x[0])")
    with surroundings():
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-c", source],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[1.0, 1.0] (2,) 1.0\n"


SLOW = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>
void *dlopen(const char *name, int mode) {
    void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
    if (name && strstr(name, "libcuda")) usleep(500000);
    return next(name, mode);
}
"""
WHILE_IT_LOADS = """
import os, signal, threading, time, warnings
import sharedarray as xp
from sharedarray import _cuda
warnings.simplefilter("ignore")
thread = threading.Thread(target=_cuda.start)
thread.start()
time.sleep(0.2)
pid = os.fork()
if not pid:
    signal.alarm(20)
    _cuda.start()
    os._exit(_cuda.device_count())
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_child_forked_while_a_thread_loads_the_driver(tmp_path):
    source, library = tmp_path / "slow.c", tmp_path / "slow.so"
    source.write_text(SLOW)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    with surroundings(devices=2):
        done = subprocess.run(
            [sys.executable, "-c", WHILE_IT_LOADS],
            env={**os.environ, "LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")
