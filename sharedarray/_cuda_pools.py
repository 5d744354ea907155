"""Pools of device memory: what was freed serves the next array, without the driver.

On a card it is CuPy's `MemoryPool`, which knows streams; on the driver double, where CuPy cannot
run, one of the same verbs. Both get segments from two functions, `malloc(nbytes, index) -> pointer`
and `free(pointer, index)`, and cut small blocks from segments of `SEED` bytes.
"""

import bisect
import collections
import threading

from ._cuda import OutOfMemory, granularity

SEED = 32 << 20  # bytes of a segment that small blocks are cut from
RUNTIME_OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation, which CuPy has no name for
UNIT = 512  # bytes that blocks are multiples of, as CuPy's
TRIES = 20  # to cut a block from a new segment before another thread takes it, or gives it back


class _Seed(Exception):
    """No free block is large enough for a small request."""


def rounded(nbytes, index):
    """Return the size of a block for so many bytes: whole segments for large ones."""
    unit = granularity(index) if nbytes >= SEED // 2 else UNIT
    return max(-(-nbytes // unit) * unit, unit)


def seeds(index):
    """Return the sizes of segments to try for small blocks, largest first."""
    smallest = granularity(index)
    return [max(SEED, smallest), smallest] if smallest < SEED else [smallest]


class CupyPool:
    """CuPy's pool over segments of ours.

    Parameters
    ----------
    index : int
        The device.
    malloc, free : callable
        Make and release a segment.
    """

    def __init__(self, index, malloc, free):
        import cupy

        def take(nbytes, device):
            if nbytes < SEED // 2 and nbytes not in self._seeds:
                raise _Seed
            try:
                return malloc(nbytes, device)
            except OutOfMemory:  # so that CuPy frees what it caches, and tries again
                raise cupy.cuda.runtime.CUDARuntimeError(RUNTIME_OUT_OF_MEMORY) from None

        self._index = index
        self._seeds = seeds(index)
        self._exhausted = cupy.cuda.memory.OutOfMemoryError
        self._device = cupy.cuda.Device(index)
        self._pool = cupy.cuda.MemoryPool(cupy.cuda.PythonFunctionAllocator(take, free).malloc)

    def malloc(self, nbytes):
        """Return an object with `ptr` that holds a block; raises `OutOfMemory`."""
        nbytes = rounded(nbytes, self._index)
        with self._device:
            try:
                return self._pool.malloc(nbytes)
            except _Seed:
                pass
            except self._exhausted as error:
                raise OutOfMemory(str(error)) from None
            for seed in self._seeds:
                for _ in range(TRIES if seed >= nbytes else 0):
                    try:
                        self._pool.malloc(seed)  # and dropped: from it the block is cut
                        return self._pool.malloc(nbytes)
                    except _Seed as error:
                        failure = error
                    except self._exhausted as error:
                        failure = error
                        break
            raise OutOfMemory(str(failure))

    def cached(self):
        """Return the bytes that are kept for blocks to come."""
        with self._device:
            return self._pool.free_bytes()

    def total(self):
        """Return the bytes of all segments."""
        with self._device:
            return self._pool.total_bytes()

    def trim(self):
        """Release the segments without a block in use."""
        with self._device:
            self._pool.free_all_blocks()


class Memory:
    """A block of a `FirstFitPool`, given back when nobody refers to it."""

    __slots__ = ("_pool", "base", "nbytes", "offset", "ptr")

    def __init__(self, pool, base, offset, nbytes):
        self._pool = pool
        self.base, self.offset, self.nbytes = base, offset, nbytes
        self.ptr = base + offset

    def __del__(self):
        # Only noted: a collection may run this while a thread is inside the pool.
        self._pool.returned.append((self.base, self.offset, self.nbytes))


class FirstFitPool:
    """A pool for the driver double, with the verbs of `CupyPool`.

    Parameters
    ----------
    index : int
        The device.
    malloc, free : callable
        Make and release a segment.
    """

    def __init__(self, index, malloc, free):
        self._index, self._malloc, self._free = index, malloc, free
        self._seeds = seeds(index)
        self._lock = threading.Lock()
        self._sizes = {}  # base -> bytes of the segment
        self._gaps = {}  # base -> sorted [offset, bytes] of what is free in it
        self._used = 0
        self.returned = collections.deque()

    def _take_back(self):
        """Enter what was returned; neighbours become one gap."""
        while self.returned:
            base, offset, nbytes = self.returned.popleft()
            gaps = self._gaps[base]
            at = bisect.bisect(gaps, [offset, 0])
            gaps.insert(at, [offset, nbytes])
            if at + 1 < len(gaps) and offset + nbytes == gaps[at + 1][0]:
                gaps[at][1] += gaps.pop(at + 1)[1]
            if at and sum(gaps[at - 1]) == offset:
                gaps[at - 1][1] += gaps.pop(at)[1]
            self._used -= nbytes

    def _cut(self, nbytes):
        """Return the first gap's place that is large enough, or None."""
        for base, gaps in self._gaps.items():
            for at, (offset, size) in enumerate(gaps):
                if size >= nbytes:
                    gaps[at] = [offset + nbytes, size - nbytes]
                    if size == nbytes:
                        del gaps[at]
                    self._used += nbytes
                    return base, offset
        return None

    def _add(self, nbytes):
        base = self._malloc(nbytes, self._index)
        self._sizes[base] = nbytes
        self._gaps[base] = [[0, nbytes]]

    def _grow(self, nbytes):
        """Add a segment for a block; what is cached goes first where there is no room."""
        sizes = [nbytes] if nbytes >= SEED // 2 else self._seeds
        for size in sizes:
            try:
                return self._add(max(size, nbytes))
            except OutOfMemory:
                self._release()
        return self._add(max(sizes[-1], nbytes))

    def _release(self):
        for base, size in list(self._sizes.items()):
            if self._gaps[base] == [[0, size]]:
                del self._sizes[base], self._gaps[base]
                self._free(base, self._index)

    def malloc(self, nbytes):
        """Return an object with `ptr` that holds a block; raises `OutOfMemory`."""
        nbytes = rounded(nbytes, self._index)
        with self._lock:
            self._take_back()
            place = self._cut(nbytes)
            if place is None:
                self._grow(nbytes)
                place = self._cut(nbytes)
        return Memory(self, *place, nbytes)

    def cached(self):
        """Return the bytes that are kept for blocks to come."""
        with self._lock:
            self._take_back()
            return sum(self._sizes.values()) - self._used

    def total(self):
        """Return the bytes of all segments."""
        with self._lock:
            return sum(self._sizes.values())

    def trim(self):
        """Release the segments without a block in use."""
        with self._lock:
            self._take_back()
            self._release()
