"""Work whose memory goes before it runs, and what a test leaves behind."""

import ctypes

import pytest

from .calls import (
    GRANULE,
    NONE,
    Mapped,
    access,
    control,
    cu,
    current,
    pinned,
    prop,
    stream,
    value,
)
from .inside import inside

OLD, NEW = b"\0" * 8, b"\1" * 8


def unmapped(memory):
    value(cu.cuMemUnmap(memory.address, GRANULE))
    value(cu.cuMemMap(memory.address, GRANULE, 0, memory.handle, 0))
    value(cu.cuMemSetAccess(memory.address, GRANULE, [access()], 1))


def closed(memory):
    value(cu.cuMemSetAccess(memory.address, GRANULE, [access(0, NONE)], 1))


@inside(delayed=True)
def test_memory_that_goes_while_work_on_it_is_queued():
    for loss, message in (
        (unmapped, "cuMemUnmap of {:#x} (2097152 bytes of device memory) while queued work {} it"),
        (closed, "queued work on {2:#x} lost its access before it ran"),
    ):
        with current(), Mapped() as memory, Mapped() as target, stream() as s, pinned(8) as host:
            value(cu.cuMemsetD8Async(memory.address, 1, 8, s))
            value(cu.cuMemcpyDtoDAsync(target.address, memory.address, 8, s))
            value(cu.cuMemsetD8Async(target.address + 8, 1, 8, s))
            loss(memory)
            value(cu.cuStreamSynchronize(s))
            assert target.read(16) == OLD + NEW
            value(cu.cuMemSetAccess(memory.address, GRANULE, [access()], 1))
            assert memory.read() == OLD
            assert control().faults() == [
                message.format(memory.address, verb, at)
                for verb, at in (("writes", memory.address), ("reads", target.address))
            ]
            control().clear_faults()
            assert ctypes.string_at(host, 8) == OLD


@inside(delayed=True)
def test_other_memory_that_goes_while_work_on_it_is_queued():
    with current(), Mapped() as memory, stream() as s:
        mine = int(value(cu.cuMemAlloc(64)))
        value(cu.cuMemcpyDtoDAsync(memory.address, mine, 8, s))
        value(cu.cuMemFree(mine))
        with pinned(8) as host:
            value(cu.cuMemcpyHtoDAsync(memory.address, host, 8, s))
        value(cu.cuStreamSynchronize(s))
        assert [line.split(" of")[0] for line in control().faults()] == [
            "cuMemFree",
            "cuMemFreeHost",
        ]
        control().clear_faults()


def test_the_check_of_leaks_sees_one(doubles):
    with pytest.raises(Exception, match=r"left behind: {'memory': 1, 'handles': 1}"):
        doubles.run(leaves_memory, {}, {})
    with pytest.raises(Exception, match=r"left behind: {'faults': 1}, .'cuMemUnmap of"):
        doubles.run(leaves_a_fault, {}, {"delayed": True})


def leaves_memory():
    pass


def leaves_a_fault():
    pass


def _leaves_memory():
    value(cu.cuInit(0))
    value(cu.cuMemCreate(GRANULE, prop(), 0))


def _leaves_a_fault():
    with current(), stream() as s, Mapped() as memory:
        value(cu.cuMemsetD8Async(memory.address, 1, 8, s))


leaves_memory.body, leaves_a_fault.body = _leaves_memory, _leaves_a_fault
