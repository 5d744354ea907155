"""Devices that reach each other or do not, memory let go of under work, senders that are busy."""

import os

import pytest

from tests.harness import procfs

from .machines import processes

pytestmark = pytest.mark.gpu

ALL_WAYS = """
from tests.cuda_double import control
x = xp.asarray(np.arange(300_000.0), device="cuda:0")
y = keep["y"] = (x + 1).to_device("cuda:1")
back = y.to_device("cuda:0")
into = xp.zeros(300_000, device="cuda:1")
into.copy_(x)
steps = xp.asarray(x[::3], device="cuda:1")
found = [float(one[-1]) for one in (y, back, into, steps)]
return found, float(xp.sum(y - 1)), list(control().faults())
"""


@pytest.mark.parametrize("delayed", [False, True])
@pytest.mark.parametrize("peers", ["none", "0-1", "all"])
def test_copies_go_between_devices_that_cannot_reach_each_other(peers, delayed):
    settings = {"peers": peers, "delayed": delayed}
    with processes(settings, settings) as (maker, user):
        last = [300_000.0, 300_000.0, 299_999.0, 299_997.0]
        assert maker.run(ALL_WAYS) == (last, 300_000 * 299_999 / 2, [])
        message = maker.get("bytes(keep['y'].handle())")
        assert user.run(
            "z = xp.from_handle(xp.Handle.from_bytes(message))\nz += 1\n"
            "return str(z.device), float(z.to_device('cuda:0')[-1])",
            message=message,
        ) == ("cuda:1", 300_001.0)
        user.run("xp.cuda.synchronize(1)")
        assert maker.get("float(keep['y'][-1])") == 300_001.0


# Another library's order, as of CuPy's kernels, which nothing here waits for.
FILL = """
from tests.cuda_double import control
from tests.gpu import machine
def fill(x, value):
    driver = machine.Driver(x.device.index)
    driver("cuMemsetD8Async", x.storage().data_ptr(), value, x.storage().nbytes, 0)
    return control().count("queued")
"""
LET_GO = f"""{FILL}
queued = []
for size in (100, 5 << 20, 50 << 20):
    x = xp.empty(size, dtype="u1", device="cuda:0")
    y = xp.asarray(np.ones(size, "u1"), device="cuda:1")
    queued.append(fill(x, 3))
    del x, y
    gc.collect()
    xp.empty_cache()
counts = control().counts()
return queued, counts.get("mappings", 0), counts.get("memory", 0), list(control().faults())
"""


@pytest.mark.parametrize("delayed", [False, True])
def test_memory_is_not_unmapped_under_work(delayed):
    with processes({"delayed": delayed}) as (worker,):
        queued, mappings, memory, faults = worker.run(LET_GO)
    assert all(queued) is delayed  # so there was something to wait for
    assert (mappings, memory, faults) == (0, 0, [])


def test_a_receivers_mapping_is_not_unmapped_under_work_either():
    with processes({}, {"delayed": True}) as (maker, user):
        message = maker.run(
            "keep['x'] = xp.zeros(5 << 20, dtype='u1', device='cuda:0')\n"
            "return bytes(keep['x'].handle())"
        )
        assert user.run(
            FILL + "x = xp.from_handle(xp.Handle.from_bytes(message))\nqueued = fill(x, 9)\n"
            "del x\ngc.collect()\nxp.empty_cache()\n"
            "return queued > 0, control().counts().get('mappings', 0), list(control().faults())",
            message=message,
        ) == (True, 0, [])
        assert maker.get("int(keep['x'].min())") == 9


HOLD = """
import ctypes
fd = os.open(fifo, os.O_RDWR)
ctypes.PyDLL(None).read(fd, ctypes.create_string_buffer(1), 1)  # with Python's lock held
os.close(fd)
return "answered"
"""


def test_a_sender_that_holds_pythons_lock_hands_out_descriptors(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with processes({}, {}) as (maker, user):
        message = maker.run(
            "keep['x'] = xp.ones(3, device='cuda')\nreturn bytes(keep['x'].handle())"
        )
        maker.send(HOLD, fifo=str(fifo))
        assert procfs.wait_until(
            lambda: (
                str(fifo) in procfs.descriptors(maker.pid).values()
                and procfs.state(maker.pid) == "S"
            )
        )
        opened = user.run(
            "return xp.from_handle(xp.Handle.from_bytes(message)).tolist()", message=message
        )
        assert not maker._connection.poll()
        with open(fifo, "wb") as end:
            end.write(b"x")
        assert maker.receive() == "answered"
        assert opened == [1.0, 1.0, 1.0]
