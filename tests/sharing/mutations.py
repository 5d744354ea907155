"""Altered handles: by accident, and with a checksum made right again."""

import random
import struct

import numpy as np

import sharedarray as xp

_MASK = (1 << 64) - 1


def seal(body):
    """The body and its checksum, as a sender makes it."""
    total = 0xCBF29CE484222325
    words = len(body) // 8
    for (word,) in struct.iter_unpack("<Q", body[: words * 8]):
        total = ((total ^ word) * 0x100000001B3) & _MASK
        total ^= total >> 32
    for byte in body[words * 8 :]:
        total = ((total ^ byte) * 0x100000001B3) & _MASK
    return body + struct.pack("<Q", total)


def flips(blob):
    """Every bit flipped once."""
    for i in range(len(blob) * 8):
        altered = bytearray(blob)
        altered[i // 8] ^= 1 << i % 8
        yield bytes(altered)


def lengths(blob):
    """Every truncation at either end, and some extensions."""
    for i in range(len(blob)):
        yield blob[:i]
        yield blob[i + 1 :]
    for n in (1, 7, 8, 64, 4096):
        yield blob + bytes(n)
        yield bytes(n) + blob
        yield blob + blob[-n:]


def noise(blob, count):
    """Random bytes, of its length and others, some behind its first bytes."""
    chance = random.Random(1)
    for i in range(count):
        if i % 2:
            yield chance.randbytes(chance.randrange(2 * len(blob)))
        else:
            kept = chance.randrange(len(blob))
            yield blob[:kept] + chance.randbytes(len(blob) - kept)


_VALUES = [0, 1, 2, 7, 8, 63, 64, 65, 255, 4096, 1 << 20, 1 << 31, 1 << 32, 1 << 47, 1 << 62]
_VALUES += [(1 << 63) - 1, 1 << 63, _MASK, _MASK - 7, _MASK - 4095]


def edits(blob):
    """Each field of 1, 2, 4 or 8 bytes set to values that hurt, under a right checksum."""
    body = blob[:-8]
    for size in (1, 2, 4, 8):
        limit = 1 << 8 * size
        for at in range(0, len(body) - size + 1, size):
            old = int.from_bytes(body[at : at + size], "little")
            near = {old + 1, old - 1, old + 8, old * 2, old ^ (limit >> 1), old + 4096, ~old}
            values = {value % limit for value in near.union(_VALUES)} - {old}
            for value in sorted(values):
                yield seal(body[:at] + value.to_bytes(size, "little") + body[at + size :])


def shuffles(blob, count):
    """Several random edits at once, and words in each other's place, under a right checksum."""
    chance = random.Random(2)
    for _ in range(count):
        body = bytearray(blob[:-8])
        for _ in range(chance.randrange(1, 5)):
            a, b = (8 * chance.randrange(len(body) // 8) for _ in range(2))
            if chance.random() < 0.5:
                body[a : a + 8], body[b : b + 8] = body[b : b + 8], body[a : a + 8]
            else:
                body[a : a + 4] = chance.choice(_VALUES).to_bytes(8, "little")[:4]
        if chance.random() < 0.2:
            del body[-chance.randrange(1, 40) :]
        yield seal(bytes(body))


def _touch(x):
    """Read the elements of an Array at its corners, and check that they lie in shared memory."""
    a = np.asarray(x)
    assert xp.is_shared(a)
    if a.size:
        first = a[(slice(0, 1),) * a.ndim]
        last = a[(slice(-1, None),) * a.ndim]
        first.tobytes(), last.tobytes()


def attempt(blobs):
    """
    Open each handle and touch what it gives.

    Returns
    -------
    opened, refused : int
    faults : list
        Handles that raised anything but `HandleError`, and what they raised.
    """
    opened = refused = 0
    faults = []
    for blob in blobs:
        try:
            found = xp.from_handle(xp.Handle.from_bytes(blob))
        except xp.HandleError:
            refused += 1
            continue
        except Exception as error:
            faults.append((blob.hex(), repr(error)))
            continue
        opened += 1
        if isinstance(found, xp.Storage):
            if len(found):
                found[0], found[-1]
        else:
            _touch(found)
    return opened, refused, faults
