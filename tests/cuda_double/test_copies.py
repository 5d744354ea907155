"""Copies and fills: what they do, and what they refuse."""

import ctypes

from .calls import (
    GRANULE,
    Mapped,
    access,
    code,
    control,
    cu,
    current,
    pinned,
    prop,
    value,
)
from .inside import inside, inside_both

PAGEABLE = 1 << 16


@inside_both()
def test_every_copy_moves_the_bytes():
    with current(0), Mapped(0) as a, Mapped(1) as b, pinned(64) as host:
        with current(1) as one, current(0) as zero:
            buffer = bytearray(8)
            for i, there_and_back in enumerate(
                (
                    lambda x: (
                        cu.cuMemcpyHtoD(a.address, x, 8),
                        cu.cuMemcpyDtoH(buffer, a.address, 8),
                    ),
                    lambda x: (
                        cu.cuMemcpyHtoDAsync(a.address, x, 8, 0),
                        cu.cuMemcpyDtoD(b.address, a.address, 8),
                        cu.cuMemcpyDtoH(buffer, b.address, 8),
                    ),
                    lambda x: (
                        cu.cuMemcpyHtoD(a.address, x, 8),
                        cu.cuMemcpyPeer(b.address, one, a.address, zero, 8),
                        cu.cuMemcpyPeerAsync(a.address + 64, zero, b.address, one, 8, 0),
                        cu.cuMemcpyDtoHAsync(buffer, a.address + 64, 8, 0),
                    ),
                    lambda x: (
                        cu.cuMemcpyHtoD(host, x, 8),
                        cu.cuMemcpyAsync(a.address, host, 8, 0),
                        cu.cuMemcpyDtoDAsync(a.address + 4096, a.address, 8, 0),
                        cu.cuMemcpyAsync(host + 32, a.address + 4096, 8, 0),
                        cu.cuMemcpy(b.address, host + 32, 8),
                        cu.cuMemcpyDtoH(buffer, b.address, 8),
                    ),
                )
            ):
                text = b"bytes %2d" % i
                for answer in there_and_back(text):
                    value(answer)
                assert buffer == text, i


