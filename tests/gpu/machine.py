"""The machine that a check runs on: a card with CuPy, or the driver double."""

import ctypes
import functools
import importlib.metadata
import pathlib
import platform
import re
import time

MARKER = "sharedarray_cuda_double"
PACKAGES = ("cupy-cuda12x", "cupy-cuda13x", "cuda-bindings", "numpy", "torch")


@functools.cache
def on_double() -> bool:
    """Whether the driver is the double; it carries a symbol that says so."""
    try:
        return hasattr(ctypes.CDLL("libcuda.so.1"), MARKER)
    except OSError:
        return False


class DriverError(RuntimeError):
    """A call of the driver failed."""


class Driver:
    """
    The driver as the checks need it, through ``cuda.bindings``; each call raises if it fails.

    Parameters
    ----------
    index : int
        The device. Its primary context becomes current in this thread.
    """

    def __init__(self, index: int = 0):
        from cuda.bindings import driver

        self.cu = driver
        self("cuInit", 0)
        self.device = self("cuDeviceGet", index)
        self.context = self("cuDevicePrimaryCtxRetain", self.device)
        self("cuCtxSetCurrent", self.context)

    def __call__(self, name: str, *arguments):
        """Call a function; what it returns beside its status."""
        status, *result = getattr(self.cu, name)(*arguments)
        if status != self.cu.CUresult.CUDA_SUCCESS:
            raise DriverError(f"{name}: {status.name}")
        return None if not result else result[0] if len(result) == 1 else tuple(result)

    def wait(self) -> None:
        """Wait until the device is idle."""
        self("cuCtxSynchronize")

    def free_memory(self) -> int:
        """Bytes that are free on the device."""
        return int(self("cuMemGetInfo")[0])

    def total_memory(self) -> int:
        """Bytes of the device."""
        return int(self("cuMemGetInfo")[1])

    def attribute(self, name: str) -> int:
        """An attribute of the device, by its name without the prefix; 0 if there is none such."""
        found = getattr(self.cu.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}", None)
        if found is None:
            return 0
        try:
            return int(self("cuDeviceGetAttribute", found, self.device))
        except DriverError:
            return 0

    def name(self) -> str:
        """What the card is called."""
        text = self("cuDeviceGetName", 256, self.device)
        return text.split(b"\0")[0].decode()

    def version(self) -> str:
        """The newest CUDA that the driver knows."""
        number = self("cuDriverGetVersion")
        return f"{number // 1000}.{number % 1000 // 10}"

    def memory_rate(self) -> float:
        """Bytes per second of the card's memory, after its attributes; 0 where they are silent."""
        kilohertz = self.attribute("MEMORY_CLOCK_RATE")
        bits = self.attribute("GLOBAL_MEMORY_BUS_WIDTH")
        return 2e3 * kilohertz * bits / 8  # two transfers in a cycle

    def seconds(self, call, count: int = 1) -> float:
        """Seconds that one of `count` calls takes on the default stream, by the device's clock."""
        first, last = self("cuEventCreate", 0), self("cuEventCreate", 0)
        try:
            self.wait()
            self("cuEventRecord", first, 0)
            for _ in range(count):
                call()
            self("cuEventRecord", last, 0)
            self("cuEventSynchronize", last)
            return self.elapsed(first, last) / count
        finally:
            self("cuEventDestroy", first)
            self("cuEventDestroy", last)

    def elapsed(self, first, last) -> float:
        """Seconds between two events that have been reached."""
        return 1e-3 * float(self("cuEventElapsedTime", first, last))  # it tells milliseconds


def driver_release() -> str:
    """The release of the installed driver; empty if the kernel does not tell."""
    try:
        text = pathlib.Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        return ""
    found = re.search(r"\b(\d{3}\.\d+(?:\.\d+)?)\b", text)
    return found[1] if found else ""


def facts(driver: Driver) -> dict[str, str]:
    """What figures depend on, for the head of the page."""
    found = {
        "date": time.strftime("%Y-%m-%d"),
        "card": f"{driver.name()}, {driver.total_memory() / (1 << 30):.0f} GiB",
        "driver": f"{driver_release() or 'release unknown'}, CUDA {driver.version()}",
        "Linux": platform.release(),
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if not on_double():
        import cupy

        version = cupy.cuda.runtime.runtimeGetVersion()
        found["CUDA runtime"] = f"{version // 1000}.{version % 1000 // 10}"
    return found


def bandwidth_of(traffic: float, seconds: float, peak: float) -> str:
    """A share of the card's bandwidth in words; empty if that is not known."""
    return f"{100 * traffic / seconds / peak:.0f} % of {peak / 1e12:.2f} TB/s" if peak else ""
