"""Which of the kernel's features work here: each one is tried, not looked up."""

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
from typing import NamedTuple

MFD_NOEXEC_SEAL = 0x0008  # Linux 6.3
MADV_COLLAPSE = 25  # Linux 6.1
HUGE = 2 << 20  # bytes: a huge page of x86-64 and of arm64 with 4 KiB pages
PROT_NONE, PROT_READ_WRITE = 0, mmap.PROT_READ | mmap.PROT_WRITE
MAP_FIXED, MAP_NORESERVE = 0x10, 0x4000
MAP_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Feature(NamedTuple):
    """Whether a feature works, and what was seen.

    Attributes
    ----------
    works : bool
        True if it does.
    detail : str
        What was seen, or what its absence costs.
    """

    works: bool
    detail: str


def all_features() -> dict[str, Feature]:
    """Try every feature.

    Returns
    -------
    dict of str to Feature
        By name.
    """
    return {
        "memfd_sealing": memfd_sealing(),
        "mfd_noexec_seal": mfd_noexec_seal(),
        "reopen_by_proc": reopen_by_proc(),
        "madv_collapse": madv_collapse(),
        "pss": pss(),
    }


def memfd_sealing() -> Feature:
    """Try whether a segment can be protected from being truncated under its users."""
    try:
        with _memfd() as fd:
            os.ftruncate(fd, mmap.PAGESIZE)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            try:
                os.ftruncate(fd, 0)
            except PermissionError:
                return Feature(True, "segments keep their size")
            return Feature(False, "the seal was set and the size could be changed all the same")
    except OSError as error:
        return Feature(False, f"{error.strerror}: no shared memory can be made here")


def mfd_noexec_seal() -> Feature:
    """Try whether a segment can be made that nobody can execute (Linux 6.3)."""
    try:
        with _memfd(MFD_NOEXEC_SEAL):
            return Feature(True, "segments cannot be executed")
    except OSError as error:
        return Feature(False, f"{error.strerror}: segments are made without it (Linux 6.3 has it)")


def reopen_by_proc() -> Feature:
    """Try whether descriptors can be opened again through ``/proc``, as receivers do."""
    try:
        with _memfd() as fd:
            again = os.open(f"/proc/{os.getpid()}/fd/{fd}", os.O_RDWR | os.O_CLOEXEC)
            try:
                same = os.path.samestat(os.fstat(fd), os.fstat(again))
            finally:
                os.close(again)
        return Feature(same, "handles are opened through /proc")
    except OSError as error:
        return Feature(False, f"{error.strerror}: handles go by a socket (SHAREDARRAY_SERVE=1)")


def madv_collapse() -> Feature:
    """Try on a segment of one huge page whether huge pages can be asked for (Linux 6.1)."""
    try:
        return _collapse()
    except OSError as error:
        return Feature(False, f"{error.strerror}: not tried")


def _collapse() -> Feature:
    with _memfd() as fd:
        os.ftruncate(fd, HUGE)
        # The file's start must lie on a multiple of the huge page: map it inside a larger hole.
        hole = _libc.mmap(None, 2 * HUGE, PROT_NONE, _PRIVATE | MAP_NORESERVE, -1, 0)
        if hole == MAP_FAILED:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        try:
            start = (hole + HUGE - 1) // HUGE * HUGE
            flags = mmap.MAP_SHARED | MAP_FIXED
            if _libc.mmap(start, HUGE, PROT_READ_WRITE, flags, fd, 0) == MAP_FAILED:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            ctypes.memset(start, 1, 1)
            if _libc.madvise(start, HUGE, MADV_COLLAPSE) == 0:
                return Feature(True, "large arrays get huge pages")
            code = ctypes.get_errno()
        finally:
            _libc.munmap(hole, 2 * HUGE)
    why = os.strerror(code)
    if code == errno.EINVAL:
        why += " (Linux 6.1 has it)"
    return Feature(False, f"{why}: large arrays take 4 KiB pages, filled more slowly")


def pss() -> Feature:
    """Try whether the memory of processes can be measured without counting shared pages twice."""
    try:
        with open("/proc/self/smaps_rollup") as file:
            return Feature("Pss:" in file.read(), "memory of processes can be measured")
    except OSError as error:
        return Feature(False, f"{error.strerror}: memory of processes is not measured")


def shmem_enabled() -> str:
    """Return the kernel's setting for huge pages in shared memory.

    Returns
    -------
    str
        The word in force (``never``, ``advise``, ...), or why it cannot be read.
    """
    try:
        with open("/sys/kernel/mm/transparent_hugepage/shmem_enabled") as file:
            words = file.read()
    except OSError as error:
        return f"unknown ({error.strerror})"
    return words.partition("[")[2].partition("]")[0] or words.strip()


_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


@contextlib.contextmanager
def _memfd(flags: int = 0):
    fd = os.memfd_create("sharedarray-info", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING | flags)
    try:
        yield fd
    finally:
        os.close(fd)
