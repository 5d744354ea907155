"""Whether anybody opens a file."""

import ctypes
import os
import select
import struct

__all__ = ["Watch"]

_IN_OPEN = 0x20
_EVENT = struct.Struct("=iIII")


class Watch:
    """
    Counts the openings of a file by any process (inotify(7); `O_PATH` is none).

    Parameters
    ----------
    path : path
    """

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0 or libc.inotify_add_watch(self.fd, os.fsencode(path), _IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        os.close(self.fd)

    def opened(self):
        """Number of openings since the last call."""
        count = at = 0
        data = os.read(self.fd, 65536) if select.select([self.fd], [], [], 0)[0] else b""
        while at < len(data):
            at += _EVENT.size + _EVENT.unpack_from(data, at)[3]
            count += 1
        return count
