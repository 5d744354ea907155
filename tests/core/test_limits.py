"""core/limits.c: how much memory is left, on made-up trees of kernel files and on this machine."""

import contextlib
import errno
import os
import pathlib
import resource

import pytest

MACHINE, CGROUP, ADDRESS = 1, 2, 4
ALL = MACHINE | CGROUP | ADDRESS
ACTIVE = 8
KIB, MIB = 1 << 10, 1 << 20
UNLIMITED_V1 = 0x7FFFFFFFFFFFF000

V2_MOUNT = "30 24 0:26 {top} {mount} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V1_MOUNT = "35 31 0:32 {top} {mount} rw,relatime - cgroup cgroup rw,memory\n"
OTHERS = (
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "29 24 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
)


class Tree:
    """A root directory with the files that the kernel would show."""

    def __init__(self, root, core):
        self.root, self.core = root, core

    def write(self, path, text):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(str(text))

    def meminfo(self, available=1 << 30, swap=0, **more):
        fields = {"MemTotal": 1 << 40, "MemFree": 1, "MemAvailable": available}
        fields |= {"SwapTotal": 1 << 40, "SwapFree": swap} | more
        lines = [f"{key}:{value // KIB:12} kB" for key, value in fields.items()]
        self.write("/proc/meminfo", "\n".join(lines) + "\n")

    def group(self, lines, mounts):
        self.write("/proc/self/cgroup", lines)
        self.write("/proc/self/mountinfo", OTHERS + mounts)

    def v2(self, folder, limit, current=0, inactive=0, slab=0, **more):
        self.write(f"{folder}/memory.max", f"{limit}\n")
        self.write(f"{folder}/memory.current", f"{current}\n")
        stat = f"anon 1\nfile 999\ninactive_anon 7\ninactive_file {inactive}\n"
        self.write(f"{folder}/memory.stat", stat + f"slab_reclaimable {slab}\nslab 5\n")
        for name, value in more.items():
            self.write(f"{folder}/memory.{name.replace('_', '.')}", f"{value}\n")

    def v1(self, folder, limit=UNLIMITED_V1, usage=0, inactive=0, hierarchical=UNLIMITED_V1):
        self.write(f"{folder}/memory.limit_in_bytes", f"{limit}\n")
        self.write(f"{folder}/memory.usage_in_bytes", f"{usage}\n")
        stat = f"cache 1\ninactive_file 3\nhierarchical_memory_limit {hierarchical}\n"
        self.write(
            f"{folder}/memory.stat", stat + f"total_cache 9\ntotal_inactive_file {inactive}\n"
        )

    def limit(self, kinds=ALL):
        return self.core.limit(self.root, kinds)


@pytest.fixture
def tree(tmp_path, core):
    return Tree(tmp_path, core)


def test_nothing_to_read(tree):
    assert tree.limit() == -errno.ENOENT


def test_the_machine(tree):
    tree.meminfo(available=300 * MIB, swap=20 * MIB)
    assert tree.limit() == (320 * MIB, "this machine's memory")
    assert tree.limit(CGROUP | ADDRESS) == -errno.ENOENT


def test_the_commit_limit_counts_only_where_it_is_enforced(tree):
    tree.meminfo(available=300 * MIB, CommitLimit=100 * MIB, Committed_AS=90 * MIB)
    for mode, expected in (("0", 300 * MIB), ("1", 300 * MIB), ("2", 10 * MIB)):
        tree.write("/proc/sys/vm/overcommit_memory", mode + "\n")
        assert tree.limit()[0] == expected
    assert "vm.overcommit_memory" in tree.limit()[1]
    tree.meminfo(available=300 * MIB, CommitLimit=100 * MIB, Committed_AS=190 * MIB)
    assert tree.limit()[0] == 0


def test_version_2_counts_out_what_can_be_reclaimed(tree):
    tree.meminfo()
    tree.group("0::/a/b\n", V2_MOUNT.format(top="/", mount="/sys/fs/cgroup"))
    tree.v2("/sys/fs/cgroup/a/b", 100 * MIB, current=80 * MIB, inactive=15 * MIB, slab=5 * MIB)
    assert tree.limit() == (40 * MIB, "memory cgroup /a/b")


def test_file_pages_in_use_are_free_for_small_requests(tree):
    tree.meminfo()
    tree.group("0::/a\n", V2_MOUNT.format(top="/", mount="/sys/fs/cgroup"))
    tree.v2("/sys/fs/cgroup/a", 100 * MIB, current=95 * MIB, inactive=15 * MIB)
    tree.write("/sys/fs/cgroup/a/memory.stat", f"active_file {50 * MIB}\ninactive_file {MIB}\n")
    assert tree.limit()[0] == 6 * MIB
    assert tree.limit(ALL | ACTIVE)[0] == 56 * MIB
    tree.group("4:memory:/a\n", V1_MOUNT.format(top="/", mount="/m"))
    tree.v1("/m/a", limit=100 * MIB, usage=90 * MIB)
    tree.write("/m/a/memory.stat", f"total_active_file {50 * MIB}\ntotal_inactive_file {MIB}\n")
    assert tree.limit()[0] == 11 * MIB
    assert tree.limit(ALL | ACTIVE)[0] == 61 * MIB


