"""Contexts: current ones, the stack of a thread, primary contexts, their end."""

import threading

import pytest

from .calls import NON_BLOCKING, DriverError, code, control, cu, current, pinned, value
from .inside import inside

NOTHING = 0


def primary(device):
    """Return flags and whether the primary context is active."""
    return value(cu.cuDevicePrimaryCtxGetState(device))


def created(flags, device):
    """Return a new context, which is current."""
    first = () if cu.CUDA_VERSION < 13000 else (None,)  # parameters of cuCtxCreate_v4
    return value(cu.cuCtxCreate(*first, flags, device))


@inside()
def test_a_primary_context_lives_while_it_is_retained():
    value(cu.cuInit(0))
    assert primary(1) == (0, 0)
    one = value(cu.cuDevicePrimaryCtxRetain(1))
    assert int(one) == int(value(cu.cuDevicePrimaryCtxRetain(1)))
    assert primary(1) == (0, 1)
    value(cu.cuDevicePrimaryCtxRelease(1))
    assert primary(1) == (0, 1)
    value(cu.cuDevicePrimaryCtxRelease(1))
    assert primary(1) == (0, 0)
    assert code(cu.cuDevicePrimaryCtxRelease(1)) == "INVALID_CONTEXT"
    assert code(cu.cuDevicePrimaryCtxSetFlags(1, 1 << 20)) == "INVALID_VALUE"


@inside()
def test_the_stack_of_contexts():
    value(cu.cuInit(0))
    assert int(value(cu.cuCtxGetCurrent())) == NOTHING
    assert code(cu.cuCtxGetDevice()) == "INVALID_CONTEXT"
    assert code(cu.cuCtxPopCurrent()) == "INVALID_CONTEXT"
    with current(0) as zero, current(1) as one:
        assert int(value(cu.cuCtxGetDevice())) == 1
        assert int(value(cu.cuCtxPopCurrent())) == int(one)
        assert int(value(cu.cuCtxGetCurrent())) == int(zero)
        value(cu.cuCtxSetCurrent(one))
        assert int(value(cu.cuCtxGetDevice())) == 1
        value(cu.cuCtxSetCurrent(0))
        assert int(value(cu.cuCtxGetCurrent())) == NOTHING
        value(cu.cuCtxSetCurrent(zero))
        value(cu.cuCtxPushCurrent(one))
        assert value(cu.cuCtxGetId(zero)) != value(cu.cuCtxGetId(one))
    assert code(cu.cuCtxSetCurrent(12345)) == "INVALID_CONTEXT"
    assert code(cu.cuCtxPushCurrent(12345)) == "INVALID_CONTEXT"
    assert code(cu.cuCtxPushCurrent(0)) == "INVALID_VALUE"


@inside()
def test_each_thread_has_a_stack():
    seen = []
    with current(0):
        thread = threading.Thread(target=lambda: seen.append(int(value(cu.cuCtxGetCurrent()))))
        thread.start()
        thread.join()
    assert seen == [NOTHING]


@inside()
def test_a_context_of_ones_own():
    value(cu.cuInit(0))
    made = created(8, 1)
    assert int(value(cu.cuCtxGetCurrent())) == int(made)
    assert (int(value(cu.cuCtxGetDevice())), value(cu.cuCtxGetFlags())) == (1, 8)
    value(cu.cuCtxSynchronize())
    value(cu.cuCtxPushCurrent(made))
    value(cu.cuCtxDestroy(made))
    assert int(value(cu.cuCtxGetCurrent())) == int(made)
    assert code(cu.cuCtxSynchronize()) == "CONTEXT_IS_DESTROYED"
    value(cu.cuCtxPopCurrent())
    assert code(cu.cuCtxDestroy(made)) == "INVALID_CONTEXT"
    with pytest.raises(DriverError, match="INVALID_VALUE"):
        created(1 << 20, 0)


@inside()
def test_the_primary_context_is_not_destroyed_like_others():
    with current(0) as context:
        assert code(cu.cuCtxDestroy(context)) == "INVALID_CONTEXT"
        assert int(value(cu.cuCtxGetCurrent())) == int(context)


@inside()
def test_what_belongs_to_a_context_ends_with_it():
    with current(0):
        memory = value(cu.cuMemAlloc(100))
        value(cu.cuMemAllocHost(100))
        lost = value(cu.cuStreamCreate(NON_BLOCKING))
        value(cu.cuEventCreate(0))
        counts = control().counts()
        assert counts == {
            "memory": 1,
            "allocations": 1,
            "pinned": 1,
            "contexts": 1,
            "streams": 1,
            "events": 1,
        }
    assert control().counts() == {}
    assert code(cu.cuStreamSynchronize(lost)) == "INVALID_HANDLE"
    with current(0):
        assert code(cu.cuMemFree(memory)) == "INVALID_VALUE"


@inside()
def test_a_reset_empties_the_primary_context():
    with current(1), pinned(10):
        value(cu.cuMemAlloc(100))
        with current(0):
            value(cu.cuMemAlloc(100))
            value(cu.cuDevicePrimaryCtxReset(0))
            assert control().count("allocations") == 1
            assert primary(0) == (0, 1)
            value(cu.cuCtxSynchronize())


@inside()
def test_a_released_primary_context_that_is_current():
    value(cu.cuInit(0))
    context = value(cu.cuDevicePrimaryCtxRetain(0))
    value(cu.cuCtxSetCurrent(context))
    value(cu.cuDevicePrimaryCtxRelease(0))
    assert code(cu.cuMemAlloc(8)) == "CONTEXT_IS_DESTROYED"
    value(cu.cuCtxPopCurrent())
