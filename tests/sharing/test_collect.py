"""What was sent and never opened is let go of: by collect(), and when its pickling fails."""

import contextlib
import math
import threading
import time
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Footprint, WorkerError, procfs, returns_to_start

MIB = 1 << 20


@pytest.fixture(autouse=True)
def nothing_in_flight():
    """Each test starts and ends with no message of its own in flight."""
    xp.collect()
    yield
    xp.collect()


def in_flight():
    """Bytes of this process that are sent and not opened."""
    return xp.memory_stats()["cpu"]["in_flight"]


def send(n=MIB, value=1.0):
    """The bytes of a message whose array nothing else holds."""
    return bytes(xp.full(n, value).handle())


def test_frees_and_tells_the_bytes():
    with returns_to_start(slack=MIB):
        start = Footprint().memory
        send()
        assert in_flight() >= 8 * MIB
        assert Footprint().memory >= start + 8 * MIB
        assert 8 * MIB <= xp.collect() < 9 * MIB
        assert in_flight() == 0
        assert xp.collect() == 0


def test_only_what_is_old_enough():
    old = True
    while old:  # on a busy machine the young one may grow old before anybody has looked
        xp.collect()
        send(MIB, 1.0)
        time.sleep(0.6)
        made = time.monotonic()
        young = send(MIB, 2.0)
        assert xp.collect(older_than=3600) == 0
        assert xp.collect(older_than=math.inf) == 0
        gone = xp.collect(older_than=0.3)
        old = time.monotonic() - made > 0.25
    assert 8 * MIB <= gone < 9 * MIB
    assert float(xp.from_handle(xp.Handle.from_bytes(young))[0]) == 2.0
    assert xp.collect() == 0


@pytest.mark.parametrize("wrong", [-1, -0.001, math.nan, -math.inf])
def test_a_wrong_age_is_refused_and_nothing_changes(wrong):
    blob = send()
    with pytest.raises(ValueError, match="collect"):
        xp.collect(wrong)
    assert float(xp.from_handle(xp.Handle.from_bytes(blob))[0]) == 1.0


@pytest.mark.parametrize("wrong", ["1", None, [1]])
def test_an_age_of_another_type_is_refused(wrong):
    with pytest.raises(TypeError):
        xp.collect(wrong)


@pytest.mark.parametrize("n", [1, 1000, MIB, 8 * MIB])
def test_a_late_receiver_is_told(worker, n):
    blob = send(n)
    xp.collect()
    with pytest.raises(xp.HandleError, match=r"let go of this message .* collect\(\)"):
        xp.from_handle(xp.Handle.from_bytes(blob))
    with pytest.raises(WorkerError, match=r"HandleError.*gone") as caught:
        worker.run("xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
    if n < 8 * MIB:  # else its segment went with it
        assert "collect()" in caught.value.message


def test_a_late_message_is_a_lost_array(worker):
    message = bytes(ForkingPickler.dumps(xp.ones(1000)))
    xp.collect()
    worker.run("import pickle\nkeep['x'] = pickle.loads(b)", b=message)
    assert worker.get("(keep['x'].shape, keep['x'].is_shared())") == ((1000,), False)
    with pytest.raises(WorkerError, match=r"HandleError.*collect\(\)"):
        worker.get("keep['x'] + 1")


def test_what_is_held_here_can_be_opened_still(worker):
    x = xp.full(MIB, 3.0)
    blob = bytes(x.handle())
    assert xp.collect() == 0
    assert worker.get("float(xp.from_handle(xp.Handle.from_bytes(b))[-1])", b=blob) == 3.0


def test_handles_keep_what_they_keep(worker):
    handle = xp.full(MIB, 4.0).handle()
    first = bytes(handle)
    assert xp.collect() == 0
    for blob in (first, bytes(handle)):
        assert worker.get("float(xp.from_handle(xp.Handle.from_bytes(b))[-1])", b=blob) == 4.0
    handle.close()


def test_what_was_opened_is_no_business_of_it(worker):
    x = xp.full(MIB, 5.0)
    worker.run("keep['x'] = x", x=x)
    del x
    assert xp.collect() == 0
    junk = [xp.full(MIB, -1.0) for _ in range(4)]
    assert worker.get("bool(xp.all(keep['x'] == 5))")
    del junk
    worker.run("keep.clear()")


def test_messages_after_it_are_as_ever(worker):
    for i in range(100):
        send(1000, float(i))
        if i % 10 == 0:
            xp.collect()
        assert worker.get("float(x[-1])", x=xp.full(1000, float(i))) == i


def test_what_was_forwarded_is_given_back_to_its_creator(worker, own_worker):
    worker.run("keep['x'] = xp.full(1 << 20, 6.0)")
    own_worker.run(
        "from multiprocessing.reduction import ForkingPickler\nForkingPickler.dumps(x)",
        x=worker.get("keep['x']"),
    )
    assert procfs.wait_until(lambda: worker.get("keep['x'].storage().attached()") == 1)
    own_worker.run("xp.collect()")
    assert procfs.wait_until(lambda: worker.get("keep['x'].storage().attached()") == 0)
    worker.run("keep.clear()")


def test_opened_whole_or_refused_while_another_thread_collects():
    end = threading.Event()
    faults = []

    def collect():
        while not end.is_set():
            xp.collect()

    def exchange():
        try:
            for i in range(2000):
                blob = send(64, float(i))
                with contextlib.suppress(xp.HandleError):
                    x = xp.from_handle(xp.Handle.from_bytes(blob))
                    assert (np.asarray(x) == i).all()
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=collect), *(threading.Thread(target=exchange) for _ in "ab")]
    for thread in threads:
        thread.start()
    for thread in threads[1:]:
        thread.join()
    end.set()
    threads[0].join()
    assert faults == []


