"""What was sent and not opened outlives its sender's normal end, and costs nothing afterwards."""

import contextlib
import fcntl
import multiprocessing
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import (
    Footprint,
    Worker,
    WorkerError,
    join,
    keepers,
    no_keeper,
    procfs,
    returns_to_start,
    run_script,
)
from tests.harness.fixtures import check_processes
from tests.harness.footprint import settle

MIB = 1 << 20
SIZES = [8, 4096, MIB, 40 * MIB]  # bytes: a small block, a page, a span, a segment of its own

HEAD = """
    import atexit, gc, os, signal, sys, threading, time
    import numpy as np
    import sharedarray as xp
    def send(n, value):
        print(bytes(xp.full(n, float(value)).handle()).hex(), flush=True)
    """


def sent(code, *arguments, **options):
    """What such a program sent before it ended; its stderr was empty and its code 0."""
    text = run_script(textwrap.dedent(HEAD) + textwrap.dedent(code), *arguments, **options).ok()
    return [bytes.fromhex(line) for line in text.split()]


def opened(blob):
    """The array of a message."""
    return xp.from_handle(xp.Handle.from_bytes(blob))


def full_of(x, value):
    """Whether each element has that value."""
    return bool((np.asarray(x) == value).all())


def settle_orphans():
    """Settle, and wait for what ended children of the test left to this process."""
    settle()
    for pid in procfs.children(os.getpid()):
        if procfs.state(pid) == "Z":
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


@pytest.fixture(autouse=True)
def keepers_end():
    """Each test opens what it sent; then no keeper is left, and nothing that it held."""
    with returns_to_start(slack=4 * MIB, timeout=10, settle=settle_orphans):
        yield


# ---- ways to end ----


