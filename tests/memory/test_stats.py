"""`memory_stats` counts what is allocated, cached, published, in flight and attached."""

import re

import pytest

import sharedarray as xp
from sharedarray._limits import size_text
from tests.harness import procfs, run_script

MIB = 1 << 20
KEYS = {"allocated", "cached", "published", "in_flight", "attached", "peak"}


def cpu():
    """The figures of the CPU."""
    return xp.memory_stats()["cpu"]


def change(key, before):
    """How much a figure grew."""
    return cpu()[key] - before[key]


def test_the_keys():
    stats = xp.memory_stats()
    assert "cpu" in stats
    assert all(set(figures) == KEYS for figures in stats.values())
    for figures in stats.values():
        for name, value in figures.items():
            assert type(value) is int, name
            assert value >= 0, name


@pytest.mark.parametrize("nbytes", [4096, MIB, 16 * MIB])
def test_allocated_and_peak(nbytes):
    before = cpu()
    arrays = [xp.empty(nbytes, dtype="u1") for _ in range(4)]
    assert 4 * nbytes <= change("allocated", before) <= 4.5 * nbytes + 4 * 4096
    top = cpu()["allocated"]
    assert cpu()["peak"] >= top
    arrays.clear()
    assert change("allocated", before) == 0
    assert cpu()["peak"] >= top


def test_views_allocate_nothing_and_keep_it_all():
    before = cpu()
    x = xp.empty(MIB, dtype="u1")[5:6]
    assert change("allocated", before) >= MIB
    grown = cpu()
    y = x[:]
    assert change("allocated", grown) == 0
    del x, y
    assert change("allocated", before) == 0


def test_private_and_borrowed_memory_is_not_counted():
    before = cpu()
    with xp.memory("private"):
        x = xp.ones(MIB)
    y = xp.frombuffer(bytearray(MIB), dtype="u1")
    assert change("allocated", before) == 0
    x.share_memory_()
    assert change("allocated", before) >= 8 * MIB
    del x, y


def test_cached_memory_is_given_back():
    xp.empty_cache()
    before = cpu()
    for _ in range(3):
        xp.full(16 * MIB, 1, dtype="u1")
    assert change("cached", before) >= 16 * MIB
    held = sum(procfs.segments(["self"]).values())
    returned = xp.empty_cache()
    assert type(returned) is int
    assert returned >= 16 * MIB
    assert cpu()["cached"] <= before["cached"]
    assert sum(procfs.segments(["self"]).values()) <= held - 16 * MIB
    assert xp.empty_cache() == 0


def test_cached_memory_serves_the_next_array():
    xp.full(16 * MIB, 1, dtype="u1")
    cached = cpu()["cached"]
    x = xp.full(16 * MIB, 2, dtype="u1")
    assert cpu()["cached"] <= cached - 16 * MIB
    del x


def test_what_is_cached_is_bounded_by_the_setting():
    code = """
        import sharedarray as xp
        for n in (1 << 20, 4 << 20, 64 << 20, 32 << 20):
            arrays = [xp.full(n, 1, dtype="u1") for _ in range(3)]
            del arrays
        print(xp.memory_stats()["cpu"]["cached"])
        """
    assert int(run_script(code, env={"SHAREDARRAY_CACHE": str(8 * MIB)}).ok()) <= 8 * MIB
    assert int(run_script(code, env={"SHAREDARRAY_CACHE": "0"}).ok()) == 0
    assert int(run_script(code).ok()) > 8 * MIB


FORKED = """
    import os, sys
    import sharedarray as xp
    from tests.harness import procfs

    def held():
        return sum(procfs.segments(["self"]).values())

    before = xp.full(int(sys.argv[1]), 1, dtype="u1")  # the child may see it
    there, here = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.write(there[1], b"x")
        os.read(here[0], 1)
        assert int(before.min()) == int(before.max()) == 1
        os._exit(0)
    os.read(there[0], 1)
    after = xp.full(int(sys.argv[1]), 2, dtype="u1")   # it cannot see this one
    full = held()
    del before, after
    returned = xp.empty_cache()
    print(returned, full - held())
    os.write(here[1], b"x")
    assert os.waitpid(child, 0)[1] == 0
    """


@pytest.mark.parametrize("nbytes", [100_000, MIB, 16 * MIB])
def test_under_a_forked_child_what_it_cannot_reach_is_given_back(nbytes):
    """The child has the segment mapped: only a hole in it gives memory back."""
    returned, less = map(int, run_script(FORKED, nbytes).ok().split())
    assert nbytes - 8192 <= less <= nbytes + MIB
    assert returned >= nbytes - 8192


