"""CuPy's arithmetic over our memory, and through our Arrays, beside plain CuPy."""

import sharedarray as xp

from . import machine
from .common import DEVICE, MIB
from .measure import clock, duration, fill, interleave
from .registry import check
from .table import Row

CLOSE = 1.03
COUNT = 256 * MIB  # elements: 1 GiB of float32, so that the device works longer than a call takes
SIDE = 8192


def report_pairs(report, pairs, wait, at_most=None, seconds=0.02):
    """Measure each pair of calls in turns and report it."""
    for what, (call, plain) in pairs.items():
        count = fill(plain, wait, seconds)
        rivals = {"ours": clock(call, wait, count), "CuPy": clock(plain, wait, count)}
        found = interleave(rivals, budget=6)
        report(
            Row.compared(
                what,
                duration(found.median("ours")),
                f"CuPy: {duration(found.median('CuPy'))}",
                found.ratio("ours", "CuPy"),
                at_most=at_most,
            )
        )


def data(cupy):
    """The same contents twice: Arrays of ours, and CuPy's in memory of cudaMalloc."""
    rng = cupy.random.default_rng(1)
    plain = [rng.random(COUNT, dtype=cupy.float32) for _ in range(2)]
    matrices = [rng.random((SIDE, SIDE), dtype=cupy.float32) for _ in range(2)]
    ours = [xp.empty(a.shape, dtype=xp.float32, device=DEVICE) for a in plain + matrices]
    for x, a in zip(ours, plain + matrices, strict=True):
        x.cupy()[...] = a
    return ours, plain + matrices


@check("Large arrays: Arrays beside plain CuPy", timeout=90, needs=("cupy",))
def large(report):
    """Elementwise functions, reductions and products of Arrays."""
    import cupy

    (x, y, m, n), (a, b, c, d) = data(cupy)
    rows, plain = x.reshape(SIDE, -1), a.reshape(SIDE, -1)
    pairs = {
        "x + y": (lambda: x + y, lambda: a + b),
        "exp(x)": (lambda: xp.exp(x), lambda: cupy.exp(a)),
        "x += y": (lambda: x.__iadd__(y), lambda: a.__iadd__(b)),
        "sum(x)": (lambda: xp.sum(x), lambda: cupy.sum(a)),
        "max(x, axis=0)": (lambda: xp.max(rows, axis=0), lambda: cupy.max(plain, axis=0)),
        "m @ n": (lambda: m @ n, lambda: c @ d),
    }
    report_pairs(report, pairs, machine.Driver().wait, CLOSE)
    same = bool(cupy.allclose((m @ n).cupy(), c @ d))
    report(Row.held("results of m @ n", same, "the same as CuPy's"))


@check("Large arrays: CuPy's functions on x.cupy()", timeout=60, needs=("cupy",))
def memory_alone(report):
    """The same kernels over both kinds of memory: nothing else differs."""
    import cupy

    ours, (a, b, c, d) = data(cupy)
    x, y, m, n = (one.cupy() for one in ours)
    to, other = xp.empty_like(ours[0]).cupy(), cupy.empty_like(a)
    product, theirs = xp.empty_like(ours[2]).cupy(), cupy.empty_like(c)
    pairs = {
        "add": (lambda: cupy.add(x, y, out=to), lambda: cupy.add(a, b, out=other)),
        "sum": (lambda: cupy.sum(x), lambda: cupy.sum(a)),
        "matmul": (lambda: cupy.matmul(m, n, out=product), lambda: cupy.matmul(c, d, out=theirs)),
    }
    report_pairs(report, pairs, machine.Driver().wait, CLOSE)


@check("Calls at 10 elements", timeout=60, needs=("cupy",))
def small(report):
    """What a call takes apart from its work."""
    import cupy

    a, b = cupy.ones(10, dtype=cupy.float32), cupy.ones(10, dtype=cupy.float32)
    x, y = (xp.ones(10, dtype=xp.float32, device=DEVICE) for _ in range(2))
    pairs = {
        "x + y": (lambda: x + y, lambda: a + b),
        "sin(x)": (lambda: xp.sin(x), lambda: cupy.sin(a)),
        "x.sum()": (lambda: x.sum(), lambda: a.sum()),
        "x[2:5]": (lambda: x[2:5], lambda: a[2:5]),
        "zeros(10)": (lambda: xp.zeros(10, device=DEVICE), lambda: cupy.zeros(10)),
        "float(x[0])": (lambda: float(x[0]), lambda: float(a[0])),
    }
    report_pairs(report, pairs, machine.Driver().wait, seconds=0.01)
