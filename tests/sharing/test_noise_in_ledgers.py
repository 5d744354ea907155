"""Ledgers into which a peer of the same user writes anything: counts go wrong, memory does not."""

import mmap
import os
import random
import time

import pytest

import sharedarray as xp
from sharedarray import _ledger
from tests.harness import Worker, procfs

LAYOUT = _ledger.ledger_layout()
PAGE = 4096


def column(name, count):
    """Where the words of the first entries of a column lie."""
    start, stride, _ = LAYOUT[name]
    length = {"hold": 24, "child": 16, "made": 16}.get(name, min(8, stride))
    return [start + stride * i + at for i in range(count) for at in range(0, max(length, 8), 8)]


# Where the entries lie that are in use.
PARTS = {
    "header": list(range(0, PAGE, 8)),
    "words": column("word", 512),
    "tickets": column("ticket", 512),
    "holds": column("hold", 512),
    "children": column("child", 4096),
    "notes": column("made", 256),
    "segments of tickets": column("ticket_segment", 512),
}
MASK = (1 << 64) - 1
VALUES = [0, 1, 2, 3, 0xFFFF, 1 << 16, 1 << 17, 1 << 20, (1 << 31) - 1, 1 << 32, 1 << 47, 1 << 63]
VALUES += [MASK, MASK - 1, (os.getpid() << 42) | 5, 1 << 42]


def ledger_of(pid):
    """That process's own ledger, mapped here for writing."""
    for number, target in procfs.descriptors(pid).items():
        if "memfd:sharedarray-" not in target:
            continue
        fd = os.open(f"/proc/{pid}/fd/{number}", os.O_RDWR)
        try:
            size = os.fstat(fd).st_size
            if size not in LAYOUT["sizes"]:
                continue
            memory = mmap.mmap(fd, size)
        finally:
            os.close(fd)
        if int.from_bytes(memory[LAYOUT["pid"] : LAYOUT["pid"] + 8], "little") == pid:
            return memory
        memory.close()
    raise AssertionError(f"process {pid} has no ledger")


def garble(pids, parts, seed, seconds):
    """Write noise into the ledgers of the processes for some time; how many words."""
    chance = random.Random(seed)
    ledgers = [ledger_of(pid) for pid in pids]
    end = time.monotonic() + seconds
    written = 0
    while time.monotonic() < end:
        memory = chance.choice(ledgers)
        places = PARTS[chance.choice(parts)]
        at, other = chance.choice(places), chance.choice(places)
        was = int.from_bytes(memory[at : at + 8], "little")
        value = chance.choice(
            [
                chance.getrandbits(64),
                chance.choice(VALUES),
                was ^ 1 << chance.randrange(64),
                (was + chance.choice([-1, 1, 1 << 18])) & MASK,
                int.from_bytes(memory[other : other + 8], "little"),
            ]
        )
        memory[at : at + 8] = value.to_bytes(8, "little")
        written += 1
        if chance.random() < 0.05:
            time.sleep(0.001)
    for memory in ledgers:
        memory.close()
    return written


# One step: make, send, receive, pass on, ask, drop, fork; what was never sent is checked.
STEP = """
    own = keep.setdefault('own', {})
    held = keep.setdefault('held', [])
    blobs = []
    for n in (3, 1000, 100_000, 1 << 20):
        own[step, n] = x = xp.full(n, float(step))
        y = xp.full(n, -1.0)
        blobs.append(bytes(y.handle()))
        if step % 2:
            held.append(y)
    for blob in received:
        try:
            x = xp.from_handle(xp.Handle.from_bytes(blob))
            assert xp.is_shared(x) and x.size in (3, 1000, 100_000, 1 << 20)
            float(x[0]) + float(x[-1])
            assert 0 <= x.storage().attached() <= 1 << 17
            if step % 3 == 0:
                blobs.append(bytes(x.handle()))
            held.append(x)
        except xp.HandleError:
            pass
    del held[:-12]
    for (old, n), x in list(own.items()):
        assert float(x[0]) == float(x[-1]) == float(xp.mean(x)) == old, (old, n)
        assert x.storage().attached() >= 0
        if old < step - 3:
            del own[old, n]
    stats = xp.memory_stats()['cpu']
    assert all(value >= 0 for value in stats.values()), stats
    if step % 5 == 4:
        xp.empty_cache()
    if step % 4 == 3:
        child = os.fork()
        if child == 0:
            try:
                z = xp.full(1000, 5.0)
                assert float(xp.sum(z + 1)) == 6000
                bytes(z.handle())
                for (old, n), x in own.items():
                    assert float(x[-1]) == old
                    bytes(x.handle())
            except BaseException as error:
                os.write(2, repr(error).encode())
                os._exit(9)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        own.clear()   # what a forked child sent is counted nowhere
    return blobs
    """


