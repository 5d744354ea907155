"""What runs out and what fails: memory of devices, and calls that are told to fail."""

import ctypes
import os

import pytest

from tests.harness.script import run_script

from . import environment
from .calls import GRANULE, Mapped, code, control, cu, current, export, prop, value
from .inside import inside


@inside(memory=4 * GRANULE)
def test_memory_runs_out():
    with current():
        free, total = value(cu.cuMemGetInfo())
        assert free == total == 4 * GRANULE
        held = [value(cu.cuMemCreate(2 * GRANULE, prop(), 0)) for _ in range(2)]
        assert value(cu.cuMemGetInfo())[0] == 0
        assert code(cu.cuMemCreate(GRANULE, prop(), 0)) == "OUT_OF_MEMORY"
        assert code(cu.cuMemAlloc(1)) == "OUT_OF_MEMORY"
        value(cu.cuMemRelease(value(cu.cuMemCreate(4 * GRANULE, prop(1), 0))))
        value(cu.cuMemRelease(held.pop()))
        mine = value(cu.cuMemAlloc(GRANULE))
        assert code(cu.cuMemCreate(2 * GRANULE, prop(), 0)) == "OUT_OF_MEMORY"
        value(cu.cuMemFree(mine))
        value(cu.cuMemRelease(value(cu.cuMemCreate(2 * GRANULE, prop(), 0))))
        value(cu.cuMemRelease(held.pop()))


@inside(memory=4 * GRANULE)
def test_memory_is_counted_while_only_a_mapping_or_an_import_has_it():
    with current():
        with Mapped(0, 4 * GRANULE) as memory:
            descriptor = export(memory.handle)
            imported = Mapped.opened(descriptor, 0, 4 * GRANULE)
            os.close(descriptor)
        assert code(cu.cuMemCreate(GRANULE, prop(), 0)) == "OUT_OF_MEMORY"
        with imported:
            value(cu.cuMemRelease(imported.handle))
            assert code(cu.cuMemCreate(GRANULE, prop(), 0)) == "OUT_OF_MEMORY"
            imported.handle = value(cu.cuMemRetainAllocationHandle(imported.address))
        assert value(cu.cuMemGetInfo()) == (4 * GRANULE, 4 * GRANULE)


@inside()
def test_calls_fail_as_told_and_leave_nothing():
    value(cu.cuInit(0))
    control().set_failures(
        "cuMemCreate:2=2,cuMemCreate:3=999,cuMemMap:*=1,cuMemAddressReserve:2+=2"
    )
    answers = [cu.cuMemCreate(GRANULE, prop(), 0) for _ in range(4)]
    assert [code(one) for one in answers] == ["SUCCESS", "OUT_OF_MEMORY", "UNKNOWN", "SUCCESS"]
    address = value(cu.cuMemAddressReserve(GRANULE, 0, 0, 0))
    for _ in range(3):
        assert code(cu.cuMemAddressReserve(GRANULE, 0, 0, 0)) == "OUT_OF_MEMORY"
        assert code(cu.cuMemMap(address, GRANULE, 0, answers[0][1], 0)) == "INVALID_VALUE"
    counts = control().counts()
    assert counts == {"memory": 2, "handles": 2, "reservations": 1}
    assert control().calls("cuMemCreate") == 4
    assert control().calls("cuMemMap") == control().calls("cuMemAddressReserve") - 1 == 3
    control().set_failures("")
    assert control().calls("cuMemCreate") == 0
    value(cu.cuMemMap(address, GRANULE, 0, answers[0][1], 0))
    value(cu.cuMemUnmap(address, GRANULE))
    value(cu.cuMemAddressFree(address, GRANULE))
    for i in (0, 3):
        value(cu.cuMemRelease(answers[i][1]))


@inside()
def test_failures_go_by_any_name_of_a_function():
    with current():
        for name in ("cuMemAlloc", "cuMemAlloc_v2"):
            control().set_failures(f"{name}:1=2")
            assert code(cu.cuMemAlloc(8)) == "OUT_OF_MEMORY"
            assert control().calls("cuMemAlloc") == control().calls("cuMemAlloc_v2") == 1
        for wrong in ("cuNothing:1=2", "cuMemAlloc", "cuMemAlloc:0=2", "cuMemAlloc:1", ":1=2", "x"):
            with pytest.raises(ValueError, match="not understood"):
                control().set_failures(wrong)
        assert control().calls("cuNothing") == control().count("nothing") == -1
        assert code(cu.cuMemAlloc(0)) == "INVALID_VALUE"


def test_failures_from_the_environment(doubles):
    run_script(
        """
        from cuda.bindings import driver as cu
        assert [int(cu.cuInit(0)[0]) for _ in range(3)] == [999, 0, 0]
        assert [int(cu.cuDeviceGetCount()[0]) for _ in range(2)] == [46, 46]
        """,
        env=environment(fail="cuInit:1=999,cuDeviceGetCount:*=46"),
    ).ok()


def test_a_text_that_plants_nothing_fails_every_call(doubles):
    run_script(
        """
        import ctypes
        double = ctypes.CDLL("libcuda.so.1")
        assert [double.cuInit(0) for _ in range(2)] == [3, 3]
        """,
        env=environment(fail="cuMemCreat:1=2"),
    ).ok()


@inside()
def test_many_allocations():
    with current():
        held = [value(cu.cuMemCreate(GRANULE, prop(i % 2), 0)) for i in range(300)]
        for handle in held[::2] + held[1::2]:
            value(cu.cuMemRelease(handle))
        addresses = [int(value(cu.cuMemAlloc(100 + i))) for i in range(300)]
        for i, address in enumerate(addresses):
            ctypes.memset(address, i % 256, 100 + i)
        for address in reversed(addresses):
            value(cu.cuMemFree(address))
        assert value(cu.cuMemGetInfo())[0] == value(cu.cuMemGetInfo())[1]
