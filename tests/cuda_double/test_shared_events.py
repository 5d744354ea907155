"""Events of several processes: who waits for whom, and for whom nobody does."""

import ctypes
import time

import pytest

from .calls import SHARED_EVENT, Mapped, code, cu, current, event, stream, value
from .keeping import KEPT, keep, other_inode


def record():
    """Queue work and an event after it, and return the event's interprocess handle."""
    keep("context", current())
    memory, s = keep("memory", Mapped()), keep("stream", stream())
    e = keep("event", event(SHARED_EVENT))
    value(cu.cuMemsetD8Async(memory.address, 9, 8, s))
    value(cu.cuEventRecord(e, s))
    return ctypes.string_at(value(cu.cuIpcGetEventHandle(e)).getPtr(), 64)


def open_event(raw):
    """Open an event of another process and keep it; how it went."""
    handle = cu.CUipcEventHandle()
    ctypes.memmove(handle.getPtr(), raw, 64)
    keep("context", current())
    answer = cu.cuIpcOpenEventHandle(handle)
    if not answer[0]:
        KEPT["opened"] = answer[1]
    return code(answer)


def ask():
    """Ask about the event of the other process, once."""
    return code(cu.cuEventQuery(KEPT["opened"]))


def await_event(how):
    """Wait for the event of the other process, by the host or by a stream."""
    e = KEPT["opened"]
    if how == "host":
        value(cu.cuEventSynchronize(e))
    else:
        with stream() as s:
            value(cu.cuStreamWaitEvent(s, e, 0))
            value(cu.cuStreamSynchronize(s))
    return code(cu.cuEventQuery(e))


def written():
    """Return whether the work before the event was done, though this process waited for nothing."""
    return KEPT["memory"][1].read() == b"\t" * 8


def record_opened():
    """Record the other process's event here."""
    s = keep("stream", stream())
    value(cu.cuEventRecord(KEPT["opened"], s))


def sync_own():
    """Wait for an event of ours that another process recorded."""
    value(cu.cuEventSynchronize(KEPT["event"][1]))


@pytest.fixture
def delayed_pair(doubles):
    """Two processes whose work waits, for one test."""
    made = [doubles.start(delayed=True) for _ in range(2)]
    yield made
    for worker in made:
        worker.kill()


@pytest.mark.parametrize("how", ["host", "stream"])
def test_a_process_waits_for_an_event_of_another(delayed_pair, how):
    producer, consumer = delayed_pair
    assert consumer.call(open_event, producer.call(record)) == "SUCCESS"
    time.sleep(0.02)
    assert not producer.call(written)
    assert consumer.call(ask) == "NOT_READY"
    assert consumer.call(await_event, how) == "SUCCESS"
    assert producer.call(written)


def test_both_sides_record_an_event(delayed_pair):
    producer, consumer = delayed_pair
    consumer.call(open_event, producer.call(record))
    consumer.call(record_opened)
    producer.call(sync_own)
    assert consumer.call(ask) == "SUCCESS"
    assert not producer.call(written)


@pytest.mark.parametrize("how", ["host", "stream"])
def test_nobody_waits_for_the_event_of_a_killed_process(delayed_pair, how):
    producer, consumer = delayed_pair
    consumer.call(open_event, producer.call(record))
    producer.kill()
    assert consumer.call(await_event, how) == "SUCCESS"


def test_the_event_of_a_killed_process_cannot_be_opened(delayed_pair):
    producer, consumer = delayed_pair
    raw = producer.call(record)
    assert consumer.call(open_event, other_inode(raw)) == "INVALID_HANDLE"
    producer.kill()
    assert consumer.call(open_event, raw) == "INVALID_HANDLE"
    assert consumer.call(open_event, bytes(64)) == "INVALID_HANDLE"