@pytest.mark.parametrize("seed", [1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
@pytest.mark.parametrize("parts", [[part] for part in PARTS] + [list(PARTS)], ids="-".join)
def test_a_peer_that_writes_noise_corrupts_counts_and_nothing_else(parts, seed, monkeypatch):
    monkeypatch.setenv("SHAREDARRAY_LINGER", "0")  # whether a message was opened is noise, too
    with (
        Worker("spawn", timeout=100) as first,
        Worker("spawn", timeout=100) as second,
        Worker("spawn") as peer,
    ):
        blobs = {first: [], second: []}
        for worker in (first, second):  # they have ledgers from now on
            blobs[worker] = worker.run(STEP, step=0, received=[])
        peer.send(garble, [first.pid, second.pid], parts, seed, 1.0)
        end = time.monotonic() + 1.0
        step = 0
        while time.monotonic() < end or step < 6:
            step += 1
            for worker, other in ((first, second), (second, first)):
                blobs[worker] = worker.run(STEP, step=step, received=blobs[other])
        assert peer.receive() > 100
        for worker in (first, second):
            # It works, with what it has, and what noise is left in its ledger.
            worker.run("keep.clear(); gc.collect(); xp.empty_cache()")
            assert worker.get("float(xp.sum(xp.ones(1 << 20)))") == 1 << 20
            assert worker.stop() == 0


def test_noise_is_what_the_counts_are_made_of():
    """So the noise above reaches what is looked at."""
    storage = xp.Storage(1000)
    handle = storage.handle()
    bytes(handle)
    memory = ledger_of(os.getpid())
    before = {at: memory[at : at + 8] for at in PARTS["words"]}
    for at, word in before.items():
        memory[at : at + 8] = (int.from_bytes(word, "little") + 7).to_bytes(8, "little")
    assert storage.attached() == 7
    for at, word in before.items():
        memory[at : at + 8] = word
    assert storage.attached() == 0
    memory.close()


def questions():
    """How often this process read a file of ``/proc`` or any other, so far."""
    with open("/proc/self/io") as file:
        return int(dict(line.split(": ") for line in file)["syscr"])


@pytest.mark.skipif(not os.path.exists("/proc/self/io"), reason="the kernel does not count reads")
def test_noise_lets_nobody_wait():
    """The names of 200,000 processes: the kernel is asked for some of them at a time."""
    storage = xp.Storage(1000)
    handle = storage.handle()
    bytes(handle)
    memory = ledger_of(os.getpid())
    (start, stride, _), count = LAYOUT["hold"], 200_000
    before = memory[start : start + stride * count], memory[:8]
    chance = random.Random(3)
    nowhere = ((1 << 32) - 1).to_bytes(8, "little") + bytes(8)
    for at in range(start, start + stride * count, stride):
        name = (1 << 42) + chance.getrandbits(40)  # process 1, of other times
        memory[at : at + 24] = name.to_bytes(8, "little") + nowhere
    memory[:8] = count.to_bytes(8, "little")
    asked = questions()
    assert storage.attached() == 0
    asked = questions() - asked
    memory[start : start + stride * count], memory[:8] = before
    memory.close()
    assert 1000 < asked < 20_000