def test_version_2_takes_the_least_ancestor(tree):
    tree.meminfo()
    tree.group("0::/a/b/c\n", V2_MOUNT.format(top="/", mount="/sys/fs/cgroup"))
    tree.v2("/sys/fs/cgroup/a/b/c", "max", current=1)
    tree.v2("/sys/fs/cgroup/a/b", 500 * MIB, current=100 * MIB)
    tree.v2("/sys/fs/cgroup/a", 600 * MIB, current=550 * MIB)
    assert tree.limit() == (50 * MIB, "memory cgroup /a")
    tree.v2("/sys/fs/cgroup/a", "max")
    assert tree.limit() == (400 * MIB, "memory cgroup /a/b")
    tree.meminfo(available=399 * MIB)
    assert tree.limit() == (399 * MIB, "this machine's memory")


def test_version_2_swap(tree):
    tree.group("0::/a\n", V2_MOUNT.format(top="/", mount="/sys/fs/cgroup"))
    tree.v2("/sys/fs/cgroup/a", 100 * MIB, swap_max=50 * MIB, swap_current=20 * MIB)
    for free, expected in ((1 << 30, 130), (10 * MIB, 110), (0, 100)):
        tree.meminfo(swap=free)
        assert tree.limit()[0] == expected * MIB
    tree.v2("/sys/fs/cgroup/a", 100 * MIB, swap_max="max", swap_current=20 * MIB)
    tree.meminfo(swap=70 * MIB)
    assert tree.limit()[0] == 170 * MIB
    # Swap counts for the group also where the machine itself is not asked about.
    assert tree.limit(CGROUP)[0] == 170 * MIB


def test_more_used_than_allowed(tree):
    tree.meminfo()
    tree.group("0::/a\n", V2_MOUNT.format(top="/", mount="/sys/fs/cgroup"))
    tree.v2("/sys/fs/cgroup/a", 100 * MIB, current=200 * MIB)
    assert tree.limit()[0] == 0
    tree.v2("/sys/fs/cgroup/a", 100 * MIB, current=MIB, inactive=2 * MIB)
    assert tree.limit()[0] == 100 * MIB


@pytest.mark.parametrize(
    ("path", "top"),
    [("/", "/"), ("/docker/f00", "/docker/f00"), ("/../other", "/"), ("/gone", "/")],
    ids=["own namespace", "bound", "outside", "not visible"],
)
def test_in_a_container_the_mount_is_the_limit(tree, path, top):
    tree.meminfo()
    tree.group(f"0::{path}\n", V2_MOUNT.format(top=top, mount="/sys/fs/cgroup"))
    tree.v2("/sys/fs/cgroup", 100 * MIB, current=25 * MIB)
    assert tree.limit() == (75 * MIB, "memory cgroup /")


def test_mounts_of_other_groups_are_passed_over(tree):
    tree.meminfo()
    mounts = V2_MOUNT.format(top="/else", mount="/mnt/else") + V2_MOUNT.format(
        top="/", mount=r"/odd\040place"
    )
    tree.group("0::/elsewhere\n", mounts)
    tree.v2("/mnt/else", MIB)
    tree.v2("/odd place/elsewhere", 100 * MIB)
    assert tree.limit() == (100 * MIB, "memory cgroup /elsewhere")


def test_version_1(tree):
    tree.meminfo()
    tree.group(
        "9:name=systemd:/s\n4:cpu,memory:/a/b\n3:cpuset:/x\n",
        V1_MOUNT.format(top="/", mount="/sys/fs/cgroup/memory"),
    )
    folder = "/sys/fs/cgroup/memory"
    tree.v1(f"{folder}/a/b", usage=10 * MIB)
    assert tree.limit() == (1 << 30, "this machine's memory")
    tree.v1(f"{folder}/a", limit=100 * MIB, usage=60 * MIB, inactive=20 * MIB)
    assert tree.limit() == (60 * MIB, "memory cgroup /a")
    tree.v1(f"{folder}/a/b", limit=50 * MIB, usage=20 * MIB)
    assert tree.limit() == (30 * MIB, "memory cgroup /a/b")


def test_version_1_tells_of_ancestors_out_of_sight(tree):
    tree.meminfo()
    tree.group(
        "4:memory:/docker/f00\n", V1_MOUNT.format(top="/docker/f00", mount="/sys/fs/cgroup/memory")
    )
    tree.v1("/sys/fs/cgroup/memory", usage=10 * MIB, hierarchical=64 * MIB)
    assert tree.limit() == (54 * MIB, "memory cgroup /")


