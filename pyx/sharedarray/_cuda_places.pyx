"""Segments of device memory by address and by name; which ones of others stay mapped a while."""

from ._cuda cimport Segment

import bisect
import threading
import time
import weakref

from ._cuda import memory_info
from ._limits import cache_cap

KEPT = 16               # received segments without a block in use that stay mapped, at most
KEPT_TIME = 10.0        # seconds
KEPT_SHARE = 32         # they are at most this part of the memory of their device,
KEPT_BYTES = 64 << 20   # or so many bytes where that is less, and never more than the cache


class Places:
    """The segments that are mapped in this process, by address and by name."""

    def __init__(self):
        self._lock = threading.RLock()      # a collection inside may end a segment
        self._bases = []
        self._segments = {}      # base -> a weak reference
        self._named = {}         # key -> a weak reference
        self.own = {}            # base -> Segment: in a pool
        self.unused = {}         # key -> (Segment, when): received, kept for a while
        self.most = {}           # number of a device -> bytes of those on it, at most

    def enter(self, Segment segment):
        """Note a new segment."""
        base, key = segment.base, segment.key
        found = weakref.ref(segment, lambda gone: self._leave(base, key, gone))
        with self._lock:
            if base not in self._segments:
                bisect.insort(self._bases, base)
            self._segments[base] = found
            self._named[key] = found

    def _leave(self, base, key, gone):
        with self._lock:        # another segment may have the address or the name by now
            if self._segments.get(base) is gone:
                del self._bases[bisect.bisect_left(self._bases, base)], self._segments[base]
            if self._named.get(key) is gone:
                del self._named[key]

    def at(self, pointer):
        """Return the Segment of an address, or None."""
        with self._lock:
            at = bisect.bisect_right(self._bases, pointer) - 1
            found = self._segments.get(self._bases[at]) if at >= 0 else None
        segment = None if found is None else found()
        return segment if segment is not None and pointer < segment.base + segment.nbytes else None

    def owns(self, pointer):
        """Return whether an address lies in device memory that others can map."""
        segment = self.at(pointer)
        return segment is not None and segment.exportable

    def named(self, key):
        """Return the Segment of that name, or None."""
        found = self._named.get(key)
        return None if found is None else found()

    def keep(self, Segment segment):
        """Let a received segment without a block in use stay mapped for a while.

        Its maker cannot give it back meanwhile, and does not know: there are few, the newest.
        """
        cdef Segment one
        self.unused.pop(segment.key, None)
        self.unused[segment.key] = (segment, time.monotonic())
        nbytes = self.unused_on(segment.index)
        for key, (one, _) in list(self.unused.items()):
            heavy = one.index == segment.index and nbytes > self.most.get(one.index, KEPT_BYTES)
            if heavy or len(self.unused) > KEPT:
                if self.unused.pop(key, None) is not None and one.index == segment.index:
                    nbytes -= one.nbytes

    def unused_on(self, index):
        """Return the bytes of the segments on a device that are kept."""
        cdef Segment one
        return sum([one.nbytes for one, _ in list(self.unused.values()) if one.index == index])

    def bound(self, index):
        """Say how much may be kept of a device, when something is first received there."""
        if index not in self.most:
            try:
                share = memory_info(index)[1] // KEPT_SHARE
            except (MemoryError, RuntimeError):     # what was received is there all the same
                share = 0
            self.most[index] = min(max(share, KEPT_BYTES), cache_cap())

    def purge(self, age=KEPT_TIME):
        """Let go of those that nobody used for `age` seconds; return their bytes."""
        nbytes, now = 0, time.monotonic()
        for key, (segment, since) in list(self.unused.items()):
            if now - since >= age and self.unused.pop(key, None) is not None:
                nbytes += segment.nbytes
        return nbytes


places = Places()
