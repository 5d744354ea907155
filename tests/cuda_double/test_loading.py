"""The library itself: how it is found, its marker, its symbols, and where it refuses to run."""

import ctypes
import os
import re
import subprocess

import pytest

from tests.harness.script import run_script

from . import beside_real_driver, build, environment
from .inside import inside


def test_it_is_found_by_its_soname_in_a_process_that_loaded_it(doubles):
    env = {k: v for k, v in environment().items() if k != "LD_LIBRARY_PATH"}
    run_script(
        """
        import ctypes
        from tests.cuda_double import load
        from cuda.bindings import driver as cu
        double = load()
        assert double.version == 1
        assert int(cu.cuInit(0)[0]) == 0
        assert ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
        assert double.calls("cuInit") == 2
        """,
        env=env,
    ).ok()


def test_a_worker_that_would_inherit_a_driver_is_spawned(doubles):
    run_script(
        """
        from tests.cuda_double import inside, load

        if __name__ == "__main__":
            assert not inside.has_driver()
            with inside.Doubles().start() as worker:
                assert worker.method == "fork"
            load()
            assert inside.has_driver()
            with inside.Doubles().start() as worker:
                assert worker.method == "spawn"
        """,
        env=environment(),
    ).ok()


def test_only_the_drivers_names_and_its_own_are_visible():
    text = subprocess.run(
        ["nm", "-D", "--defined-only", build.library()], check=True, capture_output=True, text=True
    ).stdout
    names = {line.split()[-1] for line in text.splitlines()}
    own = {name for name in names if name.startswith("sharedarray_")}
    assert {"sharedarray_cuda_double", "sharedarray_double_count"} <= own
    assert {"cuInit", "cuMemAlloc_v2", "cuGetProcAddress", "cuGetProcAddress_v2"} <= names
    assert [name for name in names - own if not re.fullmatch(r"cu[A-Z]\w+", name)] == []


@inside()
def test_functions_by_name_and_version():
    library = ctypes.CDLL("libcuda.so.1")
    look_up, older = library.cuGetProcAddress_v2, library.cuGetProcAddress

    def found(name, version, flags=0):
        address, status = ctypes.c_void_p(), ctypes.c_int(-1)
        rc = look_up(
            name, ctypes.byref(address), version, ctypes.c_uint64(flags), ctypes.byref(status)
        )
        return rc, address.value, status.value

    def symbol(name):
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value

    assert found(b"cuMemCreate", 10020) == (0, symbol("cuMemCreate"), 0)
    assert found(b"cuMemAlloc", 12000) == (0, symbol("cuMemAlloc_v2"), 0)
    assert found(b"cuCtxCreate", 12000) == (0, symbol("cuCtxCreate_v3"), 0)
    assert found(b"cuCtxCreate", 13000) == (0, symbol("cuCtxCreate_v4"), 0)
    assert found(b"cuCtxCreate", 13000, 1) == (0, symbol("cuCtxCreate_v4"), 0)
    assert found(b"cuMemCreate", 10010) == (500, None, 2)
    assert found(b"cuMemCreate_v2", 13000) == (500, None, 1)
    assert found(b"cuNothing", 13000) == (500, None, 1)
    assert found(b"cuMemCreate", 13000, 2)[0] == 801
    address = ctypes.c_void_p()
    assert older(b"cuMemMap", ctypes.byref(address), 13000, ctypes.c_uint64(0)) == 0
    assert address.value == symbol("cuMemMap")
    assert look_up(None, ctypes.byref(address), 13000, ctypes.c_uint64(0), None) == 1


@inside()
def test_codes_have_names_and_texts():
    from .calls import cu

    known = [one for one in cu.CUresult if not cu.cuGetErrorName(one)[0]]
    assert len(known) >= 98
    for one in known:
        name, text = cu.cuGetErrorName(one)[1], cu.cuGetErrorString(one)[1]
        assert (name.decode(), bool(text)) == (one.name, True)
    library, place = ctypes.CDLL("libcuda.so.1"), ctypes.c_char_p(b"x")
    assert library.cuGetErrorName(12345, ctypes.byref(place)) == 1
    assert place.value is None


