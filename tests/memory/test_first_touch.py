"""Memory is committed on first touch, as NumPy's; fresh memory of `zeros` is zero."""

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import procfs, run_script

GIB = 1 << 30


def held():
    """Bytes behind the segments of this process."""
    return sum(procfs.segments(["self"]).values())


@pytest.mark.parametrize("maker", [xp.empty, xp.zeros])
def test_a_gibibyte_costs_what_is_touched(maker):
    xp.empty_cache()
    before = held()
    x = maker(GIB, dtype="u1")
    assert held() <= before + (4 << 20)
    x[:: GIB // 4] = 1
    assert before + 4 * 4096 <= held() <= before + (16 << 20)
    del x
    xp.empty_cache()
    assert held() <= before + (4 << 20)


def test_a_receiver_touches_pages_too(worker):
    xp.empty_cache()
    x = xp.empty(GIB // 8)
    before = held()
    worker.run("x[:1 << 20] = 1", x=x)
    grown = held() - before
    assert 8 << 20 <= grown <= 24 << 20
    assert float(xp.sum(x[: 1 << 20])) == 1 << 20


@pytest.mark.parametrize("nbytes", [8, 1000, 4096, 1 << 16, 1 << 20, 16 << 20])
def test_zeros_are_zero_in_used_memory_too(nbytes):
    for _ in range(5):
        x = xp.zeros(nbytes, dtype="u1")
        assert not np.asarray(x).any()
        x[...] = 255
        del x


@pytest.mark.parametrize("give_back", [False, True])
@pytest.mark.parametrize("small", [8, 100, 1000, 4096, 16 << 10])
def test_zeros_are_zero_where_small_arrays_were(small, give_back):
    """Memory that small arrays filled and left serves larger ones."""
    for nbytes in (64 << 10, 256 << 10, 1 << 20):
        used = [xp.full(small, 255, dtype="u1") for _ in range((8 << 20) // max(small, 512))]
        used.clear()
        if give_back:
            xp.empty_cache()
        zeros = [xp.zeros(nbytes, dtype="u1") for _ in range((8 << 20) // nbytes)]
        assert not any(np.asarray(x).any() for x in zeros)


def test_small_arrays_share_segments():
    code = """
        import sharedarray as xp
        from tests.harness import procfs
        arrays = [xp.full(16, 1.0) for _ in range(10000)]
        segments = procfs.segments(["self"])
        print(len(segments) < 20, sum(segments.values()) < 16 << 20)
        """
    assert run_script(code).ok() == "True True"


@pytest.mark.parametrize("nbytes", [1, 8, 100, 4096, 1 << 20, 3 << 20])
def test_arrays_are_aligned(nbytes):
    for _ in range(5):
        assert np.asarray(xp.empty(nbytes, dtype="u1")).ctypes.data % 64 == 0


def test_memory_never_moves():
    x = xp.zeros(1000)
    a = np.asarray(x)
    start = a.ctypes.data
    x += 1
    x.share_memory_()
    bytes(x.handle())
    xp.empty_cache()
    assert np.asarray(x).ctypes.data == start
    assert (a == 1).all()
