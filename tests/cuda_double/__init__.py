"""A driver double: a `libcuda.so.1` whose devices are host memory (README.md)."""

import ctypes
import os

from . import build

REAL = ("/dev/nvidiactl", "/proc/driver/nvidia/version")
COUNTS = (
    "memory",
    "handles",
    "mappings",
    "reservations",
    "allocations",
    "imports",
    "pinned",
    "contexts",
    "streams",
    "events",
    "queued",
    "faults",
)


def beside_real_driver():
    """Return the path that shows a real driver on this machine, where the double refuses, or ''."""
    return next((path for path in REAL if os.path.exists(path)), "")


def environment(
    devices=2,
    memory=None,
    delayed=False,
    fail="",
    visible=None,
    machine="",
    read_access=True,
    peers="all",
    attributes="",
    version=None,
    real=None,
):
    """
    Return the environment in which a new process finds the double where it looks for the driver.

    Parameters
    ----------
    devices : int
        How many devices the machine has.
    memory : int, optional
        Bytes of each device; 4 GiB by default.
    delayed : bool
        Asynchronous work runs when something waits for it.
    fail : str
        Calls that fail: ``"cuMemCreate:3=2,cuMemMap:*=1"``.
    visible : str, optional
        ``CUDA_VISIBLE_DEVICES``; all devices by default.
    machine : path, optional
        Folder of the processes that use the same devices and therefore share their memory's limit.
    read_access : bool
        Whether devices can be given read access alone.
    peers : str
        Which devices reach which: ``"all"``, ``"none"``, or pairs ``"0-1,1-0"``.
    attributes : str
        Attributes of devices by number: ``"102=0"``.
    version : int, optional
        What ``cuDriverGetVersion`` says; 13000 by default.
    real : str, optional
        Paths joined by ``:`` in place of those that show a real driver.

    Returns
    -------
    dict
        To be added to the process's environment.
    """
    path = [build.folder(), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    made = {
        "LD_LIBRARY_PATH": os.pathsep.join(path),
        "CUDA_DOUBLE_DEVICES": str(devices),
        "CUDA_DOUBLE_MEMORY": "" if memory is None else str(memory),
        "CUDA_DOUBLE_DELAY": str(int(delayed)),
        "CUDA_DOUBLE_FAIL": fail,
        "CUDA_DOUBLE_MACHINE": os.fspath(machine),
        "CUDA_DOUBLE_READ_ACCESS": str(int(read_access)),
        "CUDA_DOUBLE_PEERS": peers,
        "CUDA_DOUBLE_ATTRIBUTES": attributes,
        "CUDA_DOUBLE_VERSION": "" if version is None else str(version),
        "CUDA_VISIBLE_DEVICES": ",".join(map(str, range(devices))) if visible is None else visible,
    }
    if real is not None:
        made["CUDA_DOUBLE_REAL"] = real
    return made


class Control:
    """The double's control functions, in the process that has loaded it.

    Parameters
    ----------
    library : ctypes.CDLL
        The double.
    """

    def __init__(self, library):
        self.version = ctypes.c_int.in_dll(library, "sharedarray_cuda_double").value

        def function(name, result, *arguments):
            made = getattr(library, f"sharedarray_double_{name}")
            made.restype, made.argtypes = result, arguments
            return made

        self._count = function("count", ctypes.c_longlong, ctypes.c_char_p)
        self._calls = function("calls", ctypes.c_longlong, ctypes.c_char_p)
        self._fault = function("fault", ctypes.c_char_p, ctypes.c_ulonglong)
        self._clear_faults = function("clear_faults", None)
        self._set_delay = function("set_delay", None, ctypes.c_int)
        self._set_failures = function("set_failures", ctypes.c_int, ctypes.c_char_p)
        self._used = function("used", ctypes.c_ulonglong, ctypes.c_int)

    def count(self, what):
        """Return how many of `what` (one of `COUNTS`) the process has."""
        return self._count(what.encode())

    def counts(self):
        """Map each of `COUNTS` of which the process has any to how many."""
        return {what: number for what in COUNTS if (number := self.count(what))}

    def calls(self, name):
        """Return how often a function of the driver was called."""
        return self._calls(name.encode())

    def faults(self):
        """Return what each fault says that the double saw."""
        return [self._fault(i).decode() for i in range(self.count("faults"))]

    def clear_faults(self):
        """Forget the faults."""
        self._clear_faults()

    def set_delay(self, delay):
        """Delay asynchronous work from now on, or run what is queued and end the delay."""
        self._set_delay(delay)

    def set_failures(self, text):
        """Make calls fail, counted from now on; '' ends it."""
        if self._set_failures(text.encode()):
            raise ValueError(f"not understood: {text!r}")

    def used(self, number):
        """Return the bytes in use on a device of the machine, by all its processes."""
        return self._used(number)


def control():
    """Return the `Control` of the double that this process finds as its driver."""
    return Control(ctypes.CDLL("libcuda.so.1"))


def load():
    """Load the double into this process, where later look-ups of the driver find it."""
    return Control(ctypes.CDLL(build.library(), mode=ctypes.RTLD_GLOBAL))
