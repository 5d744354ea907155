"""What becomes of an open array when its maker is killed: older ways, side by side."""

import time

from tests.harness.worker import Worker, WorkerError, WorkerLost

from .checks_latency import NBYTES
from .common import torch_with_cuda
from .measure import duration
from .registry import check
from .table import Row

MAKE_LEGACY = """
import cupy
keep["a"] = a = cupy.full(count, 7, dtype=cupy.uint8)
cupy.cuda.runtime.deviceSynchronize()
return cupy.cuda.runtime.ipcGetMemHandle(a.data.ptr)
"""
OPEN_LEGACY = """
import cupy
pointer = cupy.cuda.runtime.ipcOpenMemHandle(data)
memory = cupy.cuda.UnownedMemory(pointer, count, None, 0)
keep["a"] = cupy.ndarray(count, cupy.uint8, memptr=cupy.cuda.MemoryPointer(memory, 0))
return int(keep["a"][-1])
"""


def after_the_kill(reader, expression):
    """What a reader finds, in words."""
    try:
        return f"reads {reader.get(expression)}"
    except WorkerError as error:
        return f"{error.kind}: {str(error).splitlines()[0][:60]}"
    except WorkerLost as error:
        return f"the reader {str(error).splitlines()[0][:60]}"


@check("Legacy CUDA IPC, the maker killed (side by side)", timeout=90, needs=("cupy",))
def legacy(report):
    """The runtime's documentation leaves open what happens."""
    maker, reader = Worker("spawn", timeout=25), Worker("spawn", timeout=15)
    try:
        try:
            data = maker.run(MAKE_LEGACY, count=NBYTES)
            before = reader.run(OPEN_LEGACY, data=data, count=NBYTES)
        except WorkerError as error:  # some containers and MIG devices have none
            report(Row.left_out("read before and after", f"refused here: {error.message[:60]}"))
            return
        maker.kill()
        time.sleep(0.5)
        after = after_the_kill(reader, "int(keep['a'][-1])")
        report(Row("read before and after", f"{before} before; {after} after"))
        late = Worker("spawn", timeout=25)
        try:
            found = f"opened, reads {late.run(OPEN_LEGACY, data=data, count=NBYTES)}"
        except (WorkerError, WorkerLost) as error:
            found = str(error).splitlines()[0][:80]
        finally:
            late.kill()
        report(Row("opened after the kill, by a third process", found))
    finally:
        maker.kill()
        reader.kill()


@check("torch.multiprocessing (side by side)", timeout=90)
def torch_tensors(report):
    """The same of a CUDA tensor, and how long its first opening takes."""
    torch = torch_with_cuda()
    if torch is None:
        report(Row.left_out("a CUDA tensor sent to a process", "no torch that sees a card"))
        return
    maker, reader = Worker("spawn", timeout=25), Worker("spawn", timeout=15)
    try:
        reader.run("import torch; torch.zeros(1, device='cuda')")
        t = torch.full((NBYTES,), 7, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
        start = time.perf_counter()
        reader.run("keep['t'] = t", t=t)
        report(Row("sent and opened the first time", duration(time.perf_counter() - start)))
        made = maker.run(
            "import torch\n"
            "keep['t'] = t = torch.full((count,), 9, dtype=torch.uint8, device='cuda')\n"
            "torch.cuda.synchronize()\nreturn t",
            count=NBYTES,
        )
        before = int(made[-1])
        del made
        reader.run("keep.clear()")
        report(Row("made in another process, read here", str(before)))
    finally:
        maker.kill()
        reader.kill()
