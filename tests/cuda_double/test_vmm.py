"""Virtual memory management: the life of allocations and mappings, and every misuse."""

import ctypes

import pytest

from tests.harness.script import run_script

from . import environment
from .calls import (
    FD,
    GRANULE,
    NO_HANDLE,
    NONE,
    READ,
    READ_WRITE,
    Mapped,
    access,
    code,
    control,
    cu,
    current,
    prop,
    value,
)
from .inside import inside, inside_both

P = cu.CUpointer_attribute


def reserved(size=GRANULE, alignment=0):
    """Return a new reserved range."""
    return int(value(cu.cuMemAddressReserve(size, alignment, 0, 0)))


@inside_both()
def test_bytes_stay_through_mappings():
    with current(), Mapped() as first:
        first.fill(7)
        again = reserved()
        value(cu.cuMemMap(again, GRANULE, 0, first.handle, 0))
        value(cu.cuMemSetAccess(again, GRANULE, [access()], 1))
        assert ctypes.string_at(again, 4) == b"\7" * 4
        ctypes.memset(again, 9, GRANULE)
        assert first.read(4) == b"\t" * 4
        value(cu.cuMemUnmap(again, GRANULE))
        value(cu.cuMemAddressFree(again, GRANULE))
        assert first.read(4) == b"\t" * 4


@inside()
def test_memory_lives_until_handles_and_mappings_are_gone():
    with current():
        free, total = value(cu.cuMemGetInfo())
        assert free == total
        handle = value(cu.cuMemCreate(GRANULE, prop(), 0))
        address = reserved()
        value(cu.cuMemMap(address, GRANULE, 0, handle, 0))
        value(cu.cuMemSetAccess(address, GRANULE, [access()], 1))
        value(cu.cuMemRelease(handle))
        assert code(cu.cuMemRelease(handle)) == "INVALID_VALUE"
        assert value(cu.cuMemGetInfo())[0] == free - GRANULE
        ctypes.memset(address, 5, GRANULE)
        again = value(cu.cuMemRetainAllocationHandle(address + 100))
        value(cu.cuMemUnmap(address, GRANULE))
        assert value(cu.cuMemGetInfo())[0] == free - GRANULE
        value(cu.cuMemMap(address, GRANULE, 0, again, 0))
        value(cu.cuMemSetAccess(address, GRANULE, [access()], 1))
        assert ctypes.string_at(address, 2) == b"\5\5"
        value(cu.cuMemUnmap(address, GRANULE))
        value(cu.cuMemRelease(again))
        assert value(cu.cuMemGetInfo())[0] == free
        value(cu.cuMemAddressFree(address, GRANULE))


@inside()
def test_what_cannot_be_made():
    value(cu.cuInit(0))
    wrong = prop()
    wrong.type = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_INVALID
    assert code(cu.cuMemCreate(GRANULE, wrong, 0)) == "INVALID_VALUE"
    for size in (0, 1, GRANULE - 4096, GRANULE + 1):
        assert code(cu.cuMemCreate(size, prop(), 0)) == "INVALID_VALUE"
    assert code(cu.cuMemCreate(GRANULE, prop(), 1)) == "INVALID_VALUE"
    assert code(cu.cuMemCreate(GRANULE, prop(2), 0)) == "INVALID_DEVICE"
    fabric = prop(0, cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_FABRIC)
    assert code(cu.cuMemCreate(GRANULE, fabric, 0)) == "NOT_SUPPORTED"
    assert code(cu.cuMemCreate(1 << 50, prop(), 0)) == "OUT_OF_MEMORY"
    for option in cu.CUmemAllocationGranularity_flags:
        assert value(cu.cuMemGetAllocationGranularity(prop(), option)) == GRANULE
    assert code(cu.cuMemGetAllocationGranularity(wrong, option)) == "INVALID_VALUE"


@inside()
def test_what_cannot_be_reserved_or_freed():
    value(cu.cuInit(0))
    for size, alignment, flags in ((0, 0, 0), (100, 0, 0), (GRANULE, 3, 0), (GRANULE, 0, 1)):
        assert code(cu.cuMemAddressReserve(size, alignment, 0, flags)) == "INVALID_VALUE"
    assert code(cu.cuMemAddressReserve(1 << 62, 0, 0, 0)) == "OUT_OF_MEMORY"
    aligned = reserved(2 * GRANULE, 1 << 30)
    assert aligned % (1 << 30) == 0
    for address, size in (
        (aligned, GRANULE),
        (aligned + GRANULE, GRANULE),
        (aligned, 3 * GRANULE),
        (0, GRANULE),
        (1 << 63, GRANULE),
    ):
        assert code(cu.cuMemAddressFree(address, size)) == "INVALID_VALUE"
    with Mapped() as memory:
        assert code(cu.cuMemAddressFree(memory.address, GRANULE)) == "INVALID_VALUE"
    value(cu.cuMemAddressFree(aligned, 2 * GRANULE))
    assert code(cu.cuMemAddressFree(aligned, 2 * GRANULE)) == "INVALID_VALUE"


