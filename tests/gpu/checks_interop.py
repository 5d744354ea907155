"""CuPy and PyTorch on our memory, and ours on theirs: the same bytes, no copies."""

import sharedarray as xp

from .common import DEVICE, peer, torch_with_cuda
from .registry import check
from .table import Row


def same(report, what, x, pointer):
    """Report whether what another library made of an Array lies where the Array lies."""
    good = pointer == x.storage().data_ptr()
    report(Row.held(what, good, "the same address" if good else "a copy"))


@check("With CuPy", timeout=60, needs=("cupy",))
def with_cupy(report):
    """To and from `cupy.ndarray`."""
    import cupy

    x = xp.arange(12, dtype=xp.float32, device=DEVICE)
    ways = {
        "x.cupy()": x.cupy(),
        "cupy.asarray(x)": cupy.asarray(x),
        "cupy.from_dlpack(x)": cupy.from_dlpack(x),
    }
    for what, a in ways.items():
        same(report, what, x, a.data.ptr)
        a[3] = 50
        report(Row.held("... written there, read here", float(x[3]) == 50, "the new value"))
        x[3] = 3
    back = {"xp.asarray": xp.asarray(ways["x.cupy()"]), "xp.from_dlpack": xp.from_dlpack(a)}
    for what, y in back.items():
        good = y.is_shared() and y.storage().data_ptr() == x.storage().data_ptr()
        report(Row.held(f"{what} of that", good, "our memory again, shared"))
    foreign = cupy.arange(5)
    y = xp.from_dlpack(foreign)
    good = not y.is_shared() and not xp.is_shared(foreign)
    report(Row.held("xp.from_dlpack of CuPy's own", good, "borrowed, and says that it is private"))
    foreign[0] = 9
    report(Row.held("... written there, read here", int(y[0]) == 9, "the new value"))
    moved = y.share_memory_().is_shared() and int(y[0]) == 9
    report(Row.held("... share_memory_()", moved, "copied once, shared"))
    sin = cupy.sin(x.cupy())
    close = bool(cupy.allclose(xp.sin(x).cupy(), sin))
    report(Row.held("xp.sin(x), cupy.sin", close, "equal"))


@check("With PyTorch", timeout=60)
def with_torch(report):
    """To and from CUDA tensors."""
    torch = torch_with_cuda()
    if torch is None:
        report(Row.left_out("torch.from_dlpack and back", "no torch that sees a card"))
        return
    x = xp.arange(12, dtype=xp.float32, device=DEVICE)
    for what, t in {
        "torch.from_dlpack(x)": torch.from_dlpack(x),
        "torch.as_tensor(x, device='cuda')": torch.as_tensor(x, device="cuda"),
    }.items():
        same(report, what, x, t.data_ptr())
        t.add_(1)
        torch.cuda.synchronize()
        report(Row.held("... t.add_(1), read here", float(x[3]) == 4, "the new value"))
        x -= 1
    t = torch.arange(5, device="cuda", dtype=torch.float32)
    y = xp.from_dlpack(t)
    y += 1
    xp.cuda.synchronize()
    report(Row.held("xp.from_dlpack(t), y += 1", t.tolist() == [1, 2, 3, 4, 5], "t has it"))
    report(Row.held("... is it shared", not y.is_shared(), "no: it is torch's memory"))
    with peer() as other:
        t = torch.from_dlpack(x)
        other.run("import torch; torch.from_dlpack(x).fill_(7); torch.cuda.synchronize()", x=x)
        good = t.tolist() == [7.0] * 12
        report(Row.held("torch in two processes over one Array", good, "one memory"))
    device = xp.device_of(t)
    report(Row.held("xp.device_of(t)", device == DEVICE, str(device)))