@inside_both()
def test_every_fill_fills():
    with current(0), Mapped() as memory, pinned(64) as host:
        at, buffer = memory.address, bytearray(8)
        for fill, at_once in (
            (cu.cuMemsetD8Async, cu.cuMemsetD8),
            (cu.cuMemsetD16Async, cu.cuMemsetD16),
            (cu.cuMemsetD32Async, cu.cuMemsetD32),
        ):
            value(at_once(at, 0x41, 8))
            value(fill(at + 4, 0x42, 1, 0))
            value(cu.cuMemcpyDtoH(buffer, at, 8))
            width = {"D8": 1, "D16": 2, "D32": 4}[at_once.__name__.removeprefix("cuMemset")]
            one = bytes([0x41]).ljust(width, b"\0")
            expected = bytearray(one * (8 // width))
            expected[4 : 4 + width] = bytes([0x42]).ljust(width, b"\0")
            assert buffer == expected, width
            value(at_once(host, 0x43, 2))
            assert ctypes.string_at(host, width) == bytes([0x43]).ljust(width, b"\0")
        assert code(cu.cuMemsetD16(at + 1, 0, 1)) == "INVALID_VALUE"
        assert code(cu.cuMemsetD32(at + 2, 0, 1)) == "INVALID_VALUE"
        assert code(cu.cuMemsetD32(at, 0, 1 << 62)) == "INVALID_VALUE"
        assert code(cu.cuMemsetD8(PAGEABLE, 0, 1)) == "INVALID_VALUE"
        value(cu.cuMemsetD8(at, 0, 0))


@inside_both()
def test_what_lies_in_no_mapping_is_no_device_memory():
    with current(0), Mapped() as memory:
        buffer = bytearray(16)
        end = memory.address + GRANULE
        for address, size in (
            (end - 8, 16),
            (end, 1),
            (memory.address - 8, 16),
            (PAGEABLE, 8),
            (0, 8),
            ((1 << 64) - 8, 8),
        ):
            assert code(cu.cuMemcpyHtoD(address, buffer, size)) == "INVALID_VALUE"
            assert code(cu.cuMemcpyDtoHAsync(buffer, address, size, 0)) == "INVALID_VALUE"
            assert code(cu.cuMemcpyDtoD(memory.address, address, size)) == "INVALID_VALUE"
            assert code(cu.cuMemsetD8Async(address, 1, size, 0)) == "INVALID_VALUE"
        assert code(cu.cuMemcpyDtoH(0, memory.address, 8)) == "INVALID_VALUE"
        value(cu.cuMemcpyDtoH(buffer, end - 8, 8))
        value(cu.cuMemcpyDtoH(0, 0, 0))
        two = value(cu.cuMemAddressReserve(2 * GRANULE, 0, 0, 0))
        assert code(cu.cuMemcpyHtoD(two, buffer, 8)) == "INVALID_VALUE"
        value(cu.cuMemMap(two, GRANULE, 0, memory.handle, 0))
        assert code(cu.cuMemcpyHtoD(two, buffer, 8)) == "INVALID_VALUE"
        value(cu.cuMemUnmap(two, GRANULE))
        value(cu.cuMemAddressFree(two, 2 * GRANULE))


@inside()
def test_copies_need_a_context():
    value(cu.cuInit(0))
    with Mapped() as memory:
        assert code(cu.cuMemcpyHtoD(memory.address, b"12345678", 8)) == "INVALID_CONTEXT"
        assert code(cu.cuMemsetD8Async(memory.address, 1, 8, 0)) == "INVALID_CONTEXT"
        with current(1) as one:
            answer = cu.cuMemcpyPeer(memory.address, one, memory.address, 0, 8)
            assert code(answer) == "INVALID_CONTEXT"
        assert code(cu.cuMemAlloc(8)) == "INVALID_CONTEXT"
        assert code(cu.cuMemGetInfo()) == "INVALID_CONTEXT"


@inside()
def test_a_copy_crosses_neighbouring_mappings():
    with current(0):
        handle = value(cu.cuMemCreate(GRANULE, prop(), 0))
        address = int(value(cu.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)))
        for i in (0, 1):
            value(cu.cuMemMap(address + i * GRANULE, GRANULE, 0, handle, 0))
        value(cu.cuMemSetAccess(address, 2 * GRANULE, [access()], 1))
        value(cu.cuMemcpyHtoD(address + GRANULE - 4, b"abcdefgh", 8))
        value(cu.cuCtxSynchronize())
        assert ctypes.string_at(address, 4) == b"efgh"
        value(cu.cuMemUnmap(address, 2 * GRANULE))
        value(cu.cuMemAddressFree(address, 2 * GRANULE))
        value(cu.cuMemRelease(handle))


@inside()
def test_pinned_memory():
    with current(0), pinned(100) as host:
        assert int(value(cu.cuMemHostGetDevicePointer(host, 0))) == host
        assert value(cu.cuMemHostGetFlags(host)) == 0
        assert code(cu.cuMemHostRegister(host, 10, 0)) == "HOST_MEMORY_ALREADY_REGISTERED"
        assert code(cu.cuMemHostUnregister(host)) == "HOST_MEMORY_NOT_REGISTERED"
        assert code(cu.cuMemFreeHost(host + 1)) == "INVALID_VALUE"
        assert code(cu.cuMemAllocHost(0)) == "INVALID_VALUE"
        assert code(cu.cuMemHostAlloc(8, 1 << 10)) == "INVALID_VALUE"
        buffer = ctypes.create_string_buffer(1 << 14)
        at = ctypes.addressof(buffer)
        value(cu.cuMemHostRegister(at, 1 << 14, 1))
        assert code(cu.cuMemHostRegister(at + 8, 8, 0)) == "HOST_MEMORY_ALREADY_REGISTERED"
        assert code(cu.cuMemFreeHost(at)) == "INVALID_VALUE"
        kind = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        assert int(value(cu.cuPointerGetAttribute(kind, at + 5))) == 1
        value(cu.cuMemHostUnregister(at))
        assert control().count("pinned") == 1


@inside()
def test_memory_of_a_context():
    with current(0):
        free, _ = value(cu.cuMemGetInfo())
        address = int(value(cu.cuMemAlloc(100000)))
        assert free - value(cu.cuMemGetInfo())[0] >= 100000
        value(cu.cuMemsetD8(address, 3, 100000))
        assert code(cu.cuMemsetD8(address, 3, 100001)) == "INVALID_VALUE"
        assert code(cu.cuMemFree(address + 8)) == "INVALID_VALUE"
        assert code(cu.cuMemUnmap(address, 100000)) == "INVALID_VALUE"
        assert code(cu.cuMemAlloc(0)) == "INVALID_VALUE"
        value(cu.cuMemFree(address))
        assert code(cu.cuMemFree(address)) == "INVALID_VALUE"
        value(cu.cuMemFree(0))
        assert value(cu.cuMemGetInfo())[0] == free
