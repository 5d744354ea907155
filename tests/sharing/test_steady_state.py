"""A stream of fresh arrays costs its messages alone: no system call, no page fault, no growth."""

import contextlib
import time

import pytest

from tests.harness import Worker, WorkerError, procfs
from tests.harness.syscalls import TracerError, traced

from . import streams

KIB, MIB = 1 << 10, 1 << 20
SIZES = (KIB, 64 * KIB, MIB, 64 * MIB)
SHORT, TRACED, LONG = 3_000, 1_000, 100_000
SPARE = 0.05  # of each kind for a message: an interpreter takes a page now and then
# Ten times a second, whatever the number of messages, a process looks whether peers ended, segments
# were retired, or limits changed: by up to so many calls of one kind in a second.
LOOKS = 30
PRIVATE = MIB

ids = {"ids": lambda nbytes: f"{nbytes // KIB}KiB"}
sizes = pytest.mark.parametrize("nbytes", SIZES, **ids)


class Growth(AssertionError):
    """A stream cost more than its messages."""


class Line:
    """
    Workers in a row, each linked to the next, with streams along them.

    Parameters
    ----------
    method : str
        Start method of the workers.
    length : int
        Number of workers.
    """

    def __init__(self, method, length=2):
        self.workers = [Worker(method, timeout=150.0) for _ in range(length)]
        for i in range(length - 1):
            streams.join(self.workers[i], self.workers[i + 1], f"link {i}")
        self.each(streams.ready)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        for worker in self.workers:
            worker.stop()

    def each(self, function, *arguments):
        """Call a function in each worker; the results."""
        return [worker.call(function, *arguments) for worker in self.workers]

    def together(self, *calls):
        """Call one function in each worker at the same time; each call a tuple."""
        for worker, call in zip(self.workers, calls, strict=True):
            worker.send(*call)
        for worker in self.workers:
            worker.receive()

    def down(self, first, middle, last):
        """Run functions of the first worker, of those between, and of the last one."""
        inner = [(middle[0], f"link {i}", f"link {i + 1}", *middle[1:]) for i in self.between]
        end = len(self.workers) - 2
        self.together((first[0], "link 0", *first[1:]), *inner, (last[0], f"link {end}", *last[1:]))

    @property
    def between(self):
        return range(len(self.workers) - 2)

    def warm(self, nbytes):
        """Let memory for a few arrays of this size be there, and mapped, in both directions."""
        self.down((streams.fill, nbytes), (streams.relay,), (streams.empty, nbytes))
        if len(self.workers) == 2:
            self.together((streams.empty, "link 0", nbytes), (streams.fill, "link 0", nbytes))

    def run(self, pattern, nbytes, messages, fault=None, where=None):
        """
        Run a stream.

        Parameters
        ----------
        pattern : {"down", "up", "both"}
            Whether the first worker sends, the last one, or each at the same time.
        nbytes, messages : int
            Bytes of each array (0: tuples), and how many.
        fault : callable, optional
            One of those that `streams` has.
        where : {"pour", "drain"}
            Where it is planted.
        """
        numbers = range(messages)
        pour = (streams.pour, nbytes, numbers, fault if where == "pour" else None)
        drain = (streams.drain, nbytes, numbers, fault if where == "drain" else None)
        if pattern == "both":
            self.together(*[(streams.exchange, "link 0", nbytes, numbers)] * 2)
        elif pattern == "up":
            (first, *one), (last, *other) = drain, pour
            self.together((first, "link 0", *one), (last, "link 0", *other))
        else:
            self.down(pour, (streams.forward, numbers), drain)

    def memory(self):
        """Bytes behind the segments that the workers hold."""
        return sum(procfs.segments([worker.pid for worker in self.workers]).values())


