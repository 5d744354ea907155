"""How long opening and handing over take, beside CUDA's older way and PyTorch's."""

import statistics
import time

import sharedarray as xp
from tests.harness.worker import WorkerError

from .common import DEVICE, MIB, opened, peer, size, torch_with_cuda
from .measure import binary, clock, duration, interleave
from .registry import check
from .table import Row

NBYTES = size(64 * MIB, 2 * MIB)
TURNS = 20

OPEN = """
from tests.gpu.checks_latency import seconds_to_open
return seconds_to_open(data, keep)
"""
OPEN_LEGACY = """
from tests.gpu.checks_latency import seconds_to_open_legacy
return seconds_to_open_legacy(data)
"""


def seconds_to_open(data, keep):
    """Seconds that each handle takes, in this process; the arrays are kept."""
    taken = []
    for number, one in enumerate(data):
        start = time.perf_counter()
        x = opened(one)
        taken.append(time.perf_counter() - start)
        keep[number] = x
    return taken


def seconds_to_open_legacy(data):
    """Seconds that `cudaIpcOpenMemHandle` takes for each."""
    import cupy

    taken, pointers = [], []
    for one in data:
        start = time.perf_counter()
        pointers.append(cupy.cuda.runtime.ipcOpenMemHandle(one))
        taken.append(time.perf_counter() - start)
    for pointer in pointers:
        cupy.cuda.runtime.ipcCloseMemHandle(pointer)
    return taken


def fresh(count):
    """Arrays in as many segments as the pool pleases to make."""
    return [xp.empty(NBYTES, dtype=xp.uint8, device=DEVICE) for _ in range(count)]


@check("Opening a handle in another process", timeout=90)
def opening(report):
    """Arrays that the process sees for the first time, the same again, and after empty_cache."""
    with peer() as reader:
        arrays = fresh(TURNS)
        handles = [bytes(x.handle()) for x in arrays]
        first = reader.run(OPEN, data=handles)
        report(Row("the first array of this maker", duration(first[0])))
        report(
            Row(
                f"further arrays of {binary(NBYTES)}",
                f"{duration(statistics.median(first[1:]))} in the median",
                f"slowest: {duration(max(first[1:]))}",
            )
        )
        again = reader.run(OPEN, data=[bytes(arrays[0].handle()) for _ in range(TURNS)])
        report(Row("an array that is open already", duration(statistics.median(again))))
        reader.run("keep.clear(); gc.collect(); xp.empty_cache()")
        once_more = reader.run(OPEN, data=[bytes(x.handle()) for x in arrays])
        report(Row("an array that was detached before", duration(statistics.median(once_more))))
        reader.run("keep.clear()")


@check("Opening by legacy CUDA IPC (side by side)", timeout=60, needs=("cupy",))
def legacy(report):
    """`cudaIpcGetMemHandle` and `cudaIpcOpenMemHandle` of memory of the same size."""
    import cupy

    pointers = [cupy.cuda.runtime.malloc(NBYTES) for _ in range(TURNS)]
    try:
        with peer() as reader:
            reader.run("import cupy; cupy.zeros(1)")
            try:
                handles = [cupy.cuda.runtime.ipcGetMemHandle(pointer) for pointer in pointers]
                taken = reader.run(OPEN_LEGACY, data=handles)
            except (cupy.cuda.runtime.CUDARuntimeError, WorkerError) as error:
                report(Row.left_out("the first", f"refused here: {str(error)[:60]}"))
                return
            report(Row("the first", duration(taken[0])))
            report(
                Row(
                    f"further ones of {binary(NBYTES)}",
                    f"{duration(statistics.median(taken[1:]))} in the median",
                    f"slowest: {duration(max(taken[1:]))}",
                )
            )
    finally:
        for pointer in pointers:
            cupy.cuda.runtime.free(pointer)


def answer(message):
    """What the worker says to a message: enough to show that it was opened."""
    return message.shape if hasattr(message, "shape") else tuple(message)


@check("Round trips of one array to a running process", timeout=90)
def round_trips(report):
    """Send, open, answer; beside a message of two numbers, CPU Arrays and PyTorch's tensors."""
    sizes = (1024, NBYTES, size(1024 * MIB, 4 * MIB))
    torch = torch_with_cuda()
    with peer() as other:
        for nbytes in sizes:
            messages = {
                "two numbers": (1.0, 2.0),
                "ours": xp.zeros(nbytes, dtype=xp.uint8, device=DEVICE),
                "CPU Array": xp.zeros(nbytes, dtype=xp.uint8),
            }
            if torch is not None:
                messages["torch"] = torch.zeros(nbytes, dtype=torch.uint8, device="cuda")

            def ask(message):
                return clock(lambda: other.call(answer, message), xp.cuda.synchronize)

            found = interleave({k: ask(v) for k, v in messages.items()}, rounds=31, budget=6)
            beside = ", ".join(
                f"{name}: {duration(found.median(name))}" for name in messages if name != "ours"
            )
            report(
                Row.compared(
                    f"{binary(nbytes)}, again and again",
                    duration(found.median("ours")),
                    beside,
                    found.ratio("ours", "two numbers"),
                )
            )
