"""CUDA arrays by handle, between processes on the driver double."""

import os
import signal

import numpy as np
import pytest

from tests.harness import procfs
from tests.harness.worker import WorkerError

from .machines import COUNTS, ON_CARD, OPEN, SEND, processes


@pytest.fixture(scope="module", params=["spawn", "forkserver"])
def pair(request):
    with processes({}, {}, method=request.param) as workers:
        yield workers


@pytest.fixture
def maker(pair):
    yield pair[0]
    pair[0].run("keep.clear(); gc.collect(); xp.collect()")


@pytest.fixture
def user(maker, pair):
    yield pair[1]
    pair[1].run("keep.clear(); gc.collect()")


def test_both_sides_write_the_same_memory(maker, user):
    last = f"cuda:{maker.get('xp.cuda.device_count()') - 1}"
    message = maker.run(f"y = xp.arange(6.0, device='{last}')\n" + SEND)
    assert user.run(
        OPEN + "z += 1\nreturn z.tolist(), str(z.device), z.is_shared()", message=message
    ) == (
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        last,
        True,
    )
    assert maker.run("keep['y'][0] = 9\nreturn keep['y'].tolist()") == [
        9.0,
        2.0,
        3.0,
        4.0,
        5.0,
        6.0,
    ]
    assert user.get("keep['z'].tolist()[0]") == 9.0


@pytest.mark.parametrize(
    "view",
    ["y.T", "y[::-1, ::2]", "y[1:, 2]", "y[:0]", "y.reshape(())", "y[..., None]", "y.real"],
)
def test_every_layout_survives(maker, user, view):
    shape = "()" if "(()" in view else "(3, 4)"
    made = f"y = xp.reshape(xp.arange({1 if shape == '()' else 12}, device='cuda'), {shape})\n"
    message, values, strides = maker.run(
        f"{made}keep['y'] = y\nv = {view}\nreturn bytes(v.handle()), v.tolist(), v.strides"
    )
    got = user.run(OPEN + "return z.tolist(), z.strides", message=message)
    assert got == (values, strides)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "c16"])
def test_every_kind_of_dtype_survives(maker, user, dtype):
    message = maker.run(f"y = xp.ones(3, dtype=np.dtype('{dtype}'), device='cuda')\n" + SEND)
    assert user.run(OPEN + "return z.dtype.str, z.tolist()", message=message) == (
        np.dtype(dtype).str,
        [1, 1, 1],
    )


def test_views_that_arrive_apart_share_one_storage(maker, user):
    maker.run("keep['y'] = xp.zeros(8, device='cuda')")
    messages = [maker.get(f"bytes(keep['y'][{cut}].handle())") for cut in ("2:", "::2")]
    ident = maker.get("keep['y'].storage().id")
    same = user.run(
        "a, b = keep['z'] = [xp.from_handle(xp.Handle.from_bytes(m)) for m in messages]\n"
        "b[1] = 5\nreturn a.storage() is b.storage(), a.storage().id, a.tolist()[0]",
        messages=messages,
    )
    assert same == (True, ident, 5.0)


def test_a_handle_that_comes_back_is_the_storage_itself(maker, user):
    message = maker.run("y = xp.zeros(3, device='cuda')\n" + SEND)
    again = user.run(OPEN + "return bytes(z[1:].handle())", message=message)
    assert maker.run(
        "v = xp.from_handle(xp.Handle.from_bytes(m))\nreturn v.storage() is keep['y'].storage()",
        m=again,
    )


def test_a_message_opens_any_number_of_times(maker, user):
    message = maker.run("y = xp.ones(3, device='cuda')\n" + SEND)
    for _ in range(3):
        assert user.run(OPEN + "return z.tolist()", message=message) == [1.0, 1.0, 1.0]
        user.run("keep.clear(); gc.collect(); xp.empty_cache()")


def test_holders_are_counted(maker, user):
    message = maker.run("y = xp.ones(3, device='cuda')\n" + SEND)
    user.run(OPEN, message=message)
    assert maker.get("keep['y'].storage().attached()") == 1
    assert set(maker.get("keep['y'].storage().processes()")) >= {maker.pid, user.pid}
    user.run("keep.clear()\ngc.collect()")
    assert maker.get("keep['y'].storage().attached()") == 0


