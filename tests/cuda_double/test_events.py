"""Events of one process: recorded, asked about, timed, destroyed."""

from .calls import (
    NO_TIMING,
    SHARED_EVENT,
    Mapped,
    code,
    control,
    cu,
    current,
    event,
    stream,
    value,
)
from .inside import inside, inside_both

TIMED = 0


@inside_both()
def test_an_event_never_recorded_is_reached():
    with current(), event() as e, stream() as s:
        assert code(cu.cuEventQuery(e)) == "SUCCESS"
        value(cu.cuEventSynchronize(e))
        value(cu.cuStreamWaitEvent(s, e, 0))
        value(cu.cuStreamSynchronize(s))


@inside(delayed=True)
def test_a_wait_is_for_the_record_at_the_time_of_the_call():
    with current(), Mapped() as memory, stream() as s, stream() as other, event() as e:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
        value(cu.cuEventRecord(e, s))
        value(cu.cuStreamWaitEvent(other, e, 0))
        value(cu.cuMemsetD8Async(memory.address, 2, 8, s))
        value(cu.cuEventRecord(e, s))
        value(cu.cuStreamSynchronize(other))
        assert memory.read() == b"\1" * 8
        assert code(cu.cuEventQuery(e)) == "NOT_READY"
        value(cu.cuEventSynchronize(e))
        assert memory.read() == b"\2" * 8
        assert code(cu.cuEventQuery(e)) == "SUCCESS"


@inside(delayed=True)
def test_a_destroyed_event_still_orders():
    with current(), Mapped() as memory, stream() as s, stream() as other:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
        with event() as e:
            value(cu.cuEventRecord(e, s))
            value(cu.cuStreamWaitEvent(other, e, 0))
        value(cu.cuStreamSynchronize(other))
        assert memory.read() == b"\1" * 8
        assert code(cu.cuEventQuery(e)) == "INVALID_HANDLE"


@inside_both()
def test_events_between_devices():
    with current(1), stream() as there, event() as e, Mapped(1) as memory:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, there))
        value(cu.cuEventRecord(e, there))
        with current(0), stream() as here:
            assert code(cu.cuEventRecord(e, here)) == "INVALID_HANDLE"
            assert code(cu.cuEventRecord(e, 0)) == "INVALID_HANDLE"
            value(cu.cuStreamWaitEvent(here, e, 0))
            value(cu.cuStreamSynchronize(here))
            assert memory.read() == b"\1" * 8


@inside_both()
def test_elapsed_time():
    with current(), stream() as s, event(TIMED) as a, event(TIMED) as b, event(NO_TIMING) as c:
        assert code(cu.cuEventElapsedTime(a, b)) == "INVALID_HANDLE"
        for e in (a, b, c):
            value(cu.cuEventRecord(e, s))
        assert code(cu.cuEventElapsedTime(a, c)) == "INVALID_HANDLE"
        if control().count("queued"):
            assert code(cu.cuEventElapsedTime(a, b)) == "NOT_READY"
        value(cu.cuEventSynchronize(b))
        assert value(cu.cuEventElapsedTime(a, b)) >= 0
        assert value(cu.cuEventElapsedTime(b, a)) <= 0
        value(cu.cuStreamSynchronize(s))


@inside()
def test_what_events_refuse():
    with current(), event() as e, stream() as s:
        assert code(cu.cuEventCreate(8)) == "INVALID_VALUE"
        interprocess = cu.CUevent_flags.CU_EVENT_INTERPROCESS
        assert code(cu.cuEventCreate(interprocess)) == "INVALID_VALUE"
        assert code(cu.cuIpcGetEventHandle(e)) == "INVALID_HANDLE"
        assert code(cu.cuStreamWaitEvent(s, e, 2)) == "INVALID_VALUE"
        assert code(cu.cuStreamWaitEvent(s, 12345, 0)) == "INVALID_HANDLE"
        assert code(cu.cuEventRecordWithFlags(e, s, 1)) == "INVALID_VALUE"
        value(cu.cuEventRecordWithFlags(e, s, 0))
        assert code(cu.cuEventDestroy(s)) == "INVALID_HANDLE"
        with event(SHARED_EVENT) as shared:
            handle = value(cu.cuIpcGetEventHandle(shared))
            assert code(cu.cuIpcOpenEventHandle(handle)) == "INVALID_CONTEXT"
    assert code(cu.cuEventCreate(0)) == "INVALID_CONTEXT"
