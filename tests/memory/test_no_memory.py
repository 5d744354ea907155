"""What cannot be had is an exception with the figures, and never a signal."""

import pytest

import sharedarray as xp
from tests.harness import procfs, run_script

HUGE = 1 << 50


def check_text(text, *names):
    """What every such message must tell."""
    for word in ("cached", "in flight", "empty_cache", *names):
        assert word in text, (word, text)
    assert any(character.isdigit() for character in text)


MAKERS = {
    "empty": lambda: xp.empty(HUGE, dtype="u1"),
    "zeros": lambda: xp.zeros((1 << 25, 1 << 25), dtype="u1"),
    "full": lambda: xp.full(HUGE, 1, dtype="u1"),
    "arange": lambda: xp.arange(HUGE // 8),
    "operator": lambda: xp.broadcast_to(xp.ones(1), (HUGE // 8,)) + 1,
    "function": lambda: xp.sin(xp.broadcast_to(xp.ones(1), (HUGE // 8,))),
    "method": lambda: xp.broadcast_to(xp.ones(1), (HUGE // 8,)).copy(),
    "copy": lambda: xp.asarray(xp.broadcast_to(xp.ones(1), (HUGE // 8,)), copy=True),
    "Storage": lambda: xp.Storage(HUGE),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_more_than_the_machine(maker):
    with pytest.raises(MemoryError) as caught:
        MAKERS[maker]()
    check_text(str(caught.value), "machine", "1,125,899,906,842,624 bytes (1024.0 TiB)")
    assert xp.ones(3).tolist() == [1, 1, 1]


def test_numpy_words_its_own_inside_a_capture():
    import numpy as np

    with pytest.raises(MemoryError), xp.capture_numpy():
        np.ones(HUGE)
    assert xp.ones(3).is_shared()


def test_figures_name_what_is_cached_and_in_flight():
    code = """
        import sharedarray as xp
        x = xp.full(32 << 20, 1, dtype="u1")
        blob = bytes(xp.full(64 << 20, 1, dtype="u1").handle())
        try:
            xp.empty(1 << 50, dtype="u1")
        except MemoryError as error:
            print(error)
        """
    text = run_script(code).ok()
    # What is in flight is held by this process as an array is.
    check_text(text, "machine", "96.0 MiB are in arrays", "64.0 MiB in flight")


@pytest.mark.parametrize("asked", [HUGE, 1 << 44])
@pytest.mark.parametrize("nbytes", [16 << 20, 40 << 20])
def test_the_cache_is_given_back_before_the_error(nbytes, asked):
    xp.empty_cache()
    before = sum(procfs.segments(["self"]).values())
    xp.full(nbytes, 1, dtype="u1")
    assert xp.memory_stats()["cpu"]["cached"] >= nbytes
    with pytest.raises(MemoryError, match=" 0 B cached"):
        xp.empty(asked, dtype="u1")
    assert xp.memory_stats()["cpu"]["cached"] == 0
    assert sum(procfs.segments(["self"]).values()) < before + (4 << 20)


def test_a_program_started_with_little_address_space():
    """Address space is reserved at first use, and less of it where little is allowed."""
    code = """
        import resource
        with open("/proc/self/statm") as file:
            import numpy
            size = int(file.read().split()[0]) * resource.getpagesize()
        limit = size + (512 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        import sharedarray as xp
        arrays = [xp.full(100_000, float(i)) for i in range(20)]
        assert all(float(x[-1]) == i for i, x in enumerate(arrays))
        try:
            xp.ones(1 << 30)
        except MemoryError as error:
            print("RLIMIT_AS" in str(error), error)
        """
    told = run_script(code).ok()
    assert told.startswith("True"), told


def test_the_limit_of_file_size():
    code = """
        import resource, signal
        import sharedarray as xp
        limit = 16 << 20
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            xp.ones(64 << 20)
        except MemoryError as error:
            print(error)
        small = [xp.full(1000, float(i)) for i in range(100)]
        assert all(float(x[-1]) == i for i, x in enumerate(small))
        assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN
        """
    told = run_script(code).ok()
    check_text(told, "RLIMIT_FSIZE", "16.0 MiB", "536,870,912 bytes (512.0 MiB)")
    assert "machine" not in told


def test_a_tiny_limit_of_file_size_is_no_signal():
    code = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        import sharedarray as xp
        try:
            xp.ones(1 << 20)
        except MemoryError as error:
            print("RLIMIT_FSIZE" in str(error))
        """
    assert run_script(code).ok() == "True"


def test_no_descriptors_left():
    code = """
        import errno, os
        import sharedarray as xp
        held = []
        try:
            while True:
                held.append(os.dup(0))
        except OSError:
            pass
        kept = []
        try:
            for _ in range(1000):
                kept.append(xp.full(4 << 20, 1.0))
        except OSError as error:
            print(error.errno == errno.EMFILE, "ulimit -n" in str(error) or "NOFILE" in str(error))
        for fd in held:
            os.close(fd)
        assert float(xp.sum(xp.ones(4 << 20))) == 4 << 20
        """
    assert run_script(code, limits={"nofile": 64}).ok() == "True True"