def test_a_storage_by_handle(maker, user):
    message = maker.run("y = xp.Storage(64, 'cuda')\n" + SEND)
    assert (
        user.run(OPEN + "z.fill_(7, 8, 8); z[0:2] = b'ab'\nreturn z.nbytes", message=message) == 64
    )
    assert maker.get("keep['y'][:10]") == b"ab\0\0\0\0\0\0\7\7"


@pytest.mark.parametrize("use", ["np.asarray", "memoryview", "np.frombuffer", "bytearray"])
def test_numpy_and_buffers_are_refused_by_a_storage(maker, use):
    maker.run("keep['y'] = xp.Storage(64, 'cuda')")
    with pytest.raises(WorkerError, match=r"TypeError"):
        maker.run(f"{use}(keep['y'])")


def test_read_only_views_stay_so(maker, user):
    message = maker.run("y = xp.ones(3, device='cuda').readonly()\n" + SEND)
    assert user.run(OPEN + "return z.flags.writeable", message=message) is False
    with pytest.raises(WorkerError, match="read-only"):
        user.run("keep['z'][0] = 1")
    with pytest.raises(WorkerError, match="read-only"):
        user.run("keep['z'].storage().fill_(1)")


def test_pages_become_writable_when_a_writable_view_arrives(maker, user):
    both = maker.run(
        "y = keep['y'] = xp.ones(3, device='cuda')\n"
        "return bytes(y.readonly().handle()), bytes(y.handle())"
    )
    assert user.run(OPEN + "return z.storage()._remote.mapped_writable", message=both[0]) is False
    user.run(OPEN.replace("'z'", "'w'") + "z[0] = 5", message=both[1])
    assert maker.get("keep['y'].tolist()") == [5.0, 1.0, 1.0]


def test_alteration_is_refused(maker, user):
    message = maker.run("y = xp.ones(300, device='cuda')\n" + SEND)
    for place in range(0, len(message), 5):
        altered = bytearray(message)
        altered[place] ^= 4
        with pytest.raises(WorkerError, match="HandleError"):
            user.run(OPEN, message=bytes(altered))
    with pytest.raises(WorkerError, match=r"truncated|short"):
        user.run(OPEN, message=message[:-40])


def test_devices_go_by_what_they_are_not_by_their_number(maker):
    message = maker.run("y = xp.ones(3, device='cuda:0')\n" + SEND)
    with processes({"visible": "1,0"}, {"visible": "1"}, {"visible": ""}) as (other, blind, none):
        assert other.run(OPEN + "return str(z.device)", message=message) == "cuda:1"
        with pytest.raises(
            WorkerError, match=r"HandleError.*does not see: GPU-.*CUDA_VISIBLE_DEVICES='1'"
        ):
            blind.run(OPEN, message=message)
        with pytest.raises(WorkerError, match=r"HandleError.*sees no device"):
            none.run(OPEN, message=message)


def test_devices_are_known_all_or_none(maker):
    message = maker.run("y = xp.ones(3, device='cuda:1')\n" + SEND)
    with processes({"fail": "cuDeviceGetUuid:2=999"}) as (other,):
        with pytest.raises(WorkerError, match=r"HandleError.*999|HandleError.*UNKNOWN"):
            other.run(OPEN, message=message)
        assert other.run(OPEN + "return str(z.device)", message=message) == "cuda:1"


def test_what_the_driver_does_not_export_is_private_and_says_why():
    with processes({"attributes": "103=0"}) as (worker,):
        assert worker.run(
            "y = keep['y'] = xp.ones(3, device='cuda')\nreturn (y + 1).tolist(), y.is_shared()"
        ) == (
            [2.0, 2.0, 2.0],
            False,
        )
        for use, error in (
            ("keep['y'].handle()", "ValueError.*share_memory_"),
            ("keep['y'].storage().handle()", "ValueError.*share_memory_"),
            ("keep['y'].share_memory_()", "DeviceError"),
        ):
            with pytest.raises(WorkerError, match=f"{error}.*exports no descriptors"):
                worker.run(use)
        assert "shared" not in worker.get("repr(keep['y'])")
        assert worker.get("keep['y'].storage().id").startswith("private-")