def test_version_1_swap(tree):
    tree.meminfo(swap=1 << 30)
    tree.group("4:memory:/a\n", V1_MOUNT.format(top="/", mount="/m"))
    tree.v1("/m/a", limit=100 * MIB, usage=40 * MIB)
    assert tree.limit(CGROUP)[0] == (1 << 30) + 60 * MIB
    tree.write("/m/a/memory.memsw.limit_in_bytes", 120 * MIB)
    tree.write("/m/a/memory.memsw.usage_in_bytes", 50 * MIB)
    assert tree.limit(CGROUP) == (70 * MIB, "memory and swap cgroup /a")


def test_both_versions_at_once(tree):
    """As systemd's hybrid layout has it: the second without a memory controller."""
    tree.meminfo()
    mounts = V1_MOUNT.format(top="/", mount="/m") + V2_MOUNT.format(top="/", mount="/u")
    tree.group("4:memory:/a\n0::/b\n", mounts)
    tree.v1("/m/a", limit=100 * MIB)
    tree.write("/u/b/cgroup.procs", "1\n")
    assert tree.limit() == (100 * MIB, "memory cgroup /a")
    tree.v2("/u/b", 90 * MIB)
    assert tree.limit() == (90 * MIB, "memory cgroup /b")


def test_long_names_are_cut(tree):
    tree.meminfo()
    name = "/" + "x" * 200
    tree.group(f"0::{name}\n", V2_MOUNT.format(top="/", mount="/c"))
    tree.v2(f"/c{name}", MIB)
    assert tree.limit() == (MIB, f"memory cgroup {name}"[:63])


def test_addresses(tree):
    tree.meminfo()
    head = "Limit                     Soft Limit           Hard Limit           Units     \n"
    line = "Max address space         {:<20} unlimited            bytes     \n"
    tree.write("/proc/self/statm", "1024 10 5 1 0 50 0\n")
    tree.write("/proc/self/limits", head + line.format("unlimited"))
    assert tree.limit() == (1 << 30, "this machine's memory")
    tree.write("/proc/self/limits", head + line.format(100 * MIB))
    left = 100 * MIB - 1024 * resource.getpagesize()
    assert tree.limit() == (left, "RLIMIT_AS (ulimit -v)")
    assert tree.limit(MACHINE)[0] == 1 << 30


@pytest.mark.parametrize("noise", ["", "\n", ":", "::", "0::", "4:memory", "0::/a\n" * 500])
@pytest.mark.parametrize(
    "mounts", ["", " - ", " - cgroup2", "a b c d e - cgroup2 x y\n", "x" * 9999]
)
def test_noise(tree, noise, mounts):
    tree.meminfo()
    tree.write("/proc/self/cgroup", noise)
    tree.write("/proc/self/mountinfo", mounts)
    tree.write("/proc/self/limits", noise)
    assert tree.limit()[0] == 1 << 30


def test_this_machine(core):
    avail, which = core.limit("", ALL)
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    swap = int(pathlib.Path("/proc/meminfo").read_text().split("SwapTotal:")[1].split()[0]) * KIB
    assert 0 < avail <= total + swap
    assert which


def test_this_process(peer):
    peer(f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({1 << 32}, {1 << 32}))")
    before, which = peer("core.limit('', 4)")
    assert which == "RLIMIT_AS (ulimit -v)"
    peer("import mmap\nm = mmap.mmap(-1, 1 << 30)\nNone")
    after, _ = peer("core.limit('', 4)")
    assert before - after >= 1 << 30


@contextlib.contextmanager
def real_group():
    """A memory cgroup of 256 MiB: its folder, or None where none may be made."""
    name = f"sharedarray-test-{os.getpid()}"
    for base, file in (
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        ("/sys/fs/cgroup", "memory.max"),
    ):
        folder = pathlib.Path(base, name)
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            try:
                (folder / file).write_text(str(256 * MIB))
            except OSError:
                continue
            yield folder
            return
        finally:
            folder.rmdir()
    yield None


def test_a_real_group(library):
    from .native import Peer

    with real_group() as folder:
        if folder is None:
            pytest.skip("memory cgroups cannot be made here")
        with Peer(library) as peer:
            (folder / "cgroup.procs").write_text(str(peer.pid))
            before, which = peer("core.limit('', 3)")
            assert which == f"memory cgroup /{folder.name}"
            assert 200 * MIB < before <= 256 * MIB
            peer(f"pair, name, fd = core.segment({64 * MIB})\nos.write(fd, bytes({64 * MIB}))")
            after, _ = peer("core.limit('', 3)")
            assert before - after > 60 * MIB
