"""What was sent and not opened outlives its sender's normal end, and costs nothing afterwards."""

import multiprocessing
import os
import signal
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor

import pytest

import sharedarray as xp
from sharedarray import _core
from tests.harness import Worker, join, keepers, no_keeper, procfs, run_script

from .senders import HEAD, KEPT, MIB, SIZES, full_of, keepers_end, opened, sent  # noqa: F401

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
    import atexit, multiprocessing as mp, os, sys, threading, time
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
        atexit.register(send, 4)    # called there before Python 3.13 by spawned ones only
        send(1)
        threading.Thread(target=later).start()

    if __name__ == "__main__":
        process = mp.get_context(sys.argv[1]).Process(target=work)
        process.start()
        process.join()
        sys.exit(process.exitcode)
    """


def test_threads_that_outlive_the_function_of_a_child(method):
    text = run_script(IN_CHILDREN, method, flags=["-X", "dev", "-W", "error"], env=KEPT).ok()
    values = [float(opened(bytes.fromhex(line))[9]) for line in text.split()]
    called = method == "spawn" or sys.version_info >= (3, 13)
    assert sorted(values) == ([1, 2, 3, 4] if called else [1, 2, 3])


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
    processes += [context.Process(target=relay, args=(stages[i], stages[i + 1])) for i in range(3)]
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
    assert x.storage().attached() == 1  # the keeper
    address = x.storage().data_ptr()
    del x
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


def send_for(seconds, outbox):
    _core.linger_for(seconds)
    outbox.put(bytes(xp.ones(1000).handle()))


def test_each_process_says_how_long_its_keeper_stays(context):
    """A forked one, too, whose parent has read the environment long ago."""
    outbox = context.Queue()
    short = context.Process(target=send_for, args=(0.3, outbox))
    long = context.Process(target=send_for, args=(300.0, outbox))
    for process in (short, long):
        process.start()
        join(process)
    messages = [outbox.get(timeout=60) for _ in (short, long)]
    assert no_keeper(short.pid)
    assert len(keepers(long.pid)) == 1
    assert full_of(opened(messages[1]), 1)
    assert no_keeper(long.pid)
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
    with pytest.raises(xp.HandleError, match=r"ended.*nobody holds.*opened before"):
        opened(blob)


def test_several_messages_of_one_array():
    blobs = sent("x = xp.full(1 << 20, 2.0)\nfor _ in range(5): print(bytes(x.handle()).hex())")
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