@pytest.mark.parametrize("wrong", ["lots", "-5"])
def test_a_wrong_setting_of_the_cache_is_told(wrong):
    result = run_script("import sharedarray", env={"SHAREDARRAY_CACHE": wrong})
    assert result.rc == 1
    assert "SHAREDARRAY_CACHE" in result.stderr


@pytest.mark.parametrize("nbytes", [4096, MIB])
def test_in_flight_until_opened(worker, nbytes):
    before = cpu()
    blobs = [bytes(xp.ones(nbytes // 8).handle()) for _ in range(5)]
    assert change("in_flight", before) >= 5 * nbytes
    for blob in blobs:
        worker.run("xp.from_handle(xp.Handle.from_bytes(b))", b=blob)
    assert procfs.wait_until(lambda: change("in_flight", before) <= 0)


@pytest.mark.parametrize("nbytes", [4096, MIB])
def test_published_while_others_may_hold_it(worker, nbytes):
    before = cpu()
    x = xp.ones(nbytes // 8)
    assert change("published", before) == 0
    worker.run("keep['x'] = x", x=x)
    assert change("published", before) >= nbytes
    worker.run("keep.clear()")
    del x
    assert procfs.wait_until(lambda: change("published", before) <= 0)


@pytest.mark.parametrize("nbytes", [4096, MIB])
@pytest.mark.parametrize("method", ["spawn", "forkserver"])  # a fork inherits the mapping
def test_attached_in_the_receiver(own_worker, nbytes):
    before = own_worker.get("xp.memory_stats()['cpu']['attached']")
    own_worker.run("keep['x'] = x", x=xp.ones(nbytes // 8))
    assert own_worker.get("xp.memory_stats()['cpu']['attached']") >= before + nbytes
    own_worker.run("keep.clear()\ngc.collect()\nxp.empty_cache()")
    assert own_worker.get("xp.memory_stats()['cpu']['attached']") <= before


def test_the_summary_is_the_same_as_a_table():
    x = xp.ones(3 * MIB)
    text = xp.memory_summary()
    assert isinstance(text, str)
    assert len(text.splitlines()) >= 2
    assert "cpu" in text
    head, *rows = (re.split(r"\s{2,}", line) for line in text.splitlines())
    (row,) = [row[1:] for row in rows if row[0] == "cpu"]
    stats = cpu()
    assert dict(zip(head[1:], row, strict=True)) == {key: size_text(stats[key]) for key in KEYS}
    assert stats["allocated"] >= x.nbytes


def test_reading_figures_allocates_nothing():
    before = cpu()
    for _ in range(100):
        xp.memory_stats()
        xp.memory_summary()
    assert change("allocated", before) == 0


RECEIVER = """
    import multiprocessing
    import sharedarray as xp
    from tests.harness import procfs

    def send(pipe, nbytes):
        for _ in range(4):
            pipe.send(xp.full(nbytes, 1, dtype="u1"))
            pipe.recv()
        pipe.recv()

    if __name__ == "__main__":
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        sender = context.Process(target=send, args=(there, {nbytes}))
        sender.start()
        for _ in range(4):
            x = here.recv()
            assert x[-1] == 1
            del x
            here.send(None)
            cached = xp.memory_stats()["cpu"]["cached"]
        print(cached, sum(procfs.segments(["self"]).values()))
        here.send(None)
        sender.join()
    """


@pytest.mark.parametrize("nbytes", [100, 40 * MIB])
def test_mappings_that_a_receiver_keeps_are_bounded_by_the_setting(nbytes):
    code = RECEIVER.format(nbytes=nbytes)
    for cap in (0, 8 * MIB):
        result = run_script(code, env={"SHAREDARRAY_CACHE": str(cap)}).ok()
        cached, segments = map(int, result.split())
        assert cached <= cap
        assert segments <= cap + MIB  # the ledgers
    assert int(run_script(code).ok().split()[0]) > 8 * MIB


def test_memory_given_back_leaves_no_receiver_with_it():
    code = """
        import multiprocessing
        import sharedarray as xp
        from tests.harness import procfs

        def hold(pipe):
            x = pipe.recv()
            del x
            pipe.send(None)
            pipe.recv()
            pipe.send(sum(procfs.segments(["self"]).values()))

        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            here, there = context.Pipe()
            receiver = context.Process(target=hold, args=(there,))
            receiver.start()
            x = xp.full(40 << 20, 1, dtype="u1")
            here.send(x)
            here.recv()
            del x
            assert xp.empty_cache() >= 40 << 20
            here.send(None)
            print(here.recv())
            receiver.join()
        """
    assert int(run_script(code).ok()) < MIB  # the ledgers
