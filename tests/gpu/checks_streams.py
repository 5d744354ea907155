"""Many small arrays from one process to another: messages a second."""

import multiprocessing
import time

import numpy as np

import sharedarray as xp

from .common import DEVICE, size, torch_with_cuda
from .registry import check
from .table import Row

COUNT = 256  # elements of float32: 1 KiB
MESSAGES = size(20_000, 300)


def receive(connection):
    """Open what comes and count it, until None; answer how many and the sum of some elements."""
    float(connection.recv()[0])  # imports, and makes a context
    connection.send("ready")
    number = total = 0
    while (message := connection.recv()) is not None:
        if number % 1000 == 0:
            total += float(message[0])
        number += 1
    connection.send((number, total))


def make_ours(value):
    """A fresh Array on the device."""
    return xp.full(COUNT, value, dtype=xp.float32, device=DEVICE)


def make_shared(value):
    """A fresh Array on the CPU."""
    return xp.full(COUNT, value, dtype=xp.float32)


def make_numpy(value):
    """A fresh array that is pickled."""
    return np.full(COUNT, value, dtype=np.float32)


def make_torch(value):
    """A fresh CUDA tensor."""
    import torch

    return torch.full((COUNT,), value, dtype=torch.float32, device="cuda")


def stream(make, messages):
    """Messages a second; raises if one was lost or wrong."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=receive, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    try:
        ours.send(make(0.0))
        if ours.recv() != "ready":
            raise AssertionError("the receiver did not get ready")
        start = time.perf_counter()
        for number in range(messages):
            ours.send(make(float(number)))
        ours.send(None)
        found = ours.recv()
        taken = time.perf_counter() - start
        process.join(30)
    finally:
        process.kill()
        process.join()
        ours.close()
    expected = (messages, float(sum(range(0, messages, 1000))))
    if found != expected:
        raise AssertionError(f"received {found}, sent {expected}")
    return messages / taken


@check("Fresh arrays of 1 KiB to another process", timeout=120)
def small_arrays(report):
    """As many a second as go through a pipe."""
    ours = stream(make_ours, MESSAGES)
    cpu = stream(make_shared, MESSAGES)
    plain = stream(make_numpy, MESSAGES)
    beside = f"CPU Arrays: {cpu:,.0f}/s, NumPy pickled: {plain:,.0f}/s"
    report(Row(f"{MESSAGES:,} CUDA Arrays", f"{ours:,.0f}/s", beside))
    if torch_with_cuda() is None:
        report(Row.left_out("CUDA tensors of torch.multiprocessing", "no torch that sees a card"))
    else:
        tensors = stream(make_torch, MESSAGES // 10)
        report(Row("CUDA tensors of torch.multiprocessing", f"{tensors:,.0f}/s"))
