"""Handles with other contents under a right checksum. Source: ``core/wire.h``, in its order."""

import struct

from . import mutations

HEADER = struct.Struct("=IBBH16sQQIIQQQQQQiiQiiQQQQiIQQiiQQq")
NAMES = (
    *("magic", "flags", "ndim", "dtype_len", "boot", "pidns", "netns", "uid", "ticket"),
    *("segment0", "segment1", "segment_size", "serial", "block", "nbytes"),
    *("pid", "fd", "start", "creator_pid", "creator_fd", "creator_start"),
    *("ledger0", "ledger1", "sequence", "ledger_fd", "word", "creator_ledger0", "creator_ledger1"),
    *("creator_ledger_fd", "creator_ledger_here", "token0", "token1", "offset"),
)
SERVED = 4  # a flag


def fields(blob):
    """The header's fields by name."""
    return dict(zip(NAMES, HEADER.unpack_from(blob), strict=True))


def forged(blob, text=None, **changes):
    """The handle with other fields, and another description of its dtype."""
    now = fields(blob)
    assert set(changes) <= set(now)
    dims = blob[HEADER.size : HEADER.size + 16 * now["ndim"]]
    old = blob[HEADER.size + len(dims) : -8]
    text = old if text is None else text
    now.update(changes, dtype_len=len(text))
    return mutations.seal(HEADER.pack(*now.values()) + dims + text)


def reshaped(blob, shape):
    """The handle with other lengths of its axes, under the strides it has."""
    assert len(shape) == fields(blob)["ndim"]
    dims = struct.pack(f"={len(shape)}q", *shape)
    return mutations.seal(blob[: HEADER.size] + dims + blob[HEADER.size + len(dims) : -8])


def segment_name(blob):
    """Name of the memfd that the handle names."""
    now = fields(blob)
    return f"sharedarray-{now['segment0']:016x}{now['segment1']:016x}"


def ledger_name(blob):
    """Name of the sender's ledger."""
    now = fields(blob)
    return f"sharedarray-{now['ledger0']:016x}{now['ledger1']:016x}"


def socket_name(blob):
    """Name of the sender's abstract socket, without its leading zero byte."""
    now = fields(blob)
    return f"sharedarray-{now['uid']}-{now['token0']:016x}{now['token1']:016x}"
