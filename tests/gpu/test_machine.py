"""What the checks ask of the driver, on the double."""

import pytest

from tests.cuda_double import beside_real_driver, environment
from tests.harness import run_script

from . import machine

pytestmark = pytest.mark.skipif(
    bool(beside_real_driver()), reason="the double refuses to load beside a real driver"
)


def on_the_double(code, **options):
    """Run statements in a process whose driver is the double."""
    prelude = "from tests.gpu import machine\ndriver = machine.Driver()\n"
    return run_script(prelude + code, env=environment(**options)).ok()


def test_it_is_told_from_a_driver():
    assert on_the_double("print(machine.on_double(), driver.name())") == "True Driver Double 0"


def test_memory_and_copies():
    printed = on_the_double(
        """
before = driver.free_memory()
a, b = (driver("cuMemAlloc", 1 << 20) for _ in range(2))
print(before - driver.free_memory(), driver.total_memory())
driver("cuMemsetD8", a, 7, 1 << 20)
seconds = driver.seconds(lambda: driver("cuMemcpyDtoDAsync", b, a, 1 << 20, 0), 3)
out = bytearray(4)
driver("cuMemcpyDtoH", out, b, 4)
print(seconds > 0, list(out))
for one in (a, b):
    driver("cuMemFree", one)
print(before - driver.free_memory())
""",
        memory=64 << 20,
    )
    used, told, left = printed.splitlines()
    assert int(used.split()[0]) >= 2 << 20
    assert int(used.split()[1]) == 64 << 20
    assert told == "True [7, 7, 7, 7]"
    assert left == "0"


def test_attributes_give_the_bandwidth():
    code = "print(driver.memory_rate(), driver.attribute('NO_SUCH_ATTRIBUTE'))"
    rate, none = on_the_double(code, attributes="36=3000000,37=512").split()
    assert float(rate) == 2 * 3e9 * 512 / 8
    assert none == "0"


def test_a_failed_call_raises_with_its_name():
    code = """
try:
    driver("cuMemAlloc", 1 << 20)
except machine.DriverError as error:
    print(error)
"""
    printed = on_the_double(code, fail="cuMemAlloc:*=2,cuMemAlloc_v2:*=2")
    assert printed == "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"


def test_a_machine_without_the_driver_is_no_double(monkeypatch):
    monkeypatch.setattr(machine.ctypes, "CDLL", lambda name: (_ for _ in ()).throw(OSError()))
    machine.on_double.cache_clear()
    assert machine.on_double() is False
    machine.on_double.cache_clear()