# ---- pickling that fails ----


def unpicklable():
    """What no pickler takes."""
    return lambda: None


def test_a_pickling_that_fails_leaves_nothing_in_flight():
    with pytest.raises(Exception, match=r"pickle|local object"):
        ForkingPickler.dumps([xp.ones(MIB), xp.ones(MIB).storage(), unpicklable()])
    assert in_flight() == 0


def test_messages_before_and_in_other_threads_stay():
    before = send(1000, 1.0)
    other = []

    class Meanwhile:
        def __reduce__(self):
            thread = threading.Thread(target=lambda: other.append(send(1000, 2.0)))
            thread.start()
            thread.join()
            raise LookupError("half way")

    with pytest.raises(LookupError, match="half way"):
        ForkingPickler.dumps([xp.ones(MIB), Meanwhile()])
    assert in_flight() < MIB
    for blob, value in ((before, 1.0), (*other, 2.0)):
        assert float(xp.from_handle(xp.Handle.from_bytes(blob))[0]) == value


def test_a_pickling_within_a_pickling():
    inner = []

    class Inner:
        def __init__(self, fails):
            self.fails = fails

        def __reduce__(self):
            content = [xp.full(1000, 7.0), unpicklable() if self.fails else 0]
            with contextlib.suppress(Exception):
                inner.append(bytes(ForkingPickler.dumps(content)))
            return str, ()

    outer = xp.full(MIB, 8.0)
    message = bytes(ForkingPickler.dumps([outer, Inner(True), Inner(False)]))
    del outer
    assert len(inner) == 1
    assert in_flight() >= 8 * MIB
    assert float(ForkingPickler.loads(message)[0][0]) == 8.0
    assert float(ForkingPickler.loads(inner[0])[0][0]) == 7.0
    with pytest.raises(Exception, match=r"pickle|local object"):
        ForkingPickler.dumps([xp.ones(MIB), Inner(False), unpicklable()])
    assert in_flight() == 0


def test_a_queue_whose_feeder_cannot_pickle(context, capfd):
    queue = context.Queue()
    queue.put([xp.ones(MIB), unpicklable()])
    x = xp.ones(3)
    queue.put(x)
    assert queue.get().storage() is x.storage()
    assert in_flight() == 0
    assert "unpicklable" in capfd.readouterr().err  # multiprocessing tells it
    queue.close()
    queue.join_thread()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_process_whose_arguments_cannot_be_sent(context):
    process = context.Process(target=print, args=(xp.ones(MIB), unpicklable()))
    with pytest.raises(Exception, match=r"pickle|local object"):
        process.start()
    assert in_flight() == 0


def test_what_another_process_opened_is_counted_no_more_wherever_it_stands(worker):
    """One look finds all: a keeper would be started for what is left out."""
    count = 100  # more than the 64 tickets that each send looks at
    for second in range(1, count):
        messages = [send(8) for _ in range(count)]
        all_of_them = in_flight()
        worker.call(open_all, [messages[0], messages[second]])
        assert in_flight() == all_of_them * (count - 2) // count
        xp.collect()


def open_all(messages):
    """Open them here, and drop what came."""
    for message in messages:
        xp.from_handle(xp.Handle.from_bytes(message))