REFUSED = """
    from cuda.bindings import driver as cu
    rc = cu.cuInit(0)[0]
    print(int(rc), cu.cuGetErrorString(rc)[1].decode())
    assert int(cu.cuDeviceGetCount()[0]) == 3
"""


def test_it_refuses_to_run_beside_a_real_driver(tmp_path):
    shown = tmp_path / "nvidiactl"
    shown.touch()
    for real in (f"{shown}", f"{tmp_path}/nothing:{shown}"):
        told = run_script(REFUSED, env=environment(real=real)).ok()
        assert re.match(rf"803 the driver double refuses to run beside .*{shown} exists", told)


def test_where_it_looks_for_a_real_driver():
    real = [
        path for path in ("/dev/nvidiactl", "/proc/driver/nvidia/version") if os.path.exists(path)
    ]
    assert beside_real_driver() == (real[0] if real else "")
    env = {k: v for k, v in environment().items() if k != "CUDA_DOUBLE_REAL"}
    result = run_script(
        "from cuda.bindings import driver as cu; print(int(cu.cuInit(0)[0]))", env=env
    )
    assert result.ok() == ("803" if real else "0")


FORKED = """
    import ctypes, os, sys
    from tests.cuda_double.calls import *
    {before}

    def run():
        double = control()
        memory = ctypes.CDLL("libcuda.so.1")
        assert code(cu.cuInit(0)) == {init!r}
        for call in (
            lambda: cu.cuDeviceGetCount(),
            lambda: cu.cuDevicePrimaryCtxRetain(0),
            lambda: cu.cuCtxGetCurrent(),
            lambda: cu.cuMemCreate(GRANULE, prop(), 0),
            lambda: cu.cuStreamSynchronize(0),
            lambda: cu.cuMemFree(0),
        ):
            assert (code(call()) == "NOT_INITIALIZED") == {refused}, code(call())
        assert cu.cuDriverGetVersion()[1] == 13000
        assert cu.cuGetErrorName(cu.CUresult(3))[1] == b"CUDA_ERROR_NOT_INITIALIZED"
        double.counts(), double.faults(), double.set_delay(False)

    child = os.fork()
    if not child:
        try:
            run()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    value(cu.cuInit(0))
    with current():
        value(cu.cuCtxSynchronize())
"""


@pytest.mark.parametrize(
    ("before", "init", "refused"),
    [
        ("value(cu.cuInit(0)); value(cu.cuDeviceGetCount())", "NOT_INITIALIZED", True),
        ("cu.cuDriverGetVersion()", "SUCCESS", False),
    ],
)
def test_a_forked_child_of_a_process_that_used_the_driver(doubles, before, init, refused):
    source = FORKED.format(before=before, init=init, refused=refused)
    if not refused:
        source = source.replace("lambda: cu.cuStreamSynchronize(0),", "")
    run_script(source, env=environment()).ok()


def test_a_child_forked_while_others_are_in_the_driver(doubles):
    run_script(
        """
        import os, threading
        from tests.cuda_double.calls import *

        ended = False

        def busy(context):
            value(cu.cuCtxSetCurrent(context))
            with Mapped() as memory, stream() as s:
                while not ended:
                    value(cu.cuMemsetD8Async(memory.address, 1, GRANULE, s))
                    value(cu.cuStreamSynchronize(s))

        with current() as context:
            thread = threading.Thread(target=busy, args=(context,))
            thread.start()
            for _ in range(20):
                child = os.fork()
                if not child:
                    os._exit(0 if code(cu.cuMemAlloc(8)) == "NOT_INITIALIZED" else 1)
                assert os.waitpid(child, 0)[1] == 0
            ended = True
            thread.join()
        """,
        flags=("-W", "ignore"),
        env=environment(delayed=True),
    ).ok()


def test_a_forked_child_has_no_device_memory(doubles):
    run_script(
        """
        import os, signal
        from tests.cuda_double.calls import *

        with current(), Mapped() as memory:
            memory.fill(1)
            child = os.fork()
            if not child:
                import faulthandler
                faulthandler.disable()
                memory.read()
                os._exit(0)
            assert os.waitpid(child, 0)[1] & 127 == signal.SIGSEGV
            assert memory.read() == bytes([1]) * 8
        """,
        env=environment(),
    ).ok()
