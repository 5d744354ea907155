"""The preloaded library: lets calls of the core fail, and refuses system calls by seccomp."""

import ctypes
import errno
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FOREVER = 1 << 60


def build(folder):
    """Compile it; the path."""
    target = folder / "shim.so"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-pthread"]
    command = ["cc", *flags, str(HERE / "shim.c"), "-o", str(target), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return target


class Shim:
    """The functions of the library in this process, which was started with it preloaded."""

    def __init__(self):
        self.lib = ctypes.CDLL(None)
        self.lib.shim_count.restype = ctypes.c_long
        self.lib.shim_name.restype = self.lib.shim_refusal.restype = ctypes.c_char_p

    def watch(self, folder):
        """Look at calls from the compiled modules below `folder`."""
        for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
            fields = line.split()
            if len(fields) == 6 and "x" in fields[1] and fields[5].startswith(f"{folder}/"):
                low, high = (ctypes.c_size_t(int(n, 16)) for n in fields[0].split("-"))
                assert self.lib.shim_library(low, high) == 0

    def fail(self, call, number, first, last=None, path=""):
        """Let calls `first` to `last` (default: that one) fail with the errno of that name."""
        last = first if last is None else last
        code = getattr(errno, number)
        first, last = ctypes.c_long(first), ctypes.c_long(last)
        assert self.lib.shim_fail(call.encode(), first, last, code, path.encode()) == 0

    def clear(self):
        """Let nothing fail any more, and count from 0."""
        self.lib.shim_clear()

    def counts(self, failed=False):
        """Calls by name, or those that were made to fail."""
        found = {}
        for i in range(1000):
            name = self.lib.shim_name(i)
            if name is None:
                return {name: n for name, n in found.items() if n}
            found[name.decode()] = self.lib.shim_count(name, int(failed))
        raise AssertionError("no end of names")

    def refusals(self):
        """Names that `refuse` knows."""
        names = []
        while (name := self.lib.shim_refusal(len(names))) is not None:
            names.append(name.decode())
        return names

    def refuse(self, call, number):
        """Refuse a system call to this process for good."""
        rc = self.lib.shim_refuse(call.encode(), getattr(errno, number))
        if rc < 0:
            raise OSError(-rc, f"cannot install a seccomp filter: {os.strerror(-rc)}")
