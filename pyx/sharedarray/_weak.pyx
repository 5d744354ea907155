"""What lives under a name as long as somebody uses it, and threads agree on it.

`weakref.WeakValueDictionary.setdefault` looks and enters in two steps: threads that come at the
same time each get a value of their own (Lib/weakref.py of CPython 3.11 to 3.14).
"""

cimport cython

import weakref

__all__ = ["WeakTable"]


class Ref(weakref.ref):
    """A weak reference that knows its key."""

    __slots__ = ("key",)


@cython.final
cdef class WeakTable:
    """A table whose entries go with their values.

    Look and entry are one step for other threads: nothing in between runs Python code, and free
    threads are kept out by a critical section. Keys are tuples of plain values.
    """

    def __cinit__(self):
        cdef dict refs = {}

        def gone(ref):
            if refs.get(ref.key) is ref:    # not one that took its place
                refs.pop(ref.key, None)

        self.refs, self.gone = refs, gone

    cdef object get(self, object key):
        """The value, or None."""
        cdef object ref = self.refs.get(key)
        return None if ref is None else ref()

    cdef object agree(self, object key, object value):
        """The value that is there, or else `value`, which is entered."""
        cdef object found, ref = Ref(value, self.gone)
        ref.key = key
        with cython.critical_section(self):
            found = self.get(key)
            if found is not None:
                return found
            self.refs[key] = ref
        return value

    cdef int set(self, object key, object value) except -1:
        """Enter a value, in place of another."""
        cdef object ref = Ref(value, self.gone)
        ref.key = key
        self.refs[key] = ref
        return 0

    cdef int drop(self, object key) except -1:
        """Remove what is there, if anything."""
        self.refs.pop(key, None)
        return 0

    cdef list values(self):
        """The values that live."""
        cdef object ref, value
        cdef list found = []
        for ref in list(self.refs.values()):
            value = ref()
            if value is not None:
                found.append(value)
        return found
