"""Memory of several processes: descriptors, their life, and hostile ones."""

import ctypes
import errno
import mmap
import os
import socket

import pytest

from .calls import (
    FD,
    GRANULE,
    NO_HANDLE,
    Mapped,
    code,
    control,
    cu,
    current,
    export,
    prop,
    value,
)
from .inside import inside
from .keeping import KEPT, drop, keep, other_inode


def listen(path):
    """Be ready to be sent descriptors."""
    KEPT["listener"] = socket.socket(socket.AF_UNIX)
    KEPT["listener"].bind(path)
    KEPT["listener"].listen()


def received():
    """Return the descriptor that waits in the socket."""
    with KEPT.pop("listener") as listener, listener.accept()[0] as connection:
        _, (descriptor,), _, _ = socket.recv_fds(connection, 1, 1)
    return descriptor


def produce(path, byte, device=0):
    """Make memory, send its descriptor, and keep the memory."""
    keep("context", current(device))
    memory = keep("memory", Mapped(device))
    memory.fill(byte)
    descriptor = export(memory.handle)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        socket.send_fds(connection, [b"x"], [descriptor])
    os.close(descriptor)
    return os.getpid()


def take(byte, device=0):
    """Map what waits in the socket, and check what is in it."""
    keep("context", current(device))
    descriptor = received()
    memory = keep("memory", Mapped.opened(descriptor, device))
    os.close(descriptor)
    assert memory.read() == bytes([byte]) * 8
    memory.fill(byte + 1)


def check(byte):
    """Check what is in the memory."""
    assert KEPT["memory"][1].read() == bytes([byte]) * 8


def end():
    """Give everything back, and check that nothing is left."""
    drop(*[name for name in ("memory", "context") if name in KEPT])
    assert control().counts() == {}


def used(number=0):
    """Return the bytes in use on a device."""
    value(cu.cuInit(0))
    return control().used(number)


@pytest.fixture
def pair(doubles, tmp_path):
    """Two processes of one machine, for one test."""
    machine = tmp_path / "machine"
    machine.mkdir()
    made = [doubles.start("spawn", machine=machine) for _ in range(2)]
    yield made
    for worker in made:
        worker.kill()


def test_two_processes_have_the_same_bytes(pair, tmp_path):
    producer, consumer = pair
    consumer.call(listen, str(tmp_path / "s"))
    producer.call(produce, str(tmp_path / "s"), 5)
    consumer.call(take, 5)
    producer.call(check, 6)
    assert producer.call(used) == consumer.call(used) == GRANULE
    producer.call(end)
    consumer.call(check, 6)
    assert producer.call(used) == consumer.call(used) == GRANULE
    consumer.call(end)
    assert producer.call(used) == consumer.call(used) == 0


@pytest.mark.parametrize("when", ["in the socket", "mapped"])
def test_memory_survives_that_its_creator_is_killed(pair, tmp_path, when):
    producer, consumer = pair
    consumer.call(listen, str(tmp_path / "s"))
    producer.call(produce, str(tmp_path / "s"), 5)
    if when == "in the socket":
        producer.kill()
    consumer.call(take, 5)
    producer.kill()
    consumer.call(check, 6)
    assert consumer.call(used) == GRANULE
    consumer.call(end)
    assert consumer.call(used) == 0


def test_a_killed_process_gives_its_memory_back(pair, tmp_path):
    producer, consumer = pair
    producer.call(hold, 3, 0)
    producer.call(hold, 1, 1)
    assert [consumer.call(used, i) for i in (0, 1)] == [3 * GRANULE, GRANULE]
    producer.kill()
    assert [consumer.call(used, i) for i in (0, 1)] == [0, 0]


def hold(count, device):
    """Make allocations and keep them."""
    value(cu.cuInit(0))
    for _ in range(count):
        value(cu.cuMemCreate(GRANULE, prop(device), 0))


def test_the_memory_of_a_device_is_every_processes(doubles, tmp_path):
    first, second = (doubles.start(machine=tmp_path, memory=4 * GRANULE) for _ in range(2))
    with first, second:
        first.call(hold, 3, 0)
        assert second.call(free) == (GRANULE, 4 * GRANULE)
        second.call(hold, 1, 0)
        assert second.call(refused) == ["OUT_OF_MEMORY"] * 2
        second.call(hold, 4, 1)
        first.kill()
        second.call(hold, 3, 0)
        assert second.call(free) == (0, 4 * GRANULE)


def free():
    """Return what is free on the first device, and what it has."""
    with current():
        return value(cu.cuMemGetInfo())


def refused():
    """Return how the driver refuses memory."""
    with current():
        return [code(cu.cuMemCreate(GRANULE, prop(), 0)), code(cu.cuMemAlloc(1))]


def test_devices_have_other_numbers_elsewhere(doubles, tmp_path):
    producer = doubles.start(devices=3, machine=tmp_path)
    consumer = doubles.start(devices=3, machine=tmp_path, visible="2,1")
    blind = doubles.start(devices=3, machine=tmp_path, visible="0")
    with producer, consumer, blind:
        for other in (consumer, blind):
            other.call(listen, str(tmp_path / f"s{other.pid}"))
            producer.call(produce, str(tmp_path / f"s{other.pid}"), 5, 2)
            producer.call(end)
        assert consumer.call(device_of_received) == 0
        assert blind.call(device_of_received) == "INVALID_DEVICE"


def device_of_received():
    """Return the device of what waits in the socket, or how it is refused."""
    value(cu.cuInit(0))
    descriptor = received()
    answer = cu.cuMemImportFromShareableHandle(descriptor, FD)
    os.close(descriptor)
    if answer[0]:
        return code(answer)
    told = value(cu.cuMemGetAllocationPropertiesFromHandle(answer[1]))
    value(cu.cuMemRelease(answer[1]))
    return told.location.id