def test_without_read_only_mappings_flags_guard():
    with processes({}, {"read_access": False}) as (maker, user):
        message = maker.run("y = xp.ones(3, device='cuda').readonly()\n" + SEND)
        assert user.run(OPEN + "return z.flags.writeable", message=message) is False
        with pytest.raises(WorkerError, match="read-only"):
            user.run("z = keep['z']\nz += 1")


def test_four_devices_in_a_chain():
    """Each process takes an array from the one before, to its own device, and sends it on."""
    orders = ("0,1,2,3", "3,2,1,0", "2,3,0,1", "1,0,3,2")
    with processes(*[{"devices": 4, "visible": order} for order in orders]) as workers:
        message = workers[0].run("y = xp.arange(5, device='cuda:0')\n" + SEND)
        for step, worker in enumerate(workers[1:], 1):
            message = worker.run(
                OPEN + "y = z.to_device(f'cuda:{n}') + n\n" + SEND, message=message, n=step
            )
        first = workers[0].run(OPEN + "return z.tolist(), str(z.device)", message=message)
        # What the last calls cuda:3 is its fourth visible device: 2.
        assert first == ([6, 7, 8, 9, 10], "cuda:2")


AT_ONCE = """
import sys, threading
before = sys.getswitchinterval()
sys.setswitchinterval(1e-6)
found, barrier = [None] * 8, threading.Barrier(8)

def one(i):
    barrier.wait()
    found[i] = work(i)

try:
    threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
finally:
    sys.setswitchinterval(before)
"""
ALL_OPEN = """
storages = {id(z.storage()) for z in found}
keep['z'] = found
return len(storages), {z.storage().id for z in found}, sum(float(z[0]) for z in found)
"""


@pytest.mark.parametrize("attempt", range(3))
def test_threads_that_use_devices_for_the_first_time(attempt):
    with processes({"devices": 2}, {"devices": 2}) as (maker, user):
        make = (
            "def work(i): return xp.full(5, i, device=f'cuda:{i % 2}')\n"
            + AT_ONCE
            + "keep['y'] = found\nreturn [bytes(y.handle()) for y in found]"
        )
        found = user.run(
            "def work(i): return xp.from_handle(xp.Handle.from_bytes(messages[i]))\n"
            + AT_ONCE
            + "return [(z.tolist(), str(z.device)) for z in found]",
            messages=maker.run(make),
        )
        assert found == [([i] * 5, f"cuda:{i % 2}") for i in range(8)]


def test_threads_that_send_the_same_array_name_one_block(maker, user):
    for _ in range(20):
        messages = maker.run(
            "y = keep['y'] = xp.ones(5, device='cuda')\n"
            "def work(i): return bytes(y.handle())\n" + AT_ONCE + "return found"
        )
        names = user.run(
            "keep['z'] = [xp.from_handle(xp.Handle.from_bytes(m)) for m in messages]\n"
            "return {z.storage().id for z in keep['z']}",
            messages=messages,
        )
        assert names == {maker.get("keep['y'].storage().id")}


def test_threads_that_open_the_same_message_share_one_storage(maker, user):
    user.run("xp.empty_cache()")
    counted = user.run(COUNTS) if not ON_CARD else {}
    for _ in range(20):
        message = maker.run("y = xp.ones(5 << 20, dtype='u1', device='cuda')\n" + SEND)
        storages, names, total = user.run(
            "def work(i): return xp.from_handle(xp.Handle.from_bytes(message))\n"
            + AT_ONCE
            + ALL_OPEN,
            message=message,
        )
        assert (storages, names, total) == (1, {maker.get("keep['y'].storage().id")}, 8.0)
    user.run("keep.clear()\ngc.collect()\nxp.empty_cache()")
    if not ON_CARD:
        assert user.run(COUNTS) == counted