@inside()
def test_what_cannot_be_mapped():
    value(cu.cuInit(0))
    handle = value(cu.cuMemCreate(2 * GRANULE, prop(), 0))
    address = reserved(3 * GRANULE)
    for at, size, offset, what, flags in (
        (address, 2 * GRANULE, 0, handle, 1),
        (address, 2 * GRANULE, 0, int(handle) + 1, 0),
        (address, GRANULE, 0, handle, 0),
        (address, GRANULE, GRANULE, handle, 0),
        (address, 2 * GRANULE, GRANULE, handle, 0),
        (address + 4096, 2 * GRANULE, 0, handle, 0),
        (address + 2 * GRANULE, 2 * GRANULE, 0, handle, 0),
        (0, 2 * GRANULE, 0, handle, 0),
        (GRANULE, 2 * GRANULE, 0, handle, 0),
    ):
        assert code(cu.cuMemMap(at, size, offset, what, flags)) == "INVALID_VALUE"
    value(cu.cuMemMap(address, 2 * GRANULE, 0, handle, 0))
    for at in (address, address + GRANULE):
        assert code(cu.cuMemMap(at, 2 * GRANULE, 0, handle, 0)) == "INVALID_VALUE"
    for at, size in (
        (address, GRANULE),
        (address + GRANULE, GRANULE),
        (address, 3 * GRANULE),
        (address + 2 * GRANULE, GRANULE),
        (address, 0),
        (0, GRANULE),
    ):
        assert code(cu.cuMemUnmap(at, size)) == "INVALID_VALUE"
        assert code(cu.cuMemSetAccess(at, size, [access()], 1)) == "INVALID_VALUE"
    value(cu.cuMemUnmap(address, 2 * GRANULE))
    assert code(cu.cuMemUnmap(address, 2 * GRANULE)) == "INVALID_VALUE"
    assert code(cu.cuMemRetainAllocationHandle(address)) == "INVALID_VALUE"
    value(cu.cuMemAddressFree(address, 3 * GRANULE))
    value(cu.cuMemRelease(handle))


@inside()
def test_neighbours_are_unmapped_together():
    value(cu.cuInit(0))
    handle = value(cu.cuMemCreate(GRANULE, prop(), 0))
    address = reserved(3 * GRANULE)
    for i in (0, 1, 2):
        value(cu.cuMemMap(address + i * GRANULE, GRANULE, 0, handle, 0))
    value(cu.cuMemSetAccess(address, 3 * GRANULE, [access()], 1))
    value(cu.cuMemUnmap(address + GRANULE, GRANULE))
    assert code(cu.cuMemUnmap(address, 3 * GRANULE)) == "INVALID_VALUE"
    value(cu.cuMemUnmap(address, GRANULE))
    value(cu.cuMemMap(address + GRANULE, GRANULE, 0, handle, 0))
    value(cu.cuMemUnmap(address + GRANULE, 2 * GRANULE))
    value(cu.cuMemRelease(handle))
    value(cu.cuMemAddressFree(address, 3 * GRANULE))


@inside()
def test_access_is_given_device_by_device():
    with current(0), Mapped() as memory:

        def granted():
            found = []
            for i in (0, 1):
                found.append(value(cu.cuMemGetAccess(access(i).location, memory.address)))
            return found

        assert granted() == [3, 0]
        value(cu.cuMemSetAccess(memory.address, GRANULE, [access(1, READ)], 1))
        assert granted() == [3, 1]
        value(cu.cuMemSetAccess(memory.address, GRANULE, [access(0, NONE), access(1)], 2))
        assert granted() == [0, 3]
        assert code(cu.cuMemsetD8(memory.address, 1, 8)) == "INVALID_VALUE"
        with current(1):
            value(cu.cuMemsetD8(memory.address, 1, 8))
        value(cu.cuMemSetAccess(memory.address, GRANULE, [access(1, READ)], 1))
        with current(1):
            value(cu.cuMemcpyDtoH((buffer := bytearray(8)), memory.address, 8))
            assert buffer == b"\1" * 8
            assert code(cu.cuMemcpyHtoD(memory.address, b"12345678", 8)) == "INVALID_VALUE"
        assert code(cu.cuMemSetAccess(memory.address, GRANULE, [access(7)], 1)) == "INVALID_DEVICE"
        host = access()
        host.location.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST
        assert code(cu.cuMemSetAccess(memory.address, GRANULE, [host], 1)) == "NOT_SUPPORTED"