def check_flat(line, pattern, nbytes, messages, parts=4, **fault):
    """Raise `Growth` if a stream faults pages in, or leaves anything anywhere."""
    line.warm(nbytes)
    line.run(pattern, nbytes, max(64, messages // 16))
    memory, before = line.memory(), line.each(streams.state)
    for _ in range(parts):
        line.run(pattern, nbytes, messages // parts, **fault)
        found = []
        if line.memory() > memory + MIB:
            found.append(f"shared memory: {memory:,} -> {line.memory():,}")
        for number, (old, new) in enumerate(zip(before, line.each(streams.state), strict=True)):
            found += [f"worker {number}: {words}" for words in growth(old, new, messages)]
        if found:
            raise Growth(f"{messages} messages: {'; '.join(found)}")


def growth(old, new, messages):
    """Words on what one process has more than it had."""
    if new.faults - old.faults > SPARE * messages:
        yield f"{new.faults - old.faults} page faults"
    for name, slack in {"descriptors": 1, "mappings": 0, "mapped": 0, "private": PRIVATE}.items():
        if getattr(new, name) > getattr(old, name) + slack:
            yield f"{name}: {getattr(old, name):,} -> {getattr(new, name):,}"


def calls_of(line, pattern, nbytes, messages, **fault):
    """System calls of each worker during a stream, and the seconds that it took."""
    pids = [worker.pid for worker in line.workers]
    with allowed(), traced(*pids) as calls:
        begun = time.monotonic()
        line.run(pattern, nbytes, messages, **fault)
        return [calls[pid] for pid in pids], time.monotonic() - begun


@contextlib.contextmanager
def allowed():
    """Skip the test where processes may not trace others."""
    try:
        yield
    except TracerError as error:
        if "Operation not permitted" not in str(error):
            raise
        pytest.skip(f"tracing other processes is not allowed here: {error}")


def check_calls(line, pattern, nbytes, messages, **fault):
    """Raise `Growth` if arrays take system calls that tuples do not."""
    line.warm(nbytes)
    line.run(pattern, nbytes, 64)
    bare, _ = calls_of(line, pattern, 0, messages)
    assert all(calls["write"] >= messages for calls in bare)
    ours, seconds = calls_of(line, pattern, nbytes, messages, **fault)
    for number, (more, calls) in enumerate(zip(ours, bare, strict=True)):
        more.subtract(calls)
        if max(more.values()) > SPARE * messages + LOOKS * seconds:
            told = f"worker {number}, {messages} messages in {seconds:.1f} s"
            raise Growth(f"{told}, beyond tuples: {+more}")


patterns = pytest.mark.parametrize("pattern", ["down", "up", "both"])


@patterns
@sizes
def test_a_stream_costs_its_messages_alone(pattern, nbytes):
    with Line("spawn") as line:
        check_calls(line, pattern, nbytes, TRACED)
        check_flat(line, pattern, nbytes, SHORT)


@sizes
def test_through_a_chain_of_three(nbytes):
    with Line("spawn", 3) as line:
        check_calls(line, "down", nbytes, TRACED)
        check_flat(line, "down", nbytes, SHORT)


@pytest.mark.parametrize("length", [2, 3])
@pytest.mark.parametrize("method", ["fork", "forkserver"])
def test_other_start_methods(method, length):
    with Line(method, length) as line:
        check_calls(line, "down", 64 * KIB, TRACED)
        check_flat(line, "down", 64 * KIB, SHORT)


@pytest.mark.slow
@pytest.mark.time_out(600)
@sizes
def test_a_hundred_thousand_in_each_direction(nbytes):
    with Line("spawn") as line:
        check_flat(line, "both", nbytes, LONG)


@pytest.mark.slow
@pytest.mark.time_out(600)
def test_a_hundred_thousand_through_a_chain():
    with Line("spawn", 3) as line:
        check_flat(line, "down", 64 * KIB, LONG)


@sizes
def test_the_last_of_a_chain_keeps_what_it_has_when_the_others_end(nbytes):
    with Line("spawn", 3) as line:
        line.warm(nbytes)
        line.run("down", nbytes, 500)
        numbers = range(20)
        keep = (streams.drain, nbytes, numbers, streams.array_kept)
        line.down((streams.pour, nbytes, numbers), (streams.forward, numbers), keep)
        first, middle, last = line.workers
        assert first.stop() == 0
        assert last.call(streams.kept) == list(numbers)
        assert middle.stop() == 0
        assert last.call(streams.kept) == list(numbers)


@pytest.mark.parametrize("end", [Worker.stop, Worker.kill], ids=["stop", "kill"])
def test_senders_that_come_and_go_leave_nothing(end):
    """Of a sender that ended there stays a ledger, mapped; of its arrays nothing."""
    with Line("spawn", 3) as line:
        line.run("down", 64 * MIB, 64)
        memory, before = line.memory(), line.each(streams.state)
        for changes in range(1, 5):
            end(line.workers[0])
            line.workers[0] = Worker("spawn")
            streams.join(*line.workers[:2], "link 0")
            line.run("down", 64 * MIB, 64)
            assert line.memory() <= memory + MIB
            for old, new in zip(before[1:], line.each(streams.state)[1:], strict=True):
                assert new.mappings <= old.mappings + changes
                assert new.descriptors <= old.descriptors + changes + 1


class TestPlantedFaults:
    """Each check finds what it is there for."""

    @pytest.fixture
    def line(self):
        with Line("spawn") as line:
            yield line

    @pytest.mark.parametrize("nbytes", [64 * KIB, 64 * MIB], **ids)
    def test_cache_given_back(self, line, nbytes):
        fault = {"fault": streams.cache_emptied, "where": "pour"}
        with pytest.raises(Growth, match=r"beyond tuples: .*'(fallocate|mmap|close)'"):
            check_calls(line, "down", nbytes, 200, **fault)
        with pytest.raises(Growth, match="page faults"):
            check_flat(line, "down", nbytes, 200, **fault)

    def test_descriptors_left(self, line):
        with pytest.raises(Growth, match="descriptors"):
            check_flat(line, "down", KIB, 1000, fault=streams.descriptor_left, where="pour")

    @pytest.mark.parametrize(
        "nbytes, messages, found", [(KIB, 8000, "shared memory"), (64 * MIB, 80, "mappings")]
    )
    def test_arrays_kept(self, line, nbytes, messages, found):
        with pytest.raises(Growth, match=found):
            check_flat(line, "down", nbytes, messages, fault=streams.array_kept, where="drain")

    def test_private_memory_kept(self, line):
        with pytest.raises(Growth, match="private:"):
            check_flat(line, "down", 64 * KIB, 1000, fault=streams.object_kept, where="drain")

    def test_wrong_values(self, line):
        line.workers[0].send(streams.pour, "link 0", KIB, [5])
        with pytest.raises(WorkerError, match="AssertionError"):
            line.workers[1].call(streams.drain, "link 0", KIB, [6])
        line.workers[0].kill()

    def test_processes_that_may_not_be_traced_skip(self, line, monkeypatch):
        def refuse(*pids):
            raise TracerError("ptrace: Operation not permitted")

        monkeypatch.setitem(globals(), "traced", refuse)
        with pytest.raises(pytest.skip.Exception):
            check_calls(line, "down", KIB, 10)
