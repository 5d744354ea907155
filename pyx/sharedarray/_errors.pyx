"""The exceptions of the library, and the functions that turn error codes into them."""

import errno as _errno
import os as _os

__all__ = ["DeviceError", "HandleError", "describe_memory_with", "memory_error"]


class HandleError(ValueError):
    """A handle that cannot be opened: the message says why, and nothing was mapped.

    Examples
    --------
    >>> import sharedarray as xp
    >>> try:
    ...     xp.Handle.from_bytes(b"not a handle")
    ... except xp.HandleError as error:
    ...     print(type(error).__mro__[1].__name__)
    ValueError
    """


class DeviceError(RuntimeError):
    """A device that does not exist here: the message says which ones do.

    Examples
    --------
    >>> import sharedarray as xp
    >>> issubclass(xp.DeviceError, RuntimeError)
    True
    """


cdef dict _ADVICE = {
    _errno.EMFILE: "the limit of open descriptors (RLIMIT_NOFILE, `ulimit -n`) is reached; "
                   "raise it or drop arrays, or call empty_cache()",
    _errno.ENFILE: "the machine's table of open files (fs.file-max) is full",
    _errno.EFBIG: "the limit of file size (RLIMIT_FSIZE, `ulimit -f`) forbids a segment of this "
                  "size; raise it",
    _errno.ENOSPC: "no memory is left for shared pages; drop arrays or call empty_cache()",
    _errno.ENOMEM: "no memory or address space is left (RLIMIT_AS, `ulimit -v`, "
                   "vm.max_map_count); drop arrays or call empty_cache()",
    _errno.EPERM: "the system does not permit it (a seccomp filter or security module?); "
                  "SHAREDARRAY_MEMORY=private works without shared memory",
    _errno.EACCES: "the system does not permit it (a security module?); "
                   "SHAREDARRAY_MEMORY=private works without shared memory",
    _errno.ENOSYS: "the system does not have that call, or a seccomp filter hides it; "
                   "SHAREDARRAY_MEMORY=private works without shared memory",
    _errno.EINVAL: "the system refuses it; SHAREDARRAY_MEMORY=private works without shared memory",
}

# What a want of memory looks like, and 0 for what failed outside the pool.
cdef frozenset _WANT = frozenset([0, _errno.ENOMEM, _errno.ENOSPC, _errno.EAGAIN, _errno.EBUSY])


cdef object raise_errno(int err, object what):
    """Raise the OSError of `err` (positive): what was tried, what is there, what to do."""
    advice = _ADVICE.get(err)
    text = f"{what}: {_os.strerror(err)}"
    if advice is not None:
        text += f" ({advice})"
    if err == _errno.ENOMEM:
        error = MemoryError(text)
        error.errno = err
        raise error
    raise OSError(err, text)


cdef int check(int rc, object what) except -1:
    """Return `rc` when it is not negative, else raise the exception of errno -rc."""
    if rc < 0:
        raise_errno(-rc, what)
    return rc


_describe = None


def describe_memory_with(function):
    """Register `function(nbytes) -> (str, int)`, the figures and errno of the last failure."""
    global _describe
    _describe = function


def memory_error(exc, nbytes):
    """Return the exception for an allocation of `nbytes` that NumPy reported as `exc`.

    Parameters
    ----------
    exc : MemoryError
        What NumPy raised.
    nbytes : int or None
        Bytes asked for, where known.

    Returns
    -------
    MemoryError or OSError
        With the figures: what was asked, the limit and its name, what is cached and in flight.
    """
    if _describe is None:
        return exc
    text, err = _describe(nbytes)
    if err not in _WANT and err != _errno.EFBIG:
        advice = f" ({_ADVICE[err]})" if err in _ADVICE else ""
        return OSError(err, f"{text}: {_os.strerror(err)}{advice}")
    error = MemoryError(f"{text}: {_ADVICE[err]}" if err == _errno.EFBIG else text)
    if err:
        error.errno = err
    return error


HandleError.__module__ = DeviceError.__module__ = "sharedarray"    # where users find them