@inside(read_access=False)
def test_a_driver_that_grants_no_read_access_alone():
    with current(0), Mapped() as memory:
        for device in (0, 1):
            answer = cu.cuMemSetAccess(memory.address, GRANULE, [access(device, READ)], 1)
            assert code(answer) == "NOT_SUPPORTED"
        value(cu.cuMemSetAccess(memory.address, GRANULE, [access(1)], 1))


@inside(peers="none")
def test_no_access_for_a_device_that_does_not_reach_the_memory():
    with current(0), Mapped() as memory:
        answer = cu.cuMemSetAccess(memory.address, GRANULE, [access(0), access(1)], 2)
        assert code(answer) == "INVALID_DEVICE"
        value(cu.cuMemSetAccess(memory.address, GRANULE, [access(1, NONE)], 1))


@inside()
def test_what_a_pointer_tells():
    with current(1) as context, Mapped(1, 2 * GRANULE) as memory:
        names = [
            "MEMORY_TYPE",
            "DEVICE_ORDINAL",
            "RANGE_START_ADDR",
            "RANGE_SIZE",
            "MAPPING_BASE_ADDR",
            "MAPPING_SIZE",
            "IS_LEGACY_CUDA_IPC_CAPABLE",
            "ALLOWED_HANDLE_TYPES",
        ]
        attributes = [getattr(P, f"CU_POINTER_ATTRIBUTE_{name}") for name in names]

        def told(address):
            found = value(cu.cuPointerGetAttributes(len(names), attributes, address))
            return [int(one) for one in found]

        start, size = memory.address, 2 * GRANULE
        assert told(start + 5) == [2, 1, start, size, start, size, 0, 1]
        assert told(1 << 20) == [0, -2, 0, 0, 0, 0, 0, 0]
        kind = P.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        assert code(cu.cuPointerGetAttribute(kind, 1 << 20)) == "INVALID_VALUE"
        mine = value(cu.cuMemAlloc(100))
        owner = value(cu.cuPointerGetAttribute(P.CU_POINTER_ATTRIBUTE_CONTEXT, mine))
        assert int(owner) == int(context)
        base, size = value(cu.cuMemGetAddressRange(int(mine) + 99))
        assert (int(base), size) == (int(mine), 100)
        assert code(cu.cuMemGetAddressRange(1 << 20)) == "NOT_FOUND"
        value(cu.cuMemFree(mine))


@inside()
def test_properties_come_back_with_the_handle():
    value(cu.cuInit(0))
    for handles in (FD, NO_HANDLE):
        handle = value(cu.cuMemCreate(GRANULE, prop(1, handles), 0))
        told = value(cu.cuMemGetAllocationPropertiesFromHandle(handle))
        assert (told.location.id, told.requestedHandleTypes) == (1, handles)
        value(cu.cuMemRelease(handle))
        answer = cu.cuMemGetAllocationPropertiesFromHandle(handle)
        assert code(answer) == "INVALID_VALUE"


TOUCH = """
    import ctypes
    from tests.cuda_double.calls import *
    with current():
        memory = Mapped()
        {change}
        ctypes.{touch}
"""


@pytest.mark.parametrize(
    ("change", "touch", "signal"),
    [
        ("", "memset(memory.address, 1, 8)", 0),
        ("value(cu.cuMemUnmap(memory.address, GRANULE))", "string_at(memory.address, 8)", 11),
        (
            "value(cu.cuMemSetAccess(memory.address, GRANULE, [access(0, NONE)], 1))",
            "string_at(memory.address, 8)",
            11,
        ),
        (
            "value(cu.cuMemSetAccess(memory.address, GRANULE, [access(0, READ)], 1))",
            "string_at(memory.address, 8)",
            0,
        ),
        (
            "value(cu.cuMemSetAccess(memory.address, GRANULE, [access(0, READ)], 1))",
            "memset(memory.address, 1, 8)",
            11,
        ),
    ],
)
def test_the_host_may_do_what_the_devices_may(doubles, change, touch, signal):
    code = TOUCH.format(change=change or "pass", touch=touch)
    assert run_script(code, env=environment()).rc == -signal


@inside()
def test_the_access_flags_are_the_headers():
    assert (int(NONE), int(READ), int(READ_WRITE)) == (0, 1, 3)
    assert control().version == 1
