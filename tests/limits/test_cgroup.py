"""A memory cgroup that is full: `MemoryError` with the figures, and nobody is killed."""

import contextlib
import errno
import pathlib
import time
import uuid

import pytest

from tests.harness import run_script

MIB = 1 << 20


def made(base, name, file, limit):
    """A new cgroup of so many bytes below `base`; None where none may be made."""
    folder = pathlib.Path(base, name)
    if not (folder.parent / "cgroup.procs").exists():  # no hierarchy: any folder could be made
        return None
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        (folder / file).write_text(str(limit))
        with contextlib.suppress(OSError):
            (folder / "memory.swap.max").write_text("0")
    except OSError:
        folder.rmdir()
        return None
    return folder


def remove(folder):
    """Remove a cgroup as soon as its last process has gone."""
    end = time.monotonic() + 30
    while True:
        try:
            return folder.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > end:
                raise
        time.sleep(0.05)


@contextlib.contextmanager
def group(limit):
    """A memory cgroup of so many bytes: its folder, or None where none may be made."""
    name = f"sharedarray-limits-{uuid.uuid4().hex}"
    for base, file in (
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        ("/sys/fs/cgroup", "memory.max"),
        ("/sys/fs/cgroup/unified", "memory.max"),
    ):
        folder = made(base, name, file, limit)
        if folder:
            try:
                yield folder
            finally:
                remove(folder)
            return
    yield None


def test_a_folder_that_is_no_cgroup_is_not_taken_for_one(tmp_path):
    assert made(tmp_path, "name", "memory.max", 256 * MIB) is None
    assert list(tmp_path.iterdir()) == []


CODE = """
    import gc, os, sys
    with open(sys.argv[1] + "/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
    import numpy as np
    import sharedarray as xp

    n, arrays = int(sys.argv[2]) // 8, []
    try:
        while len(arrays) * n < 1 << 26:  # twice what the group has: it does not hold
            arrays.append(xp.full(n, float(len(arrays))))
        raise AssertionError("the group has no limit")
    except MemoryError as error:
        assert "memory cgroup" in str(error), error
        assert "empty_cache" in str(error)
    assert all(np.asarray(x)[-1] == i for i, x in enumerate(arrays))
    many = len(arrays)
    del arrays[: many // 2]
    arrays += [xp.full(n, 3.0) for _ in range(many // 3)]  # their memory serves again
    arrays.clear()
    gc.collect()
    xp.empty_cache()
    x = xp.full(100 << 20 >> 3, 1.0)
    assert np.asarray(x)[-1] == 1
    del x  # cached, and given back for what would not fit in beside it
    x = xp.full(190 << 20 >> 3, 1.0)
    assert np.asarray(x)[-1] == 1
    del x
    x = xp.full(100 << 20 >> 3, 1.0)
    blob = bytes(x.handle())
    print(many * n * 8)
    """


@pytest.mark.parametrize("nbytes", [1000, 100_000, MIB, 16 * MIB, 60 * MIB])
def test_arrays_of_each_size(nbytes):
    with group(256 * MIB) as folder:
        if folder is None:
            pytest.skip("memory cgroups cannot be made here")
        used = int(run_script(CODE, folder, nbytes).ok())
        assert 128 * MIB < used <= 256 * MIB


BY_A_WORKER = """
    import os, sys
    from tests.harness import Worker

    if __name__ == "__main__":
        with Worker("fork") as worker:
            import sharedarray as xp
            with open(sys.argv[1] + "/cgroup.procs", "w") as file:
                file.write(str(worker.pid))
            kind = worker.run('''
                arrays = []
                try:
                    while True:
                        arrays.append(xp.full(1 << 20, 1.0))
                except MemoryError as error:
                    keep["x"] = arrays[0]
                    return "memory cgroup" in str(error)
            ''')
            assert kind is True
            x = worker.get("keep['x']")
            assert float(xp.sum(x)) == 1 << 20
            worker.run("keep.clear()")
    """


def test_a_worker_in_a_full_group_lives_on():
    with group(256 * MIB) as folder:
        if folder is None:
            pytest.skip("memory cgroups cannot be made here")
        run_script(BY_A_WORKER, folder).ok()
