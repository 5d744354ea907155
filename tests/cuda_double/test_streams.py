"""Streams: what of queued work is seen when, and that a missing wait is seen for certain."""

import ctypes
import threading
import time

from .calls import (
    NON_BLOCKING,
    Mapped,
    code,
    control,
    cu,
    current,
    event,
    pinned,
    stream,
    value,
)
from .inside import inside, inside_both

OLD, NEW = b"\0" * 8, b"\1" * 8
BLOCKING = 0


def wait_for(condition, seconds=20.0):
    """Wait until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "did not come to hold"
        time.sleep(0.001)


@inside(delayed=True)
def test_work_without_a_wait_is_never_seen():
    with current(), Mapped() as memory, stream() as s, pinned(8) as host:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
        value(cu.cuMemcpyDtoHAsync(host, memory.address, 8, s))
        time.sleep(0.05)
        assert memory.read() == OLD
        assert ctypes.string_at(host, 8) == OLD
        assert control().count("queued") == 2
        value(cu.cuStreamSynchronize(s))
        assert (memory.read(), ctypes.string_at(host, 8)) == (NEW, NEW)
        assert control().count("queued") == 0


@inside()
def test_without_delay_work_is_done_at_once():
    with current(), Mapped() as memory, stream() as s, event() as e:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
        assert memory.read() == NEW
        value(cu.cuEventRecord(e, s))
        assert code(cu.cuEventQuery(e)) == code(cu.cuStreamQuery(s)) == "SUCCESS"


def by_stream(s, e):
    value(cu.cuStreamSynchronize(s))


def by_context(s, e):
    value(cu.cuCtxSynchronize())


def by_event(s, e):
    value(cu.cuEventRecord(e, s))
    value(cu.cuEventSynchronize(e))


def by_another_stream(s, e):
    with stream() as other:
        value(cu.cuEventRecord(e, s))
        value(cu.cuStreamWaitEvent(other, e, 0))
        value(cu.cuStreamSynchronize(other))


def by_a_chain_of_streams(s, e):
    with stream() as second, stream() as third, event() as f:
        value(cu.cuEventRecord(e, s))
        value(cu.cuStreamWaitEvent(second, e, 0))
        value(cu.cuEventRecord(f, second))
        value(cu.cuStreamWaitEvent(third, f, 0))
        value(cu.cuStreamSynchronize(third))


def by_asking_again_and_again(s, e):
    wait_for(lambda: code(cu.cuStreamQuery(s)) == "SUCCESS")


def by_asking_an_event_again_and_again(s, e):
    value(cu.cuEventRecord(e, s))
    wait_for(lambda: code(cu.cuEventQuery(e)) == "SUCCESS")


def by_ending_the_delay(s, e):
    control().set_delay(False)


WAITS = [
    by_stream,
    by_context,
    by_event,
    by_another_stream,
    by_a_chain_of_streams,
    by_asking_again_and_again,
    by_asking_an_event_again_and_again,
    by_ending_the_delay,
]


@inside(delayed=True)
def test_every_right_wait_shows_the_work():
    for wait in WAITS:
        control().set_delay(True)
        with current(), Mapped() as memory, stream() as s, event() as e:
            value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
            assert memory.read() == OLD, wait
            wait(s, e)
            assert memory.read() == NEW, wait


def of_another_stream(s, e):
    with stream() as other:
        value(cu.cuStreamSynchronize(other))


def of_an_event_recorded_too_early(s, e):
    value(cu.cuEventSynchronize(e))


def of_the_legacy_stream(s, e):
    value(cu.cuStreamSynchronize(0))


def of_a_copy_in_the_legacy_stream(s, e):
    with Mapped() as other:
        value(cu.cuMemcpyDtoH(bytearray(8), other.address, 8))


def of_a_stream_that_waits_for_an_earlier_event(s, e):
    with stream() as other:
        value(cu.cuStreamWaitEvent(other, e, 0))
        value(cu.cuStreamSynchronize(other))


def of_another_context(s, e):
    with current(1):
        value(cu.cuCtxSynchronize())


def of_one_question(s, e):
    assert code(cu.cuStreamQuery(s)) == "NOT_READY"


WRONG_WAITS = [
    of_another_stream,
    of_an_event_recorded_too_early,
    of_the_legacy_stream,
    of_a_copy_in_the_legacy_stream,
    of_a_stream_that_waits_for_an_earlier_event,
    of_another_context,
    of_one_question,
]


@inside(delayed=True)
def test_no_wrong_wait_shows_the_work():
    for wait in WRONG_WAITS:
        with current(), Mapped() as memory, stream() as s, event() as e:
            value(cu.cuEventRecord(e, s))
            value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
            wait(s, e)
            time.sleep(0.01)
            assert memory.read() == OLD, wait
            value(cu.cuStreamSynchronize(s))


@inside(delayed=True)
def test_the_legacy_stream_waits_for_blocking_streams_and_they_for_it():
    with current(), Mapped() as memory, stream(BLOCKING) as s:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
        value(cu.cuMemcpyDtoH((buffer := bytearray(8)), memory.address, 8))
        assert buffer == NEW
        value(cu.cuMemsetD8(memory.address, 2, 8))
        assert memory.read() == NEW
        value(cu.cuMemsetD8Async(memory.address, 3, 4, s))
        value(cu.cuStreamSynchronize(s))
        assert memory.read() == b"\3" * 4 + b"\2" * 4
        value(cu.cuMemsetD8Async(memory.address, 4, 8, s))
        value(cu.cuStreamSynchronize(0))
        assert memory.read() == b"\4" * 8


@inside(delayed=True)
def test_streams_of_threads():
    with current() as context, Mapped() as memory, Mapped() as other:

        def of_a_thread():
            value(cu.cuCtxSetCurrent(context))
            value(cu.cuMemsetD8Async(other.address, 1, 8, 2))
            value(cu.cuCtxPopCurrent())

        value(cu.cuMemsetD8Async(memory.address, 1, 8, 2))
        thread = threading.Thread(target=of_a_thread)
        thread.start()
        thread.join()
        value(cu.cuStreamSynchronize(2))
        assert (memory.read(), other.read()) == (NEW, OLD)
        value(cu.cuStreamSynchronize(1))
        assert other.read() == NEW


@inside(delayed=True)
def test_an_unordered_reader_sees_the_old_bytes():
    with current(), Mapped() as memory, stream() as writes, stream() as reads, pinned(8) as host:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, writes))
        value(cu.cuMemcpyDtoHAsync(host, memory.address, 8, reads))
        value(cu.cuStreamSynchronize(reads))
        assert ctypes.string_at(host, 8) == OLD
        value(cu.cuStreamSynchronize(writes))


@inside(delayed=True)
def test_a_source_is_read_when_the_work_runs_or_staged():
    with current(), Mapped() as memory, stream() as s, pinned(8) as host:
        buffer = ctypes.create_string_buffer(NEW, 8)
        value(cu.cuMemcpyHtoDAsync(memory.address, ctypes.addressof(buffer), 8, s))
        value(cu.cuMemcpyHtoDAsync(memory.address + 8, host, 8, s))
        ctypes.memset(buffer, 9, 8)
        ctypes.memset(host, 9, 8)
        value(cu.cuStreamSynchronize(s))
        assert memory.read(16) == NEW + b"\t" * 8


@inside(delayed=True)
def test_what_copies_wait_for_by_themselves():
    with current(), Mapped() as memory, pinned(8) as host, stream() as s:
        ctypes.memset(host, 1, 8)
        value(cu.cuMemcpyHtoD(memory.address, host, 8))
        assert memory.read() == NEW
        value(cu.cuMemcpyHtoD(memory.address, b"\2" * 8, 8))
        assert memory.read() == NEW
        value(cu.cuMemcpyDtoD(memory.address + 8, memory.address, 8))
        value(cu.cuMemcpyDtoHAsync((buffer := bytearray(16)), memory.address, 16, 0))
        assert buffer == b"\2" * 16
        value(cu.cuMemsetD8(memory.address, 3, 8))
        assert memory.read() == b"\2" * 8
        value(cu.cuMemcpyDtoHAsync(buffer, memory.address, 8, s))
        assert buffer[:8] == b"\2" * 8
        value(cu.cuMemsetD8(host, 5, 8))
        assert ctypes.string_at(host, 8) == b"\5" * 8
        value(cu.cuMemsetD8Async(memory.address, 6, 8, 0))
        value(cu.cuMemcpyHtoD(memory.address + 8, b"\7" * 8, 8))
        assert memory.read(16) == b"\6" * 8 + b"\2" * 8
        value(cu.cuCtxSynchronize())


@inside(delayed=True)
def test_a_peer_copy_is_ordered_with_both_contexts():
    with current(1) as one, current(0) as zero, Mapped(0) as a, Mapped(1) as b, stream() as s:
        with current(1), stream() as t:
            value(cu.cuMemsetD8Async(b.address, 1, 8, t))
            with current(0):
                value(cu.cuMemcpyPeer(a.address, zero, b.address, one, 8))
                value(cu.cuMemcpyDtoDAsync(a.address + 8, a.address, 8, s))
                assert a.read() == OLD
                value(cu.cuStreamSynchronize(s))
                assert a.read(16) == NEW + NEW


@inside_both()
def test_host_functions():
    seen = []
    kept = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
        lambda x: seen.append((x, code(cu.cuCtxSynchronize()), cu.cuDriverGetVersion()[1]))
    )
    at = ctypes.cast(kept, ctypes.c_void_p).value
    with current(), Mapped() as memory, stream() as s:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
        value(cu.cuLaunchHostFunc(s, at, 42))
        value(cu.cuStreamSynchronize(s))
        assert seen == [(42, "NOT_PERMITTED", 13000)]
        assert memory.read() == NEW
        value(cu.cuLaunchHostFunc(s, at, 43))
        wait_for(lambda: len(seen) == 2)
        value(cu.cuLaunchHostFunc(0, at, 44))
        wait_for(lambda: len(seen) == 3)
        raw = ctypes.CDLL("libcuda.so.1").cuLaunchHostFunc
        assert raw(ctypes.c_void_p(int(s)), None, None) == 1


@inside_both()
def test_many_threads_at_once():
    errors = []

    def work(context, device, memory, number):
        try:
            value(cu.cuCtxSetCurrent(context))
            with stream() as s, event() as e, pinned(64) as host:
                for i in range(30):
                    mine = memory.address + 64 * number
                    value(cu.cuMemsetD8Async(mine, i, 64, s))
                    value(cu.cuMemcpyDtoHAsync(host, mine, 64, s))
                    value(cu.cuEventRecord(e, s))
                    value((cu.cuEventSynchronize(e), cu.cuCtxSynchronize())[i % 2])
                    assert ctypes.string_at(host, 64) == bytes([i]) * 64
            value(cu.cuCtxPopCurrent())
        except BaseException as error:
            errors.append(error)

    with current(1) as one, current(0) as zero, Mapped(0) as a, Mapped(1) as b:
        threads = [
            threading.Thread(target=work, args=(context, i % 2, (a, b)[i % 2], i))
            for i, context in enumerate([zero, one] * 4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []


@inside_both()
def test_streams_tell_of_themselves():
    with current(1) as context:
        assert value(cu.cuCtxGetStreamPriorityRange()) == (0, -5)
        made = value(cu.cuStreamCreateWithPriority(NON_BLOCKING, -9))
        assert value(cu.cuStreamGetPriority(made)) == -5
        assert value(cu.cuStreamGetFlags(made)) == int(NON_BLOCKING)
        assert int(value(cu.cuStreamGetCtx(made))) == int(context)
        assert int(value(cu.cuStreamGetDevice(made))) == 1
        ids = {value(cu.cuStreamGetId(one)) for one in (made, 0, 1, 2)}
        assert len(ids) == 3
        assert int(value(cu.cuStreamIsCapturing(made))) == 0
        value(cu.cuStreamDestroy(made))
        for lost in (made, 12345):
            assert code(cu.cuStreamSynchronize(lost)) == "INVALID_HANDLE"
            assert code(cu.cuStreamDestroy(lost)) == "INVALID_HANDLE"
            assert code(cu.cuLaunchHostFunc(lost, 1, 0)) == "INVALID_HANDLE"
        assert code(cu.cuStreamDestroy(0)) == "INVALID_HANDLE"
        assert code(cu.cuStreamCreate(8)) == "INVALID_VALUE"


@inside(delayed=True)
def test_work_outlives_its_stream():
    with current(), Mapped() as memory:
        for flags in (BLOCKING, NON_BLOCKING):
            memory.fill(0)
            with stream(flags) as s:
                value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
            assert memory.read() == OLD
            if flags == BLOCKING:
                value(cu.cuStreamSynchronize(0))
            else:
                value(cu.cuCtxSynchronize())
            assert memory.read() == NEW


@inside(delayed=True)
def test_the_end_of_a_context_ends_its_work():
    value(cu.cuInit(0))
    with Mapped() as memory:
        with current(), stream() as s:
            value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
        assert memory.read() == NEW
