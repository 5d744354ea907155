"""The driver through cuda.bindings, with what several tests of the double need of it."""

import contextlib
import ctypes
import functools

from cuda.bindings import driver as cu

from . import Control

MiB = 1 << 20
GRANULE = 2 * MiB
FD = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
NO_HANDLE = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_NONE
NONE = cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_NONE
READ = cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READ
READ_WRITE = cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
NON_BLOCKING = cu.CUstream_flags.CU_STREAM_NON_BLOCKING
NO_TIMING = cu.CUevent_flags.CU_EVENT_DISABLE_TIMING
SHARED_EVENT = NO_TIMING | cu.CUevent_flags.CU_EVENT_INTERPROCESS


class DriverError(AssertionError):
    """A call that had to succeed did not; the message is the code's name."""


def value(answer):
    """Return what a call gave; raises `DriverError` with the code's name if it failed."""
    rc, *values = answer
    if rc:
        raise DriverError(rc.name)
    return values[0] if len(values) == 1 else tuple(values) or None


def code(answer):
    """Return the name of the code without ``CUDA_ERROR_`` (``CUDA_SUCCESS`` is ``SUCCESS``)."""
    return answer[0].name.removeprefix("CUDA_ERROR_").removeprefix("CUDA_")


@functools.cache
def control():
    """Return the double's `Control`."""
    return Control(ctypes.CDLL("libcuda.so.1"))


@contextlib.contextmanager
def current(device=0):
    """Make the primary context of the device current."""
    value(cu.cuInit(0))
    context = value(cu.cuDevicePrimaryCtxRetain(device))
    value(cu.cuCtxPushCurrent(context))
    try:
        yield context
    finally:
        value(cu.cuCtxPopCurrent())
        value(cu.cuDevicePrimaryCtxRelease(device))


def prop(device=0, handle=FD):
    """Return the properties of an allocation."""
    made = cu.CUmemAllocationProp()
    made.type = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    made.requestedHandleTypes = handle
    made.location.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    made.location.id = device
    return made


def access(device=0, flags=READ_WRITE):
    """Return the description of a device's access."""
    made = cu.CUmemAccessDesc()
    made.location.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    made.location.id = device
    made.flags = flags
    return made


def export(handle):
    """Return a new descriptor of the allocation."""
    return int(value(cu.cuMemExportToShareableHandle(handle, FD, 0)))


class Mapped:
    """
    Device memory at an address of its own, accessible to the device.

    Parameters
    ----------
    device : int
    size : int
    handle : CUmemGenericAllocationHandle, optional
        An allocation that is taken over; a new one by default.
    """

    def __init__(self, device=0, size=GRANULE, handle=None):
        self.device, self.size = device, size
        self.handle = value(cu.cuMemCreate(size, prop(device), 0)) if handle is None else handle
        self.address = int(value(cu.cuMemAddressReserve(size, 0, 0, 0)))
        value(cu.cuMemMap(self.address, size, 0, self.handle, 0))
        value(cu.cuMemSetAccess(self.address, size, [access(device)], 1))

    @classmethod
    def opened(cls, descriptor, device=0, size=GRANULE):
        """Map what a descriptor leads to."""
        handle = value(cu.cuMemImportFromShareableHandle(descriptor, FD))
        return cls(device, size, handle)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        value(cu.cuMemUnmap(self.address, self.size))
        value(cu.cuMemAddressFree(self.address, self.size))
        value(cu.cuMemRelease(self.handle))

    def read(self, size=8, offset=0):
        """Return bytes of it as the host sees them now."""
        return ctypes.string_at(self.address + offset, size)

    def fill(self, byte):
        """Make all bytes the same, from the host."""
        ctypes.memset(self.address, byte, self.size)


@contextlib.contextmanager
def pinned(size):
    """Give the address of pinned host memory."""
    address = int(value(cu.cuMemAllocHost(size)))
    ctypes.memset(address, 0, size)
    try:
        yield address
    finally:
        value(cu.cuMemFreeHost(address))


@contextlib.contextmanager
def stream(flags=NON_BLOCKING):
    """Give a new stream."""
    made = value(cu.cuStreamCreate(flags))
    try:
        yield made
    finally:
        value(cu.cuStreamDestroy(made))


@contextlib.contextmanager
def event(flags=NO_TIMING):
    """Give a new event."""
    made = value(cu.cuEventCreate(flags))
    try:
        yield made
    finally:
        value(cu.cuEventDestroy(made))