def test_threads_that_open_parts_of_one_segment_map_it_once(maker, user):
    messages = maker.run(
        "keep['y'] = [xp.full(5, i, device='cuda') for i in range(8)]\n"
        "return [bytes(y.handle()) for y in keep['y']]"
    )
    for _ in range(20):
        user.run("keep.clear()\ngc.collect()\nxp.empty_cache()")
        keys, bases = user.run(
            "def work(i): return xp.from_handle(xp.Handle.from_bytes(messages[i]))\n"
            + AT_ONCE
            + "keep['z'] = found\n"
            "assert [z.tolist() for z in found] == [[i] * 5 for i in range(8)]\n"
            "places = [(z.storage()._remote.place, z.storage().data_ptr()) for z in found]\n"
            "return {key for (key, *_), _ in places}, {at - place[2] for place, at in places}",
            messages=messages,
        )
        assert len(keys) == 1
        assert len(bases) == 1


def test_a_segment_in_use_is_not_counted_as_cached(maker, user):
    messages = maker.run(
        "keep['y'] = [xp.ones(5, device='cuda') for i in range(2)]\n"
        "return [bytes(y.handle()) for y in keep['y']]"
    )
    user.run(
        "xp.empty_cache()\n"
        "keep['z'], other = [xp.from_handle(xp.Handle.from_bytes(m)) for m in messages]\n"
        "del other\ngc.collect()",
        messages=messages,
    )
    assert user.get("xp.memory_stats()['cuda:0']['cached']") == 0
    user.run("keep.clear()\ngc.collect()")
    assert user.get("xp.memory_stats()['cuda:0']['cached']") > 0


# Waiting for the work on the array.

LATE = "y = xp.asarray(np.arange(1 << 16), device='cuda')\n"


def test_sending_waits_for_the_work_on_the_array():
    with processes({"delayed": True}, {}) as (maker, user):
        message = maker.run(LATE + SEND)
        assert (
            user.run(OPEN + "return int(z.to_device('cpu')[-1])", message=message) == (1 << 16) - 1
        )


def test_sending_without_waiting_would_be_seen():
    with processes({"delayed": True}, {}) as (maker, user):
        message = maker.run(
            "from sharedarray import _cuda\n"
            "_cuda.synchronize, before = lambda index: None, _cuda.synchronize\n"
            f"try:\n    {LATE}    keep['y'] = y\n    return bytes(y.handle())\n"
            "finally:\n    _cuda.synchronize = before"
        )
        assert user.run(OPEN + "return int(z.to_device('cpu')[-1])", message=message) == 0


def test_a_stopped_sender_is_given_up(pair):
    with processes({}) as (sender,):
        message = sender.run("y = xp.ones(3, device='cuda')\n" + SEND)
        os.kill(sender.pid, signal.SIGSTOP)
        assert procfs.wait_until(lambda: procfs.state(sender.pid) == "T")
        try:
            with pytest.raises(WorkerError, match=r"HandleError.*did not answer in time"):
                pair[1].run(OPEN, message=message)
        finally:
            os.kill(sender.pid, signal.SIGCONT)
        sender.run("xp.collect()")


def test_what_a_receiver_keeps_of_others_is_bounded_in_bytes(tmp_path):
    # Kept by number alone, the arrays of an idle receiver filled the device.
    machine = {"memory": 256 << 20, "machine": tmp_path}
    with processes(machine, machine) as (maker, user):
        for mib in range(70, 120, 10):
            message = maker.run(
                f"y = xp.ones({mib} << 20, dtype='u1', device='cuda')\nreturn bytes(y.handle())"
            )
            assert user.run(OPEN + "keep.clear()\nreturn int(z[-1])", message=message) == 1
            maker.run("xp.empty_cache()")
        assert user.get("xp.memory_stats()['cuda:0']['cached']") <= 64 << 20


@pytest.mark.parametrize(("cache", "most"), [("", 64 << 20), ("0", 0)])
def test_small_segments_are_kept_within_the_cache(monkeypatch, cache, most):
    monkeypatch.setenv("SHAREDARRAY_CACHE", cache)
    with processes({"memory": 1 << 30}) as (user,):
        for _ in range(5):
            with processes({"memory": 1 << 30}) as (maker,):
                message = maker.run("y = xp.ones(3, device='cuda')\n" + SEND)
                user.run(OPEN + "z = None\nkeep.clear()", message=message)
        user.run("gc.collect()")
        assert user.get("xp.memory_stats()['cuda:0']['cached']") == most
