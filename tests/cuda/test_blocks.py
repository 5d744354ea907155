"""Segments and blocks of device memory: pooling, limits, and a driver that fails."""

import contextlib

import pytest

from sharedarray import _cuda_pools
from tests.harness.worker import WorkerError

from .machines import COUNTS, ON_CARD, left, process, processes

MIB = 1 << 20


@pytest.fixture(scope="module")
def worker():
    with process(**({} if ON_CARD else {"memory": 256 * MIB})) as one:
        one.run(
            "[xp.zeros(3, device=f'cuda:{i}') for i in range(xp.cuda.device_count())]\n"
            "xp.empty_cache()"
        )
        yield one


@pytest.fixture
def small(worker):
    """A process whose devices have 256 MiB."""
    if ON_CARD:
        pytest.skip("a card has more memory than these tests fill")
    return worker


@pytest.fixture(autouse=True)
def cleared(worker):
    yield
    worker.run("keep.clear()\ngc.collect()\nxp.empty_cache()")


def stats(worker, kind):
    return worker.get(f"xp.memory_stats()['cuda:0']['{kind}']")


def test_small_arrays_share_segments(worker):
    worker.run("keep['x'] = [xp.empty(10, device='cuda') for _ in range(1000)]")
    assert worker.run(COUNTS)["memory"] == 1


def test_what_was_dropped_serves_the_next(worker):
    places = worker.run(
        "found = set()\nfor _ in range(20):\n    x = xp.empty(1000, device='cuda')\n"
        "    found.add(x.storage().data_ptr())\nreturn found"
    )
    assert len(places) <= 2


def test_what_was_named_and_not_sent_is_recycled_too(worker):
    for ask in ("storage().id", "handle()", "storage().attached()"):
        worker.run(f"x = xp.empty(1000, device='cuda')\nx.{ask}")
        assert stats(worker, "published") == stats(worker, "allocated") == 0


def test_a_block_is_cut_though_other_threads_take_the_new_segments():
    class Pool:
        """A pool of CuPy's, whose new segments others take five times."""

        def __init__(self):
            self.asked = []

        def malloc(self, nbytes):
            self.asked.append(nbytes)
            if nbytes == 10 * MIB and len(self.asked) < 12:
                raise _cuda_pools._Seed
            return nbytes

    pool = _cuda_pools.CupyPool.__new__(_cuda_pools.CupyPool)
    pool._index, pool._seeds, pool._exhausted = 0, [32 * MIB, 2 * MIB], OSError
    pool._device, pool._pool = contextlib.nullcontext(), Pool()
    assert pool.malloc(10 * MIB) == 10 * MIB
    assert set(pool._pool.asked) == {10 * MIB, 32 * MIB}


def test_figures_are_of_one_moment(worker):
    lowest = worker.run(
        """
        import sys, threading
        before, found = sys.getswitchinterval(), []
        sys.setswitchinterval(1e-6)
        def churn():
            for _ in range(20):
                xp.empty(n, dtype='u1', device='cuda')
                found.append(xp.empty_cache())
        def look():
            while any(thread.is_alive() for thread in threads):
                found.append(xp.memory_stats()['cuda:0']['cached'])
        try:
            threads = [threading.Thread(target=churn) for _ in range(4)]
            for thread in threads: thread.start()
            look()
            for thread in threads: thread.join()
        finally:
            sys.setswitchinterval(before)
        return min(found)
        """,
        n=20 * MIB,
    )
    assert lowest >= 0


def test_figures_add_up(worker):
    assert stats(worker, "allocated") == 0
    worker.run("keep['x'] = xp.empty(4 << 20, dtype='u1', device='cuda')")
    assert stats(worker, "allocated") == 4 * MIB
    worker.run("keep.clear()")
    assert stats(worker, "allocated") == 0
    assert stats(worker, "cached") >= 4 * MIB
    assert worker.get("xp.empty_cache()") >= 4 * MIB
    assert stats(worker, "cached") == 0
    assert stats(worker, "peak") >= 4 * MIB
    table = worker.get("xp.cuda.memory_summary()")
    assert "cuda:0" in table and (ON_CARD or "256.0 MiB" in table)


def test_the_cache_goes_before_memory_error(small):
    small.run("keep['x'] = xp.empty(150 << 20, dtype='u1', device='cuda')\nkeep.clear()")
    small.run("keep['y'] = xp.empty(200 << 20, dtype='u1', device='cuda')")


