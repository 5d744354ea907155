"""Devices: how many there are, what they say, and which of them a process sees."""

import pytest

from tests.harness.script import run_script

from . import environment
from .calls import code, cu, current, value
from .inside import inside

UUID = "GPU-0000000{}-da0b-4000-8000-d0b1ecda0000"
A = cu.CUdevice_attribute


@inside(devices=3, memory=1 << 30)
def test_devices_tell_of_themselves():
    value(cu.cuInit(0))
    assert value(cu.cuDeviceGetCount()) == 3
    uuids = {bytes(value(cu.cuDeviceGetUuid(i)).bytes) for i in range(3)}
    assert len(uuids) == 3
    for i in range(3):
        assert int(value(cu.cuDeviceGet(i))) == i
        assert value(cu.cuDeviceGetName(64, i)).split(b"\0")[0] == b"Driver Double %d" % i
        assert value(cu.cuDeviceTotalMem(i)) == 1 << 30
        bus = value(cu.cuDeviceGetPCIBusId(32, i)).split(b"\0")[0]
        assert bus == b"0000:%02X:00.0" % (i + 1)
        assert int(value(cu.cuDeviceGetByPCIBusId(bus))) == i
        assert value(cu.cuDeviceGetAttribute(A.CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i)) == i + 1
        assert value(cu.cuDeviceComputeCapability(i)) == (9, 0)
        for name in (
            "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
            "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED",
            "UNIFIED_ADDRESSING",
            "IPC_EVENT_SUPPORTED",
        ):
            assert value(cu.cuDeviceGetAttribute(getattr(A, f"CU_DEVICE_ATTRIBUTE_{name}"), i)) == 1


@inside(devices=3, memory=1 << 30)
def test_devices_that_are_not_there():
    value(cu.cuInit(0))
    for i in (-1, 3, 1 << 20):
        assert code(cu.cuDeviceGet(i)) == "INVALID_DEVICE"
        assert code(cu.cuDeviceTotalMem(i)) == "INVALID_DEVICE"
        assert code(cu.cuDevicePrimaryCtxRetain(i)) == "INVALID_DEVICE"
        assert code(cu.cuDeviceCanAccessPeer(0, i)) == "INVALID_DEVICE"
    assert code(cu.cuDeviceGetByPCIBusId(b"0000:07:00.0")) == "INVALID_DEVICE"
    assert code(cu.cuDeviceGetByPCIBusId(b"bus")) == "INVALID_VALUE"
    assert code(cu.cuInit(1)) == "INVALID_VALUE"


@inside(devices=3, peers="0-1,1-0,2-0", attributes="103=0,16=7", version=12080)
def test_devices_can_be_other_than_usual():
    value(cu.cuInit(0))
    reach = [[value(cu.cuDeviceCanAccessPeer(i, j)) for j in range(3)] for i in range(3)]
    assert reach == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]
    handles = A.CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    assert value(cu.cuDeviceGetAttribute(handles, 1)) == 0
    assert value(cu.cuDeviceGetAttribute(A.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0)) == 7
    assert value(cu.cuDriverGetVersion()) == 12080
    with current(1):
        first, second = (value(cu.cuDevicePrimaryCtxRetain(i)) for i in (0, 2))
        value(cu.cuCtxEnablePeerAccess(first, 0))
        assert code(cu.cuCtxEnablePeerAccess(first, 0)) == "PEER_ACCESS_ALREADY_ENABLED"
        assert code(cu.cuCtxEnablePeerAccess(second, 0)) == "PEER_ACCESS_UNSUPPORTED"
        value(cu.cuCtxDisablePeerAccess(first))
        assert code(cu.cuCtxDisablePeerAccess(first)) == "PEER_ACCESS_NOT_ENABLED"
        for i in (0, 2):
            value(cu.cuDevicePrimaryCtxRelease(i))


VISIBLE = [
    ("0,1,2", [0, 1, 2]),
    ("2,0", [2, 0]),
    (" 1 , 2", [1, 2]),
    ("1,9,0", [1]),
    ("1,-1,0", [1]),
    ("1,1", [1]),
    ("0,other", [0]),
    (UUID.format(3), [2]),
    (f"{UUID.format(2)},GPU-00000001", [1, 0]),
    ("GPU-0000000", []),
    ("", []),
    ("-1", []),
]


def test_visible_devices(doubles):
    """One process for all: a fork before the driver is used starts afresh."""
    lines = run_script(
        """
        import os, sys
        from cuda.bindings import driver as cu

        for visible in sys.argv[1:]:
            child = os.fork()
            if not child:
                os.environ["CUDA_VISIBLE_DEVICES"] = visible
                numbers = []
                rc = int(cu.cuInit(0)[0])
                if not rc:
                    for i in range(cu.cuDeviceGetCount()[1]):
                        numbers.append(bytes(cu.cuDeviceGetUuid(i)[1].bytes)[3] - 1)
                print(rc, numbers, flush=True)
                os._exit(0)
            os.waitpid(child, 0)
        """,
        *[visible for visible, _ in VISIBLE],
        env=environment(devices=3),
    ).ok()
    told = dict(zip([v for v, _ in VISIBLE], lines.splitlines(), strict=True))
    assert told == {v: f"{0 if numbers else 100} {numbers}" for v, numbers in VISIBLE}


@pytest.mark.parametrize("settings", [{"devices": 0}, {"visible": ""}])
def test_no_device_is_no_driver_to_use(doubles, settings):
    run_script(
        """
        from cuda.bindings import driver as cu
        assert int(cu.cuInit(0)[0]) == 100
        assert int(cu.cuDeviceGetCount()[0]) == 3
        """,
        env=environment(**settings),
    ).ok()


@pytest.mark.parametrize("settings", [{"devices": 65}, {"peers": "0:1"}, {"attributes": "x"}])
def test_settings_that_mean_nothing_are_refused(doubles, settings):
    run_script(
        "from cuda.bindings import driver as cu; assert int(cu.cuInit(0)[0]) == 1",
        env=environment(visible="0", **settings),
    ).ok()


def test_nothing_but_names_before_initialisation(doubles):
    run_script(
        """
        from cuda.bindings import driver as cu
        assert cu.cuDriverGetVersion() == (0, 13000)
        assert cu.cuGetErrorName(cu.CUresult(2)) == (0, b"CUDA_ERROR_OUT_OF_MEMORY")
        assert cu.cuGetErrorString(cu.CUresult(2)) == (0, b"out of memory")
        for call in (
            lambda: cu.cuDeviceGetCount(),
            lambda: cu.cuDeviceGet(0),
            lambda: cu.cuCtxGetCurrent(),
            lambda: cu.cuMemAlloc(8),
            lambda: cu.cuMemAddressReserve(1 << 21, 0, 0, 0),
        ):
            assert int(call()[0]) == 3
        """,
        env=environment(),
    ).ok()