@inside()
def test_a_descriptor_cannot_be_mapped_or_read():
    with current(), Mapped() as memory:
        descriptor = export(memory.handle)
        with pytest.raises((OSError, ValueError)):
            mmap.mmap(descriptor, GRANULE)
        for use in (
            lambda: os.read(descriptor, 1),
            lambda: os.write(descriptor, b"x"),
            lambda: os.ftruncate(descriptor, 0),
        ):
            with pytest.raises(OSError) as error:
                use()
            assert error.value.errno in (errno.EBADF, errno.EINVAL)
        assert not os.get_inheritable(descriptor)
        os.close(descriptor)


@inside()
def test_every_descriptor_leads_to_the_same_memory():
    value(cu.cuInit(0))
    before = len(os.listdir("/proc/self/fd"))
    with current(), Mapped() as memory:
        free, _ = value(cu.cuMemGetInfo())
        one, two = export(memory.handle), export(memory.handle)
        assert one != two
        with Mapped.opened(one) as first, Mapped.opened(two) as second:
            os.close(one)
            os.close(two)
            memory.fill(3)
            assert first.read() == second.read() == b"\3" * 8
            assert value(cu.cuMemGetInfo())[0] == free
            assert int(first.handle) != int(second.handle)
    assert len(os.listdir("/proc/self/fd")) == before


@inside()
def test_what_cannot_be_exported():
    value(cu.cuInit(0))
    private = value(cu.cuMemCreate(GRANULE, prop(0, NO_HANDLE), 0))
    assert code(cu.cuMemExportToShareableHandle(private, FD, 0)) == "INVALID_VALUE"
    value(cu.cuMemRelease(private))
    assert code(cu.cuMemExportToShareableHandle(private, FD, 0)) == "INVALID_VALUE"
    shared = value(cu.cuMemCreate(GRANULE, prop(), 0))
    assert code(cu.cuMemExportToShareableHandle(shared, FD, 1)) == "INVALID_VALUE"
    value(cu.cuMemRelease(shared))


def impostor(name, size, seal):
    """Return a memfd that looks like device memory."""
    descriptor = os.memfd_create(name, os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    if seal:
        add_seals, shrink_and_grow = 1033, 6
        import fcntl

        fcntl.fcntl(descriptor, add_seals, shrink_and_grow)
    return descriptor


@inside()
def test_hostile_descriptors_are_refused_without_a_wait(tmp_path):
    value(cu.cuInit(0))
    uuid = bytes(value(cu.cuDeviceGetUuid(0)).bytes).hex()
    mark = f"sharedarray-cuda-double:{uuid}:{GRANULE:x}"
    fifo, file = tmp_path / "fifo", tmp_path / "file"
    os.mkfifo(fifo)
    file.write_bytes(b"\0" * 100)
    ends, pipe = socket.socketpair(), os.pipe()
    hostile = [
        os.open(fifo, os.O_PATH),
        os.open(file, os.O_RDWR),
        os.open(file, os.O_PATH),
        os.open(tmp_path, os.O_RDONLY),
        os.open("/dev/zero", os.O_RDWR),
        os.open("/dev/tty", os.O_PATH),
        *[end.detach() for end in ends],
        *pipe,
        impostor("some", GRANULE, True),
        impostor(mark, GRANULE, False),
        impostor(mark, 4096, True),
        impostor(f"{mark}x", GRANULE, True),
        impostor(mark.replace("da0b", "ffff"), GRANULE, True),
        impostor(f"sharedarray-cuda-double:{uuid}:1000", 4096, True),
        impostor("sharedarray-cuda-double:event", GRANULE, True),
    ]
    for descriptor in [*hostile, 0xFFFFFFFF, 1 << 20]:
        answer = cu.cuMemImportFromShareableHandle(descriptor, FD)
        assert code(answer) == "INVALID_VALUE", descriptor
    for descriptor in hostile:
        os.close(descriptor)


def send_memory(size):
    """Make memory of cuMemAlloc and return its interprocess handle."""
    keep("context", current())
    KEPT["address"] = int(value(cu.cuMemAlloc(size)))
    ctypes.memset(KEPT["address"], 4, size)
    return ctypes.string_at(value(cu.cuIpcGetMemHandle(KEPT["address"])).getPtr(), 64)


def open_memory(raw):
    """Open an interprocess handle, read it and close it; how it went."""
    handle = cu.CUipcMemHandle()
    ctypes.memmove(handle.getPtr(), raw, 64)
    with current():
        answer = cu.cuIpcOpenMemHandle(handle, 1)
        if answer[0]:
            return code(answer)
        text = ctypes.string_at(int(answer[1]), 4)
        assert control().count("imports") == 1
        value(cu.cuIpcCloseMemHandle(answer[1]))
        return text


def test_legacy_handles(pair):
    producer, consumer = pair
    raw = producer.call(send_memory, 100)
    assert consumer.call(open_memory, raw) == b"\4" * 4
    assert producer.call(open_memory, raw) == "INVALID_CONTEXT"
    for wrong in (bytes(64), other_inode(raw)):
        assert consumer.call(open_memory, wrong) == "INVALID_VALUE"
    producer.kill()
    assert consumer.call(open_memory, raw) == "INVALID_VALUE"


@inside()
def test_legacy_handles_are_not_for_virtual_memory():
    with current(), Mapped() as memory:
        assert code(cu.cuIpcGetMemHandle(memory.address)) == "INVALID_VALUE"
