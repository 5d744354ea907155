"""Handles: small, opened any number of times by anybody, and kept alive by their maker."""

import pickle

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Worker, WorkerError, run_script

MIB = 1 << 20
SIZES = [8, 4096, MIB, 16 * MIB]

OPEN = "return xp.from_handle(xp.Handle.from_bytes(b))"


@pytest.mark.parametrize("dtype", ["u1", "f8", "c16", "M8[ns]", "S20"])
@pytest.mark.parametrize("dimensions", range(9))
def test_at_most_512_bytes(dimensions, dtype):
    x = xp.empty((2,) * dimensions, dtype=dtype)
    assert len(bytes(x.handle())) <= 512
    assert len(bytes(x.T.handle())) <= 512


def test_at_most_512_bytes_whatever_the_size():
    x = xp.empty((1 << 7,) * 4 + (1,) * 4)  # 2 GiB, of which no page is touched
    assert len(bytes(x.handle())) <= 512
    assert len(bytes(x.storage().handle())) <= 512


@pytest.mark.parametrize("nbytes", SIZES)
def test_opened_here(nbytes):
    x = xp.zeros(nbytes // 8)
    handle = x.handle()
    y = xp.from_handle(handle)
    assert y.storage() is x.storage()
    y[-1] = 4
    assert float(x[-1]) == 4
    assert xp.from_handle(xp.Handle.from_bytes(bytes(handle))).storage() is x.storage()


@pytest.mark.parametrize("nbytes", SIZES)
def test_opened_many_times(worker, nbytes):
    x = xp.zeros(nbytes // 8)
    blob = bytes(x.handle())
    worker.run(
        """
        handle = xp.Handle.from_bytes(b)
        arrays = [xp.from_handle(handle) for _ in range(100)]
        arrays += [xp.from_handle(xp.Handle.from_bytes(b)) for _ in range(100)]
        for x in arrays:
            x += 1
        assert all(x.storage() is arrays[0].storage() for x in arrays)
        """,
        b=blob,
    )
    assert float(x[0]) == 200
    worker.run(OPEN.replace("return", "keep['x'] =") + "\nkeep.pop('x')[0] = 1", b=blob)
    assert float(x[0]) == 1


def test_a_handle_pickles_as_its_bytes(worker):
    x = xp.zeros(1000)
    handle = x.handle()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(handle, protocol))
        assert isinstance(again, xp.Handle)
        assert xp.from_handle(again).storage() is x.storage()
    assert len(pickle.dumps(handle)) < 700
    worker.run("xp.from_handle(h)[0] = 3", h=handle)
    assert float(x[0]) == 3


@pytest.mark.parametrize("send", [bytes, pickle.dumps])
def test_asking_for_its_bytes_counts_as_sending_and_having_it_does_not(send):
    xp.collect()
    x = xp.zeros(MIB)
    handle = x.handle()
    assert xp.memory_stats()["cpu"]["in_flight"] == 0
    sent = send(handle)
    assert xp.memory_stats()["cpu"]["in_flight"] >= x.nbytes
    again = xp.Handle.from_bytes(sent) if send is bytes else pickle.loads(sent)
    assert xp.from_handle(again).storage() is x.storage()
    assert xp.memory_stats()["cpu"]["in_flight"] == 0


def test_from_bytes_takes_any_bytes_like():
    x = xp.zeros(4)
    blob = bytes(x.handle())
    for kind in (bytes, bytearray, memoryview):
        assert xp.from_handle(xp.Handle.from_bytes(kind(blob))).storage() is x.storage()


@pytest.mark.parametrize("wrong", ["text", None, 5])
def test_other_types_are_refused(wrong):
    with pytest.raises(TypeError):
        xp.Handle.from_bytes(wrong)
    with pytest.raises(TypeError):
        xp.from_handle(wrong)


@pytest.mark.parametrize("nbytes", SIZES)
def test_the_handle_keeps_the_memory(worker, nbytes):
    x = xp.full(nbytes // 8, 3.0)
    handle = x.handle()
    blob = bytes(handle)
    del x
    junk = [xp.full(nbytes // 8, -1.0) for _ in range(3)]
    for _ in range(3):
        assert worker.run("x = xp.from_handle(h)\nreturn bool(xp.all(x == 3))", h=handle)
        assert worker.get("bool(xp.all(xp.from_handle(xp.Handle.from_bytes(b)) == 3))", b=blob)
    assert (np.asarray(xp.from_handle(handle)) == 3).all()
    del junk


@pytest.mark.parametrize("nbytes", SIZES)
def test_bytes_keep_the_memory_until_they_are_opened(worker, nbytes):
    blob = bytes(xp.full(nbytes // 8, 3.0).handle())
    junk = [xp.full(nbytes // 8, -1.0) for _ in range(3)]
    worker.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
    assert worker.get("bool(xp.all(keep.pop('x') == 3))")
    del junk


def test_a_closed_handle_cannot_be_sent(worker):
    x = xp.zeros(10)
    handle = x.handle()
    handle.close()
    handle.close()
    with pytest.raises(ValueError):
        bytes(handle)
    with pytest.raises(ValueError):
        pickle.dumps(handle)
    with pytest.raises(ValueError):
        worker.get("h", h=handle)
    assert worker.get("1") == 1
    assert x.tolist() == [0] * 10
    assert worker.get("x.tolist()", x=x) == [0] * 10


@pytest.mark.parametrize(
    "of", [lambda x: x, lambda x: x[2:5], lambda x: x.storage()], ids=["array", "view", "storage"]
)
def test_private_arrays_have_no_handle(of):
    with xp.memory("private"):
        x = xp.zeros(10)
    private = of(x)
    with pytest.raises(ValueError, match="share_memory_") as caught:
        private.handle()
    assert not isinstance(caught.value, xp.HandleError)
    private.share_memory_()
    assert xp.from_handle(private.handle()).is_shared()
    assert xp.from_handle(x.handle()).tolist() == [0] * 10


def test_a_storage_from_a_handle_of_a_storage(worker):
    storage = xp.Storage(1000)
    again = xp.from_handle(storage.handle())
    assert again is storage
    worker.run(
        "s = xp.from_handle(h)\nassert isinstance(s, xp.Storage)\ns[7] = 9", h=storage.handle()
    )
    assert storage[7] == 9


def test_the_standard_is_not_in_the_way_of_handles_of_views(worker):
    x = xp.reshape(xp.arange(100), (10, 10))
    blob = bytes(x[2:8:2, ::-3].T.handle())
    assert worker.run(OPEN + ".tolist()", b=blob) == x[2:8:2, ::-3].T.tolist()


UNRELATED = """
    import sys
    import sharedarray as xp
    for line in sys.stdin:
        x = xp.from_handle(xp.Handle.from_bytes(bytes.fromhex(line)))
        print(x.is_shared(), x.shape, float(x[0]), x.storage().id)
        x += 1
    """


@pytest.mark.parametrize("nbytes", SIZES)
def test_opened_by_an_unrelated_program(nbytes):
    x = xp.full(nbytes // 8, 2.0)
    line = bytes(x.handle()).hex() + "\n"
    told = run_script(UNRELATED, stdin=line * 3).ok().splitlines()
    assert told == [f"True {x.shape} {value} {x.storage().id}" for value in (2.0, 3.0, 4.0)]
    assert (np.asarray(x) == 5).all()


def test_a_receiver_makes_handles_for_unrelated_programs(worker):
    x = xp.zeros(1000)
    worker.run("keep['x'] = x", x=x)
    blob = worker.get("bytes(keep['x'].handle())")
    told = run_script(UNRELATED, stdin=blob.hex() + "\n").ok()
    assert told == f"True (1000,) 0.0 {x.storage().id}"
    worker.run("keep.clear()")
    assert (np.asarray(x) == 1).all()


@pytest.mark.parametrize("nbytes", SIZES)
def test_no_memory_behind_it_any_more(method, nbytes):
    with Worker(method) as first, Worker(method) as second:
        x = xp.full(nbytes // 8, 3.0)
        handle = x.handle()
        blob = bytes(handle)
        first.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
        handle.close()
        del x, handle
        first.run("keep.clear()")
        xp.empty_cache()
        junk = [xp.full(nbytes // 8, -1.0) for _ in range(5)]
        for _ in range(2):
            with pytest.raises(WorkerError) as caught:
                second.run(OPEN, b=blob)
            assert caught.value.kind == "HandleError"
        with pytest.raises(xp.HandleError):
            xp.from_handle(xp.Handle.from_bytes(blob))
        del junk


def test_the_error_is_a_value_error_with_a_reason():
    assert issubclass(xp.HandleError, ValueError)
    with pytest.raises(xp.HandleError, match=r"\w+ \w+ \w+"):
        xp.from_handle(xp.Handle.from_bytes(b"not a handle at all"))


@pytest.mark.parametrize("nbytes", SIZES)
def test_an_opened_message_keeps_nothing_once_the_array_is_dropped(worker, nbytes):
    x = xp.full(nbytes // 8, 3.0)
    blob = bytes(x.handle())
    worker.run("x = xp.from_handle(xp.Handle.from_bytes(b))\ndel x\ngc.collect()", b=blob)
    del x
    with pytest.raises(xp.HandleError):
        xp.from_handle(xp.Handle.from_bytes(blob))


@pytest.mark.parametrize("nbytes", SIZES)
def test_who_passed_an_array_on_and_dropped_it_holds_it_no_more(own_worker, nbytes):
    x = xp.full(nbytes // 8, 3.0)
    before = x.storage().attached()
    own_worker.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))", b=bytes(x.handle()))
    assert x.storage().attached() == before + 1
    y = xp.from_handle(xp.Handle.from_bytes(own_worker.get("bytes(keep['x'].handle())")))
    assert y.storage() is x.storage()
    own_worker.run("del keep['x']\ngc.collect()")
    assert x.storage().attached() == before


def test_a_handle_of_nothing():
    """Made without its maker, it is closed."""
    h = xp.Handle.__new__(xp.Handle)
    assert repr(h) == "<Handle, closed>"
    for use in (bytes, pickle.dumps, xp.from_handle, xp.Handle.__reduce__):
        with pytest.raises(ValueError, match="this Handle is closed"):
            use(h)
