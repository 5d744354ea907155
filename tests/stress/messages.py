"""One message: who sent it, what it must contain, and an array by handle."""

import pickle
import socket
import struct
from multiprocessing.reduction import ForkingPickler

from sharedarray import Array, Handle, HandleError, from_handle
from tests.harness import procfs

HEAD = struct.Struct("=IIQQQB")  # sender's row, pid, start; number of the array; bytes; how
PICKLE, HANDLE = 0, 1
LIMIT = 4096
PEEK = socket.MSG_PEEK | socket.MSG_DONTWAIT


def start_of(pid):
    """Return when a process started, in clock ticks; 0 if it is gone or a zombie."""
    fields = procfs.stat(pid)
    return 0 if not fields or fields[0] in "ZX" else int(fields[19])


def runs(row):
    """Whether the process of a row runs; one that was killed before it had begun does not."""
    return row.start != 0 and start_of(row.pid) == row.start


def written(row, item, how):
    """Return the bytes of a message; from now on it is under way."""
    head = HEAD.pack(row.number, row.pid, row.start, item.spec[0], item.x.nbytes, how)
    about = pickle.dumps((item.spec, item.views))
    data = bytes(item.handle or item.x.handle()) if how == HANDLE else ForkingPickler.dumps(item.x)
    return head + struct.pack("=H", len(about)) + about + bytes(data)


def described(data):
    """Return ``(head, spec, views, payload)``."""
    head = HEAD.unpack_from(data)
    (n,) = struct.unpack_from("=H", data, HEAD.size)
    about = HEAD.size + 2
    spec, views = pickle.loads(data[about : about + n])
    return head, spec, views, data[about + n :]


def opened(how, payload):
    """Open the array: ``(x, "")``, or ``(None, reason)`` if it is lost."""
    if how == HANDLE:
        try:
            return from_handle(Handle.from_bytes(payload)), ""
        except HandleError as error:
            return None, str(error)
    x = ForkingPickler.loads(payload)
    if not isinstance(x, Array):
        return None, f"a {type(x).__name__} came"
    return (x, "") if x.is_shared() else (None, repr(x))
