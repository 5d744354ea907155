"""info: what it tells, and that it tells the truth."""

import errno
import json
import os
import pathlib
import platform
import resource

import numpy as np
import pytest

from sharedarray import _driver
from sharedarray import _limits as limits
from sharedarray._cli import features, info


def test_json(command):
    done = command("info", "--json")
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert set(found) == {"version", "build", "running", "features", "settings", "limits", "cuda"}
    assert found["running"]["python"] == platform.python_version()
    assert found["running"]["numpy"] == np.__version__
    assert found["running"]["kernel"] == os.uname().release
    assert found["build"]["cython"].count(".") == 2
    assert found["build"]["compiler"].split()[0] in ("GCC", "Clang")
    assert found["build"]["numpy"] >= found["build"]["numpy_oldest"]
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert found["limits"]["RLIMIT_NOFILE"] == soft
    assert found["limits"]["machine"] > found["limits"]["cache"] > 0
    for feature in found["features"].values():
        assert isinstance(feature["works"], bool)
        assert feature["detail"]


def test_text_holds_everything(command):
    text = command("info", SHAREDARRAY_CACHE="1073741824").stdout
    for label in (*info.LABELS.values(), "kernel", "shmem_enabled", "RLIMIT_AS", "CUDA", "cgroup"):
        assert label in text
    assert "SHAREDARRAY_CACHE      1073741824" in text
    assert "cache                  1.00 GiB" in text


def test_limits_of_this_process():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert limits.all_limits()["RLIMIT_NOFILE"] == limit[0]
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, limit[1]))
    try:
        assert limits.all_limits()["RLIMIT_NOFILE"] == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def test_the_cache_is_a_quarter_of_what_there_is(monkeypatch):
    monkeypatch.delenv("SHAREDARRAY_CACHE", raising=False)
    monkeypatch.setattr(limits, "machine_memory", lambda: (4000, 3000))
    monkeypatch.setattr(limits, "cgroup_memory", lambda: None)
    assert limits.cache_memory() == 1000
    monkeypatch.setattr(limits, "cgroup_memory", lambda: 400)
    assert limits.cache_memory() == 100
    monkeypatch.setenv("SHAREDARRAY_CACHE", "77")
    assert limits.cache_memory() == 77


def test_cuda_or_why_not(monkeypatch):
    monkeypatch.setattr(_driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    found = info.collect()
    assert found["cuda"] == {
        "devices": 0,
        "usable": 0,
        "driver": None,
        "double": False,
        "reason": "no NVIDIA driver",
    }
    assert "not usable             no NVIDIA driver" in info.as_text(found)
    monkeypatch.setattr(_driver, "query", lambda: _driver.Driver(2, (13, 0), ""))
    monkeypatch.setattr("sharedarray._backends._backends", {})
    monkeypatch.setattr("sharedarray._backends._providers", {})
    found = info.collect()
    assert (found["cuda"]["devices"], found["cuda"]["driver"]) == (2, "13.0")
    assert "on the CPU only" in found["cuda"]["reason"]
    assert "driver                 CUDA 13.0\n" in info.as_text(found)
    monkeypatch.setattr(_driver, "is_double", lambda: True)
    assert "CUDA 13.0, a double without a card\n" in info.as_text(info.collect())


# Features.


def test_features_leave_nothing_behind():
    def held():
        maps = pathlib.Path("/proc/self/maps").read_text()
        return len(os.listdir("/proc/self/fd")), maps.count("memfd:sharedarray-info")

    features.all_features()
    before = held()
    for _ in range(3):
        features.all_features()
    assert held() == before
    assert before[1] == 0


def test_sealing_works_on_linux():
    assert features.memfd_sealing().works
    assert features.reopen_by_proc().works


def test_features_that_are_missing(monkeypatch):
    def refuse(*args):
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "memfd_create", refuse)
    for feature in (features.memfd_sealing, features.mfd_noexec_seal, features.madv_collapse):
        found = feature()
        assert not found.works
        assert found.detail.startswith("Invalid argument: ")


def test_a_seal_that_does_not_hold(monkeypatch):
    monkeypatch.setattr(features.fcntl, "fcntl", lambda *args: 0)
    found = features.memfd_sealing()
    assert not found.works
    assert "could be changed" in found.detail


def test_a_kernel_without_collapse(monkeypatch):
    monkeypatch.setattr(features, "MADV_COLLAPSE", 12345)
    found = features.madv_collapse()
    assert not found.works
    assert found.detail.startswith("Invalid argument (Linux 6.1 has it)")


# Control groups.


@pytest.fixture
def groups(tmp_path):
    """Make files below a mount of control groups."""

    def make(**files):
        for path, text in files.items():
            file = tmp_path / path.replace("__", "/").replace("_dot_", ".")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return tmp_path

    return make


def test_cgroup_2_the_least_of_the_ancestors(groups):
    root = groups(a__b__memory_dot_max="max\n", a__memory_dot_max="5000\n", memory_dot_max="9000\n")
    assert limits.cgroup_memory(root, "0::/a/b\n") == 5000
    assert limits.cgroup_memory(root, "0::/\n") == 9000


def test_cgroup_2_without_a_limit(groups):
    root = groups(a__memory_dot_max="max\n")
    assert limits.cgroup_memory(root, "0::/a\n") is None
    assert limits.cgroup_memory(root, "0::/gone\n") is None
    assert limits.cgroup_memory(root, "") is None


def test_cgroup_1(groups):
    root = groups(
        memory__a__memory_dot_stat="cache 1\nhierarchical_memory_limit 7000\n",
        memory__memory_dot_stat=f"hierarchical_memory_limit {(1 << 63) - 4096}\n",
    )
    assert limits.cgroup_memory(root, "4:memory:/a\n0::/\n") == 7000
    assert limits.cgroup_memory(root, "4:cpu,memory:/of/the/host\n0::/\n") is None