def put(inbox, sizes):
    """Send an array of each size and return."""
    for i, n in enumerate(sizes):
        inbox.put(xp.full(n // 8, float(i)))


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_process_puts_and_returns(context, rounds):
    inbox = context.Queue()
    for _ in range(rounds):
        process = context.Process(target=put, args=(inbox, SIZES))
        process.start()
        arrays = []
        while len(arrays) < 2:  # a pipe holds less than all messages of many rounds
            arrays.append(inbox.get(timeout=60))
        join(process)
        arrays += [inbox.get(timeout=60) for _ in SIZES[2:]]
        for i, x in enumerate(arrays):
            assert x.size == SIZES[i] // 8
            assert full_of(x, i)
            x += 1
            assert full_of(x, i + 1)
        assert no_keeper(process.pid)
    inbox.close()


def test_opened_after_all_have_ended(context):
    inbox = context.Queue()
    processes = [context.Process(target=put, args=(inbox, SIZES)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        join(process)
    assert sorted(len(keepers(process.pid)) for process in processes) == [1, 1, 1]
    time.sleep(1)
    got = [inbox.get(timeout=60) for _ in range(3 * len(SIZES))]
    assert sorted(x.size for x in got) == sorted(3 * [n // 8 for n in SIZES])
    assert all(full_of(x, SIZES.index(x.size * 8)) for x in got)
    inbox.close()


def give(n):
    """A result."""
    return xp.full(n, float(n))


def test_pool_workers_that_end_after_each_task(context):
    with context.Pool(2, maxtasksperchild=1) as pool:
        results = [pool.apply_async(give, (n,)) for n in (1, 1000, MIB) * 3]
        pool.close()
        pool.join()
    for n, result in zip((1, 1000, MIB) * 3, results, strict=True):
        assert full_of(result.get(60), n)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_executor_workers_that_end_after_each_task(context):
    with ProcessPoolExecutor(2, mp_context=context, max_tasks_per_child=1) as executor:
        futures = [executor.submit(give, n) for n in (1, 1000, MIB) * 3]
    for n, future in zip((1, 1000, MIB) * 3, futures, strict=True):
        assert full_of(future.result(60), n)


def total(x, answers):
    """Use the argument."""
    answers.put(float(xp.sum(x)))


def test_temporaries_as_arguments(context):
    x, answers = xp.ones(MIB), context.Queue()
    processes = [context.Process(target=total, args=(x + i, answers)) for i in range(3)]
    for process in processes:
        process.start()
    assert sorted(answers.get(timeout=60) for _ in processes) == [MIB, 2 * MIB, 3 * MIB]
    for process in processes:
        join(process)
    answers.close()


WAYS = {
    "globals": "send(N, V)",
    "sys.exit": "send(N, V); sys.exit(0)",
    "an atexit callback registered late": "atexit.register(send, N, V)",
    "an atexit callback registered first": """
        from multiprocessing import util
        util.Finalize(None, send, (N, V), exitpriority=-2000)
        """,
    "a destructor at the end": """
        class Holder:
            def __init__(self): self.h = xp.full(N, float(V)).handle()
            def __del__(self): print(bytes(self.h).hex(), flush=True)
        holder = Holder()
        """,
    "a thread that ends later": """
        def run():
            time.sleep(0.2)
            send(N, V)
        threading.Thread(target=run).start()
        """,
    "a daemon thread at work": """
        def run():
            while True:
                xp.ones(1000) + 1
        threading.Thread(target=run, daemon=True).start()
        send(N, V)
        """,
    "a forked child": """
        if os.fork() == 0:
            send(N, V)
            sys.exit(0)
        assert os.wait()[1] == 0
        """,
    "a forked child's inherited array": """
        x = xp.full(N, float(V))
        if os.fork() == 0:
            print(bytes(x.handle()).hex(), flush=True)
            sys.exit(0)
        assert os.wait()[1] == 0
        """,
    "a forked child's published array": """
        x = xp.full(N, float(V))
        h = xp.from_handle(x.handle())
        bytes(x.handle())
        if os.fork() == 0:
            print(bytes(x.handle()).hex(), flush=True)
            sys.exit(0)
        assert os.wait()[1] == 0
        xp.collect()
        """,
    "a vanished folder": """
        import tempfile
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        os.rmdir(folder)
        send(N, V)
        """,
    "closed streams": "send(N, V); os.close(0); os.close(2)",
    "signals blocked and ignored": """
        signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        send(N, V)
        """,
    "a handler that reaps all children": """
        signal.signal(signal.SIGCHLD, lambda *_: os.waitpid(-1, os.WNOHANG))
        send(N, V)
        """,
    "a closed /proc": """
        import ctypes
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        send(N, V)
        """,
    "a served socket": "os.environ['SHAREDARRAY_SERVE'] = '1'; send(N, V)",
    "a small environment": "os.environ.clear(); send(N, V)",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [5, MIB])
def test_ways_to_end(way, n):
    code = f"N, V = {n}, 7\n" + textwrap.dedent(WAYS[way])
    (blob,) = sent(code, flags=["-X", "dev", "-W", "error"])
    assert full_of(opened(blob), 7)


IN_CHILDREN = """
    import multiprocessing as mp, os, sys, threading, time
    import sharedarray as xp

    def send(value):
        print(bytes(xp.full(1000, float(value)).handle()).hex(), flush=True)

    def later():
        time.sleep(0.3)
        send(2)
        thread = threading.Thread(target=latest)
        thread.start()

    def latest():
        time.sleep(0.1)
        send(3)

    def work():
        send(1)
        threading.Thread(target=later).start()

    if __name__ == "__main__":
        process = mp.get_context(sys.argv[1]).Process(target=work)
        process.start()
        process.join()
        sys.exit(process.exitcode)
    """


def test_threads_that_outlive_the_function_of_a_child(method):
    text = run_script(IN_CHILDREN, method, flags=["-X", "dev", "-W", "error"]).ok()
    assert [float(opened(bytes.fromhex(line))[9]) for line in text.split()] == [1, 2, 3]


def test_what_is_sent_on_twice(method):
    """From a creator through two processes that end, the creator first or last."""
    context = multiprocessing.get_context(method)
    first, second = context.Queue(), context.Queue()
    put(first, [8 * MIB])
    process = context.Process(target=relay, args=(first, second))
    process.start()
    join(process)
    assert full_of(second.get(timeout=60), 0)
    for one in (first, second):
        one.close()


def relay(inbox, outbox):
    """Send on what arrives."""
    outbox.put(inbox.get(timeout=60))


def test_a_chain_of_processes_that_end(context):
    stages = [context.Queue() for _ in range(4)]
    processes = [context.Process(target=put, args=(stages[0], [MIB]))]
    processes += [
        context.Process(target=relay, args=(stages[i], stages[i + 1])) for i in range(3)
    ]
    for process in processes:
        process.start()
        join(process)
    assert full_of(stages[-1].get(timeout=60), 0)
    for stage in stages:
        stage.close()


# ---- whose count it is ----


def forward(x, outbox):
    """Send on what came as an argument."""
    outbox.put(x)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("n", [64 << 10, MIB, 5 * MIB])
def test_a_forwarded_block_stays_counted_with_its_creator(context, n):
    outbox = context.Queue()
    x = xp.full(n, 5.0)
    process = context.Process(target=forward, args=(x, outbox))
    process.start()
    join(process)
    storage = x.storage()
    assert procfs.wait_until(lambda: storage.attached() == 1)  # the keeper
    address = storage.data_ptr()
    del x, storage
    others = [xp.full(n, -1.0) for _ in range(4)]
    assert address not in [one.storage().data_ptr() for one in others]
    y = outbox.get(timeout=60)
    assert full_of(y, 5)
    assert no_keeper(process.pid)
    assert y.storage().attached() == 0
    outbox.close()


@pytest.mark.parametrize("method", ["spawn"])
def test_a_killed_keeper_is_uncounted_like_any_holder(context):
    outbox = context.Queue()
    x = xp.full(MIB, 5.0)
    process = context.Process(target=forward, args=(x, outbox))
    process.start()
    join(process)
    assert x.storage().attached() == 1
    (pid,) = keepers(process.pid)
    os.kill(pid, signal.SIGKILL)
    assert procfs.wait_until(lambda: x.storage().attached() == 0)
    y = outbox.get(timeout=60)  # the creator has it still
    assert y.storage() is x.storage()
    outbox.close()


@pytest.mark.parametrize("method", ["spawn"])
def test_a_keeper_whose_time_is_over_gives_its_counts_back(context, monkeypatch):
    monkeypatch.setenv("SHAREDARRAY_LINGER", "0.3")
    outbox = context.Queue()
    x = xp.full(MIB, 5.0)
    process = context.Process(target=forward, args=(x, outbox))
    process.start()
    join(process)
    assert no_keeper(process.pid)
    assert x.storage().attached() == 0
    assert outbox.get(timeout=60).storage() is x.storage()
    outbox.close()


def test_what_others_hold_stays_theirs(worker):
    (blob,) = sent("send(1 << 20, 4)")
    worker.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
    assert no_keeper()
    assert worker.get("bool(xp.all(keep['x'] == 4))")
    worker.run("keep.clear()\ngc.collect()\nxp.empty_cache()")


# ---- opening more than once, and late ----


def test_several_openings_of_one_message(method):
    (blob,) = sent("send(1 << 20, 6)")
    with Worker(method) as one, Worker(method) as two:
        for worker in (one, two):
            worker.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
        one.run("keep['x'][0] = 9")
        assert two.get("float(keep['x'][0])") == 9
        assert no_keeper()
        x = opened(blob)  # from whoever holds it
        assert float(x[0]) == 9
        one.kill()
        two.stop()
        assert full_of(x[1:], 6)
        y = opened(blob)
        assert y.storage() is x.storage()
    del x, y
    xp.empty_cache()
    with pytest.raises(xp.HandleError, match=r"ended.*nobody holds"):
        opened(blob)


def test_several_messages_of_one_array():
    blobs = sent(
        "x = xp.full(1 << 20, 2.0)\nfor _ in range(5): print(bytes(x.handle()).hex())"
    )
    arrays = [opened(blob) for blob in blobs]
    arrays[0][0] = 3
    assert all(float(x[0]) == 3 for x in arrays)


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_very_many_messages(count):
    blobs = sent(
        f"""
        kept = []
        for i in range({count}):
            x = xp.full((7, 700, 7000)[i % 3], float(i))
            print(bytes(x.handle()).hex())
        """
    )
    for i, blob in enumerate(blobs):
        assert full_of(opened(blob), i)


def test_more_segments_than_one_packet_holds():
    code = "for i in range(150): print(bytes(xp.full(MIB, float(i)).handle()).hex())"
    code = "MIB = 1 << 22\n" + code  # 32 MiB: a segment each; not written, so not committed
    blobs = sent(code.replace("xp.full(MIB, float(i))", "xp.empty(MIB)"))
    sizes = [opened(blob).nbytes for blob in blobs]
    assert sizes == [32 * MIB] * 150


def test_one_keeper_for_what_is_sent_early_and_late():
    blobs = sent(
        """
        from multiprocessing import util
        send(1000, 1)
        for i in (2, 3):
            util.Finalize(None, send, (1000, i), exitpriority=-1000 * i)
        class Last:
            def __init__(self): self.h = xp.full(1000, 4.0).handle()
            def __del__(self): print(bytes(self.h).hex(), flush=True)
        last = Last()
        """
    )
    assert len(keepers()) == 1
    assert sorted(float(opened(blob)[-1]) for blob in blobs) == [1, 2, 3, 4]


# ---- what a keeper is ----


@pytest.fixture
def keeper():
    """A keeper and the message that it keeps."""
    (blob,) = sent("x = [xp.ones(1 << 20) for _ in range(20)]\nsend(1000, 1)")
    (pid,) = keepers()
    yield pid
    assert full_of(opened(blob), 1)
    assert no_keeper()


def test_it_has_nothing_but_what_it_keeps(keeper):
    assert procfs.wait_until(lambda: len(procfs.descriptors(keeper)) == 7)
    targets = sorted(target.split("[")[0] for target in procfs.descriptors(keeper).values())
    assert targets[:3] == ["/dev/null"] * 3
    assert all(target.startswith("/memfd:sharedarray-") for target in targets[3:5])
    assert targets[5:] == ["socket:"] * 2  # of its listener, one for its refusals
    fields = procfs.stat(keeper)
    session, terminal = int(fields[3]), int(fields[4])
    assert session == keeper
    assert terminal == 0
    assert os.readlink(f"/proc/{keeper}/cwd") == "/"
    assert procfs.name(keeper) == "sharedarray-kee"
    assert pathlib.Path(f"/proc/{keeper}/environ").read_bytes() == b""


def test_it_takes_little_memory(keeper):
    assert procfs.proportional([keeper], "Private_Dirty") < MIB
    assert procfs.proportional([keeper], "Private_Clean") < MIB
    private = sum(procfs.proportional([keeper], f"Private_{kind}") for kind in ("Dirty", "Clean"))
    assert private < MIB


def test_it_keeps_no_more_than_what_others_may_reach(keeper):
    """The sender's other arrays lie in the same arena."""
    assert procfs.wait_until(lambda: sum(procfs.segments([keeper]).values()) < 2 * MIB)


def test_neighbours_that_others_hold_are_kept(worker):
    code = """
        x = [xp.full(1 << 17, float(i)) for i in range(20)]
        for i in (3, 11):
            print(bytes(x[i].handle()).hex(), flush=True)
        sys.stdin.read(1)
        send(1000, 1)
        """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HEAD) + textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    blobs = [bytes.fromhex(process.stdout.readline()) for _ in range(2)]
    worker.run(
        "keep['x'] = [xp.from_handle(xp.Handle.from_bytes(b)) for b in blobs]", blobs=blobs
    )
    last = bytes.fromhex(process.communicate("x")[0])
    assert process.returncode == 0
    (pid,) = keepers()
    assert procfs.wait_until(lambda: sum(procfs.segments([pid]).values()) < 5 * MIB)
    assert worker.get("[float(x[0]) == float(x[-1]) == i for i, x in zip((3, 11), keep['x'])]") == [
        True,
        True,
    ]
    assert full_of(opened(last), 1)
    worker.run("keep.clear()\ngc.collect()\nxp.empty_cache()")


def test_children_that_live_on_keep_what_they_inherited():
    code = """
        x = xp.full(1 << 20, 3.0)
        y = xp.full(1 << 20, 5.0)
        if os.fork() == 0:
            os.close(1)
            time.sleep(1.5)      # the parent ends, and its keeper has time to make mistakes
            os._exit(0 if float(xp.sum(x)) == 3 << 20 else 1)
        send(1000, 1)
        with open(sys.argv[1], "w") as file:
            file.write(str(os.getpid()))
        """
    (blob,) = sent(code, "pid", leaves=False, grace=10)
    assert full_of(opened(blob), 1)


def test_whoever_waits_for_the_sender_does_not_wait_for_the_keeper():
    code = textwrap.dedent(HEAD) + "send(1000, 1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(keepers()) == 1
    assert full_of(opened(bytes.fromhex(done.stdout.decode())), 1)


def test_the_end_of_a_child_is_seen_at_once(context):
    inbox = context.Queue()
    process = context.Process(target=put, args=(inbox, [8]))
    process.start()
    assert multiprocessing.connection.wait([process.sentinel], timeout=60)
    join(process)
    assert len(keepers(process.pid)) == 1
    assert full_of(inbox.get(timeout=60), 0)
    inbox.close()


def test_no_lock_is_held():
    code = """
        import fcntl
        file = open(sys.argv[1], "w")
        fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file.fileno(), True)
        send(1000, 1)
        """
    path = pathlib.Path(os.environ.get("TMPDIR", "/tmp"), f"lock-{os.getpid()}")
    try:
        (blob,) = sent(code, path)
        assert len(keepers()) == 1
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        path.unlink()
    assert full_of(opened(blob), 1)


def test_it_survives_the_hangup_of_the_senders_group():
    code = "send(1000, 1)"
    (blob,) = sent(code)
    (pid,) = keepers()
    os.kill(pid, signal.SIGHUP)
    time.sleep(0.2)
    assert full_of(opened(blob), 1)


# ---- time ----


def test_linger_0_keeps_nothing():
    (blob,) = sent("send(1000, 1)", env={"SHAREDARRAY_LINGER": "0"})
    assert keepers() == []
    with pytest.raises(xp.HandleError, match=r"ended.*SHAREDARRAY_LINGER"):
        opened(blob)


def test_when_its_time_is_over(worker):
    (blob,) = sent("send(1000, 1)", env={"SHAREDARRAY_LINGER": "0.5"})
    assert no_keeper()
    with pytest.raises(xp.HandleError, match=r"ended.*SHAREDARRAY_LINGER"):
        opened(blob)
    with pytest.raises(WorkerError, match=r"HandleError.*SHAREDARRAY_LINGER"):
        worker.run("xp.from_handle(xp.Handle.from_bytes(b))", b=blob)


@pytest.mark.parametrize("wrong", ["soon", "-1", "nan", "inf", "1s"])
def test_a_wrong_time_is_refused_at_import(wrong):
    result = run_script("import sharedarray", env={"SHAREDARRAY_LINGER": wrong})
    assert result.rc == 1
    assert f"ValueError: SHAREDARRAY_LINGER: a number of seconds is needed, not '{wrong}'" in (
        result.stderr
    )


@pytest.mark.parametrize("right", ["7", "0.5", " 3 ", "1e30"])
def test_times(right):
    run_script("import sharedarray", env={"SHAREDARRAY_LINGER": right}).ok()


@pytest.mark.slow
def test_opened_after_minutes():
    (blob,) = sent("send(1 << 20, 1)")
    time.sleep(100)
    assert full_of(opened(blob), 1)


# ---- no keeper ----


@pytest.mark.parametrize(
    "end",
    [
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "os.execv(sys.executable, [sys.executable, '-c', ''])",
        "os.abort()",
    ],
)
def test_other_ends_count_as_killed(end):
    code = textwrap.dedent(HEAD) + f"send(1000, 1)\n{end}"
    blob = bytes.fromhex(run_script(code).stdout)
    assert keepers() == []
    with pytest.raises(xp.HandleError, match=r"ended.*was killed, left by os\._exit"):
        opened(blob)


KILLED = """
from multiprocessing.reduction import ForkingPickler
return bytes(ForkingPickler.dumps(xp.full(1 << 20, 8.0)))
"""


def test_a_killed_sender_is_a_lost_array(own_worker):
    message = own_worker.run(KILLED)
    own_worker.kill()
    x = ForkingPickler.loads(message)
    assert (x.shape, x.is_shared()) == ((MIB,), False)
    with pytest.raises(xp.HandleError, match="was killed"):
        x + 1


def test_what_a_killed_sender_sent_can_be_had_from_another_holder(own_worker, worker):
    message = own_worker.run(KILLED)
    worker.run("import pickle\nkeep['x'] = pickle.loads(b)", b=message)
    own_worker.kill()
    x = ForkingPickler.loads(message)
    assert full_of(x, 8)
    x[0] = 1
    assert worker.get("float(keep['x'][0])") == 1
    worker.run("keep.clear()\ngc.collect()\nxp.empty_cache()")


def die(n, path):
    """Send, and be killed before anybody opens it."""
    message = ForkingPickler.dumps(xp.full(n, 1.0))
    with open(path + "~", "wb") as file:
        file.write(message)
    os.rename(path + "~", path)
    os.kill(os.getpid(), signal.SIGKILL)


def reads(path):
    """Open a message in a pool's worker."""
    x = ForkingPickler.loads(pathlib.Path(path).read_bytes())
    return x.is_shared()


def test_a_pool_that_meets_a_killed_senders_message_goes_on(context, tmp_path):
    path = tmp_path / "message"
    process = context.Process(target=die, args=(MIB, str(path)))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    with context.Pool(1) as pool:
        assert pool.apply_async(reads, (str(path),)).get(60) is False
        assert float(pool.apply_async(give, (3,)).get(60)[0]) == 3
        pool.close()
        pool.join()


@pytest.fixture
def package(tmp_path):
    """A copy of the package, to be damaged."""
    shutil.copytree(
        os.path.dirname(xp.__file__),
        tmp_path / "sharedarray",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    return tmp_path / "sharedarray"


def sent_by(package):
    """What a program with this copy of the package sent."""
    code = "import sys\nsys.path.insert(0, sys.argv[1])\n" + textwrap.dedent(HEAD)
    code += "assert xp.__file__.startswith(sys.argv[1])\nsend(1000, 1)"
    return bytes.fromhex(run_script(code, package.parent, flags=["-X", "dev"]).ok())


def test_a_package_that_cannot_be_written(package):
    os.chmod(package, 0o555)
    blob = sent_by(package)
    assert len(keepers()) == 1
    assert full_of(opened(blob), 1)


DAMAGE = {
    "missing": lambda program: program.unlink(),
    "not executable": lambda program: program.chmod(0o644),
    "no program": lambda program: program.write_bytes(b"\x7fELF, it says"),
    "a folder": lambda program: (program.unlink(), program.mkdir()),
    "another program": lambda program: shutil.copy("/bin/true", program),
    "a program that stays": lambda program: (
        program.unlink(),
        program.write_text("#!/bin/sh\nexec 3>&-\n"),
        program.chmod(0o755),
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_program_that_cannot_run(package, damage):
    DAMAGE[damage](package / "sharedarray-keeper")
    blob = sent_by(package)
    assert keepers() == []
    with pytest.raises(xp.HandleError, match="could not run its keeper"):
        opened(blob)


def test_run_by_hand_it_says_what_it_is():
    program = pathlib.Path(xp.__file__).with_name("sharedarray-keeper")
    done = subprocess.run([program], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2
    assert "started by processes that end" in done.stderr


@pytest.mark.parametrize("limits", [{"nofile": 24}, {"nproc": 0}, {"core": 0}])
def test_under_limits_it_keeps_or_says_nothing(limits):
    (blob,) = sent("send(1000, 1)", limits=limits)
    if keepers():
        assert full_of(opened(blob), 1)
    else:
        with pytest.raises(xp.HandleError, match="could not run its keeper"):
            opened(blob)


def test_senders_without_messages_have_none():
    sent("x = xp.ones(1 << 20)\nh = x.handle()\ny = xp.from_handle(h)")
    assert keepers() == []


def test_what_was_collected_is_not_kept():
    blobs = sent("send(1000, 1)\nxp.collect()")
    assert keepers() == []
    with pytest.raises(xp.HandleError):
        opened(blobs[0])


# ---- the watch itself ----


def test_a_keeper_that_is_left_over_is_reported():
    sent("send(1000, 1)")
    (pid,) = keepers()
    with pytest.raises(AssertionError, match=rf"left processes: {pid} S \(sharedarray-keeper"):
        check_processes(timeout=0.3)
    assert no_keeper()


def test_its_memory_is_seen_as_left_over():
    start = Footprint()
    (blob,) = sent("send(1 << 20, 1)")
    growth = list(Footprint().growth(start, slack=MIB))
    assert any("memory left" in line for line in growth)
    assert any("processes left" in line and "sharedarray-keeper" in line for line in growth)
    assert full_of(opened(blob), 1)


def test_a_queue_that_nobody_reads_is_let_go_of_by_its_sender(context):
    inbox = context.Queue()
    inbox.put(xp.full(MIB, 1.0))
    with pytest.raises(queue.Empty):
        while True:
            inbox.get(timeout=1)
    inbox.close()
