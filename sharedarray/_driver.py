"""Which CUDA devices the driver has, asked without making this process a CUDA process.

``cuInit`` cannot be undone: a process that called it can no longer fork children that use CUDA.
So a process that has not called it asks through a short-lived interpreter of its own, once;
the answer is the driver's, with ``CUDA_VISIBLE_DEVICES``, MIG and containers taken into account.
"""

import ctypes
import os
import sys
import typing

LIBRARY = "libcuda.so.1"
MARKER = "sharedarray_cuda_double"  # a symbol of the driver double
TIMEOUT = 60  # seconds; a machine with many cards and no persistence daemon may need ten

_QUESTION = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1")
count, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.c_char_p()
rc = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
driver.cuDriverGetVersion(ctypes.byref(version))
if rc:
    driver.cuGetErrorName(rc, ctypes.byref(name))
print(rc, count.value, version.value, (name.value or b"unknown error").decode())
"""


class Driver(typing.NamedTuple):
    """What the CUDA driver answered.

    Attributes
    ----------
    devices : int
        Number of devices this process would see.
    version : tuple of int or None
        Newest CUDA version the driver supports, as ``(major, minor)``.
    reason : str
        Why `devices` is 0; empty if it is not.
    """

    devices: int
    version: tuple[int, int] | None
    reason: str


_answers: dict[str | None, Driver] = {}
_own: dict[int, Driver] = {}  # what the driver of this process said, by process id


_libraries: dict[str, ctypes.CDLL] = {}


def _library() -> ctypes.CDLL:
    """Load the driver, once; a failure is not remembered."""
    if LIBRARY not in _libraries:
        _libraries[LIBRARY] = ctypes.CDLL(LIBRARY)
    return _libraries[LIBRARY]


def query() -> Driver:
    """Ask the driver what there is.

    Returns
    -------
    Driver
        The answer; the driver is asked once for each value of ``CUDA_VISIBLE_DEVICES``.
    """
    own = _own.get(os.getpid())
    if own is not None:  # cuInit looked at the environment, which it does once
        return own
    try:
        library = _library()
    except OSError:
        return Driver(0, None, "no NVIDIA driver")
    count = ctypes.c_int()
    # Fails, and changes nothing, unless this process has already called cuInit.
    if library.cuDeviceGetCount(ctypes.byref(count)) == 0:
        version = ctypes.c_int()
        library.cuDriverGetVersion(ctypes.byref(version))
        return _own.setdefault(os.getpid(), _answer(0, count.value, version.value, ""))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible not in _answers:
        _answers[visible] = _ask_elsewhere()
    return _answers[visible]


def is_double() -> bool:
    """Tell whether the driver is none, but a double whose devices are memory of the host.

    Returns
    -------
    bool
        Whether the library has the double's mark.
    """
    try:
        return hasattr(_library(), MARKER)
    except OSError:
        return False


def _ask_elsewhere() -> Driver:
    import multiprocessing.spawn
    import subprocess

    executable = os.fsdecode(multiprocessing.spawn.get_executable() or "")
    if not executable or getattr(sys, "frozen", False):
        return Driver(0, None, "the NVIDIA driver cannot be asked: no Python interpreter to run")
    try:
        done = subprocess.run(
            [executable, "-I", "-S", "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        rc, count, version, name = done.stdout.split(None, 3)
        return _answer(int(rc), int(count), int(version), name.strip())
    except subprocess.TimeoutExpired:
        return Driver(0, None, f"the NVIDIA driver gave no answer within {TIMEOUT} s")
    except OSError as error:
        return Driver(0, None, f"the NVIDIA driver cannot be asked: {error}")
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return Driver(0, None, f"the NVIDIA driver failed: {last}")


def _answer(rc: int, count: int, version: int, name: str) -> Driver:
    numbers = (version // 1000, version % 1000 // 10)
    if rc == 0 and count > 0:
        return Driver(count, numbers, "")
    reason = "the NVIDIA driver sees no device"
    if rc not in (0, 100):  # 100: CUDA_ERROR_NO_DEVICE
        reason = f"the NVIDIA driver cannot be used: {name} ({rc})"
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        reason += f" (CUDA_VISIBLE_DEVICES={visible!r})"
    return Driver(0, numbers, reason)
