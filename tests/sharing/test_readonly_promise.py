"""What the kernel refuses to the receiver of read-only views, and what it cannot refuse."""

import ctypes
import errno
import fcntl
import mmap
import os

import numpy as np
import pytest

import sharedarray as xp
from tests.harness import Worker, procfs, run_script

from .facts import address

NBYTES = 40 << 20  # a segment of its own
PAGE = 4096


def descriptor(x):
    """The descriptor by which this process has the segment of an Array, and the name of it."""
    name = x.storage().id.partition("-")[0]
    (number,) = [n for n, to in procfs.descriptors().items() if f"sharedarray-{name}" in to]
    return number


def errno_of(function, *arguments, **names):
    """Name of the error that a call ends with, or None."""
    try:
        function(*arguments, **names)
    except OSError as error:
        return errno.errorcode[error.errno]
    return None


def libc(name, *arguments):
    """Call a function of the C library that gives -1 on failure."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def by_another_process(start):
    """Write as a debugger does."""
    data = ctypes.create_string_buffer(b"x" * 8)
    ours = Piece(ctypes.addressof(data), 8)
    theirs = Piece(start, 8)
    count = ctypes.c_ulong(1)
    libc(
        "process_vm_writev",
        os.getpid(),
        *(ctypes.byref(ours), count, ctypes.byref(theirs), count, ctypes.c_ulong(0)),
    )


def by_mem(start):
    """Write through ``/proc/self/mem``, which heeds no page protection of private memory."""
    fd = os.open("/proc/self/mem", os.O_RDWR)
    try:
        os.pwrite(fd, b"x" * 8, start)
    finally:
        os.close(fd)


def attacks(x):
    """Try every way to write; the error of each (None: it worked)."""
    fd = descriptor(x)
    start = address(x) // PAGE * PAGE
    at, length = ctypes.c_void_p(start), ctypes.c_size_t(PAGE)
    remove, hole = 9, 3  # MADV_REMOVE; FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
    return {
        "mmap": errno_of(mmap.mmap, fd, PAGE),
        "mmap private": errno_of(mmap.mmap, fd, PAGE, flags=mmap.MAP_PRIVATE),
        "mprotect": errno_of(libc, "mprotect", at, length, 3),
        "madvise": errno_of(libc, "madvise", at, length, remove),
        "write": errno_of(os.pwrite, fd, b"x" * 8, 0),
        "truncate": errno_of(os.ftruncate, fd, 0),
        "fallocate": errno_of(libc, "fallocate", fd, hole, ctypes.c_long(0), ctypes.c_long(PAGE)),
        "seal": errno_of(fcntl.fcntl, fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL),
        "/proc/self/mem": errno_of(by_mem, start),
        "process_vm_writev": errno_of(by_another_process, start),
        "send into it": errno_of(os.sendfile, fd, os.open("/proc/self/exe", 0), 0, 8),
        "lock it for writing": errno_of(fcntl.lockf, fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
        "reopen for writing": errno_of(lambda: os.close(os.open(f"/proc/self/fd/{fd}", os.O_RDWR))),
    }


REFUSED = {
    "mmap": {"EACCES"},
    "mprotect": {"EACCES"},
    "madvise": {"EACCES", "EINVAL"},
    "write": {"EBADF"},
    "truncate": {"EINVAL", "EBADF"},
    "fallocate": {"EBADF"},
    "seal": {"EPERM"},
    "/proc/self/mem": {"EIO", "EFAULT"},
    "process_vm_writev": {"EFAULT"},
    "send into it": {"EBADF"},
    "lock it for writing": {"EBADF"},
}
# The same user owns the memory, and may open it anew: the security page says so. A private mapping
# is a copy.
NOT_REFUSED = {"reopen for writing", "mmap private"}


def judge(found):
    """A sentence for each attack that went otherwise than the page says."""
    assert set(found) == set(REFUSED) | NOT_REFUSED
    wrong = [f"{k}: {found[k]}" for k, right in REFUSED.items() if found[k] not in right]
    return wrong + [f"{k}: {found[k]}" for k in NOT_REFUSED if found[k] is not None]


def test_by_proc(method):
    if method == "fork":
        pytest.skip("a forked child has its parent's descriptors")
    x = xp.full(NBYTES // 8, 3.0)
    with Worker(method) as reader:
        reader.run("keep['x'] = x", x=x.readonly())
        assert judge(reader.run("return attacks(keep['x'])", attacks=attacks)) == []
        assert reader.get("float(xp.sum(keep['x']))") == 3 * x.size
    assert (np.asarray(x) == 3).all()


BY_SOCKET = """
    from tests.harness import Worker
    from tests.sharing.forging import SERVED, fields, forged
    from tests.sharing.test_readonly_promise import NBYTES, attacks, judge

    if __name__ == "__main__":
        import sharedarray as xp

        x = xp.full(NBYTES // 8, 3.0)
        blob = bytes(x.readonly().handle())
        assert fields(blob)["flags"] & SERVED
        with Worker("spawn") as reader:
            # as from another pid namespace, so that the socket alone is asked
            reader.run("keep['x'] = xp.from_handle(xp.Handle.from_bytes(b))",
                       b=forged(blob, pidns=1))
            print(judge(reader.run("return attacks(keep['x'])", attacks=attacks)))
            assert reader.get("float(xp.sum(keep['x']))") == 3 * x.size
        assert float(xp.sum(x)) == 3 * x.size
        xp.from_handle(xp.Handle.from_bytes(blob))
    """


def test_by_the_socket():
    assert run_script(BY_SOCKET, env={"SHAREDARRAY_SERVE": "1"}).ok() == "[]"


def test_a_writable_receiver_is_refused_none_of_it():
    """So it is the read-only view that is refused above."""
    xp.empty_cache()
    x = xp.zeros(NBYTES // 8)
    with Worker("spawn") as receiver:
        receiver.run("keep['x'] = x", x=x)
        found = receiver.run("return attacks(keep['x'])", attacks=attacks)
    del x
    xp.empty_cache()  # what was sealed serves no other test
    assert [k for k in REFUSED if k != "truncate" and found[k] is not None] == []
    assert found["truncate"] == "EPERM"  # sealed for everybody