def test_memory_error_tells_the_figures(small):
    small.run("keep['x'] = xp.empty(100 << 20, dtype='u1', device='cuda')")
    with pytest.raises(WorkerError) as caught:
        small.run("xp.empty(200 << 20, dtype='u1', device='cuda')")
    assert caught.value.kind == "MemoryError"
    for words in (
        "209,715,200 bytes (200.0 MiB) on cuda:0",
        "156.0 MiB of 256.0 MiB left",
        "100.0 MiB in arrays",
        "cached",
        "in flight",
        "empty_cache()",
    ):
        assert words in caught.value.message
    assert small.get("xp.ones(3, device='cuda').tolist()") == [1.0, 1.0, 1.0]


def test_devices_are_apart(worker):
    worker.run("keep['x'] = xp.empty(200 << 20, dtype='u1', device='cuda:0')")
    worker.run("keep['y'] = xp.empty(200 << 20, dtype='u1', device='cuda:1')")
    assert worker.get("xp.memory_stats()['cuda:1']['allocated']") == 200 * MIB


def test_without_descriptors_it_is_no_lack_of_memory():
    with process(devices=1) as worker:  # what a card's driver takes is its own affair
        worker.run("xp.ones(3, device='cuda')\nxp.empty_cache()")
        with pytest.raises(WorkerError) as caught:
            worker.run(
                "import resource\nlimit = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
                "resource.setrlimit(resource.RLIMIT_NOFILE, (60, limit[1]))\nheld = []\n"
                "try:\n"
                "    while len(held) < 60: held.append(os.open(os.devnull, os.O_RDONLY))\n"
                "except OSError: os.close(held.pop())\n"
                "try:\n"
                "    x = [xp.empty(20 << 20, dtype='u1', device='cuda') for _ in range(9)]\n"
                "finally:\n"
                "    resource.setrlimit(resource.RLIMIT_NOFILE, limit)\n"
                "    for fd in held: os.close(fd)"
            )
        assert caught.value.kind == "OSError"
        assert "RLIMIT_NOFILE" in caught.value.message
        assert "20,971,520 bytes (20.0 MiB) on cuda:0" in caught.value.message


def test_received_mappings_are_let_go_of_before_memory_error():
    with processes({"memory": 256 * MIB}, {"memory": 256 * MIB}) as (maker, user):
        message = maker.run(
            "y = keep['y'] = xp.empty(60 << 20, dtype='u1', device='cuda')\n"
            "return bytes(y.handle())"
        )
        user.run("xp.from_handle(xp.Handle.from_bytes(m))", m=message)
        assert user.get("xp.memory_stats()['cuda:0']['cached']") == 60 * MIB
        assert user.run(COUNTS)["mappings"] == 1
        user.run("xp.empty_cache()")
        assert user.run(COUNTS)["mappings"] == 0


CALLS = ("cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess")


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_leaves_nothing(call):
    with process() as worker:
        worker.run("from sharedarray import _cuda\nassert _cuda.refusal(0) == ''")
        start = left(worker)
        worker.run(f"from tests.cuda_double import control\ncontrol().set_failures('{call}:*=999')")
        with pytest.raises(WorkerError, match=r"DeviceError.*CUDA_ERROR_UNKNOWN"):
            worker.run("xp.ones(3, device='cuda')")
        worker.run("from tests.cuda_double import control\ncontrol().set_failures('')")
        assert left(worker) == start
        assert worker.get("xp.ones(3, device='cuda').tolist()") == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "call", ["cuMemImportFromShareableHandle", "cuMemMap", "cuMemAddressReserve"]
)
def test_a_handle_that_the_driver_refuses(call):
    with processes({}, {}) as (maker, user):
        message = maker.run("y = keep['y'] = xp.ones(3, device='cuda')\nreturn bytes(y.handle())")
        user.run("xp.zeros(3, device='cuda')")
        start = left(user)
        descriptors = user.run("return len(os.listdir('/proc/self/fd'))")
        user.run(f"from tests.cuda_double import control\ncontrol().set_failures('{call}:*=999')")
        with pytest.raises(WorkerError, match=r"HandleError.*CUDA_ERROR_UNKNOWN"):
            user.run("xp.from_handle(xp.Handle.from_bytes(m))", m=message)
        user.run("from tests.cuda_double import control\ncontrol().set_failures('')")
        assert (
            user.run("return len(os.listdir('/proc/self/fd'))") <= descriptors + 2
        )  # ledger and control block
        assert left(user) == start
        assert user.run("return xp.from_handle(xp.Handle.from_bytes(m)).tolist()", m=message) == [
            1.0,
            1.0,
            1.0,
        ]


