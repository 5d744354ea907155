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

_MEMORY_QUESTION = """
import ctypes, sys
driver = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
available, total, name = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_char_p()
rc = (
    driver.cuInit(0)
    or driver.cuDeviceGet(ctypes.byref(device), int(sys.argv[1]))
    or driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    or driver.cuCtxSetCurrent(context)
    or driver.cuMemGetInfo_v2(ctypes.byref(available), ctypes.byref(total))
)
if rc:
    driver.cuGetErrorName(rc, ctypes.byref(name))
print(rc, available.value, total.value, (name.value or b"unknown error").decode())
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
    found = _libraries.get(LIBRARY)
    return _libraries.setdefault(LIBRARY, ctypes.CDLL(LIBRARY)) if found is None else found


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
    answer = _answers.get(visible)
    return _answers.setdefault(visible, _ask_elsewhere()) if answer is None else answer


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


def memory(index: int) -> tuple[int, int]:
    """Ask for the memory of a device, where this process is to stay without a context.

    Parameters
    ----------
    index : int
        The device.

    Returns
    -------
    tuple of int
        Bytes that are free, and all that it has.

    Raises
    ------
    RuntimeError
        Saying why there is no answer.
    """
    answer = _ask(_MEMORY_QUESTION, str(index))
    if isinstance(answer, str):
        raise RuntimeError(answer)
    rc, available, total, name = answer
    if rc:
        raise RuntimeError(f"the NVIDIA driver cannot be used: {name} ({rc})")
    return available, total


def _ask_elsewhere() -> Driver:
    answer = _ask(_QUESTION)
    return Driver(0, None, answer) if isinstance(answer, str) else _answer(*answer)


def _ask(question: str, *arguments: str) -> tuple[int, int, int, str] | str:
    """What an interpreter of its own prints to a question, or why it prints nothing."""
    import multiprocessing.spawn
    import subprocess

    executable = os.fsdecode(multiprocessing.spawn.get_executable() or "")
    if not executable or getattr(sys, "frozen", False):
        return "the NVIDIA driver cannot be asked: no Python interpreter to run"
    try:
        done = subprocess.run(
            [executable, "-I", "-S", "-c", question, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        rc, first, second, name = done.stdout.split(None, 3)
        return int(rc), int(first), int(second), name.strip()
    except subprocess.TimeoutExpired:
        return f"the NVIDIA driver gave no answer within {TIMEOUT} s"
    except OSError as error:
        return f"the NVIDIA driver cannot be asked: {error}"
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return f"the NVIDIA driver failed: {last}"


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