def test_a_descriptor_that_cannot_be_had():
    with process() as worker:
        worker.run("keep['x'] = xp.ones(3, device='cuda')")
        worker.run(
            "from tests.cuda_double import control\n"
            "control().set_failures('cuMemExportToShareableHandle:*=999')"
        )
        with pytest.raises(WorkerError, match=r"DeviceError.*descriptor.*CUDA_ERROR_UNKNOWN"):
            worker.run("keep['x'].handle().__bytes__()")
        worker.run("from tests.cuda_double import control\ncontrol().set_failures('')")
        assert worker.get("len(bytes(keep['x'].handle()))") > 200
        worker.run("keep.clear(); xp.collect()")


def test_an_export_that_fails_with_few_descriptors_left_says_so():
    with process() as worker:
        worker.run("keep['x'] = xp.ones(3, device='cuda')")
        with pytest.raises(WorkerError, match=r"OSError.*RLIMIT_NOFILE"):
            worker.run(
                "import resource\nfrom tests.cuda_double import control\n"
                "control().set_failures('cuMemExportToShareableHandle:*=304')\n"
                "limit, held = resource.getrlimit(resource.RLIMIT_NOFILE), []\n"
                "resource.setrlimit(resource.RLIMIT_NOFILE, (100, limit[1]))\n"
                "try:\n"
                "    while len(held) < 100: held.append(os.open(os.devnull, os.O_RDONLY))\n"
                "except OSError:\n"
                "    for _ in range(2): os.close(held.pop())\n"
                "try:\n"
                "    bytes(keep['x'].handle())\n"
                "finally:\n"
                "    resource.setrlimit(resource.RLIMIT_NOFILE, limit)\n"
                "    for fd in held: os.close(fd)"
            )
        worker.run("from tests.cuda_double import control\ncontrol().set_failures('')")
        assert worker.get("len(bytes(keep['x'].handle()))") > 200
        worker.run("keep.clear(); xp.collect()")


FEW = """
import resource
keep['x'] = [xp.ones(1 << 21, device='cuda') for _ in range(30)]
bytes(keep['x'][0].handle())
most = max(map(int, os.listdir('/proc/self/fd'))) + 12
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
"""


def test_descriptors_are_for_what_is_sent():
    with process() as worker:
        worker.run(FEW)
        with pytest.raises(WorkerError, match=r"OSError.*RLIMIT_NOFILE"):
            worker.run("keep['sent'] = [bytes(x.handle()) for x in keep['x']]")
        assert worker.get("keep['x'][-1].storage()[:8]") == b"\0\0\0\0\0\0\xf0\x3f"
        assert worker.get("xp.from_handle(keep['x'][0].handle()).shape") == (1 << 21,)
        worker.run("keep.clear(); xp.collect()")


def test_the_cache_is_bounded_where_that_is_asked_for(monkeypatch):
    with process() as worker:
        worker.run(
            "from sharedarray import _cuda_blocks\n"
            "keep['x'] = xp.empty(40 << 20, dtype='u1', device='cuda')\nkeep.clear()"
        )
        assert stats(worker, "cached") >= 40 * MIB
    monkeypatch.setenv("SHAREDARRAY_CACHE", "0")
    with process() as worker:
        worker.run("keep['x'] = xp.empty(40 << 20, dtype='u1', device='cuda')\nkeep.clear()")
        assert stats(worker, "cached") == 0


def test_another_librarys_array_must_lie_in_the_memory_it_names(worker):
    with pytest.raises(WorkerError, match=r"ValueError.*reaches outside the device memory"):
        worker.run(
            "x = keep['x'] = xp.zeros(10, device='cuda')\n"
            "class Lies:\n"
            "    __cuda_array_interface__ = {**x.__cuda_array_interface__, 'shape': (1 << 30,)}\n"
            "xp.asarray(Lies())"
        )
