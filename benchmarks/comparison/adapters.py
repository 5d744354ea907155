"""How each library makes, sends and opens an array, the way its own documentation does it.

Each class has four methods: ``make`` an array of so many ``VALUE``, the ``message`` that is sent in
its place, what the receiver has ``opened`` from that, and its ``values`` as a NumPy array.
"""

import itertools
import os
from multiprocessing.shared_memory import SharedMemory

import numpy

VALUE = 7.0


class SharedArrayXP:
    """Our own: the Array itself is the message."""

    def __init__(self):
        import sharedarray

        self.xp = sharedarray

    def make(self, count):
        return self.xp.full(count, VALUE)

    def message(self, x):
        return x

    def opened(self, message):
        return message

    def values(self, x):
        return x.numpy()


class Torch:
    """The tensor itself is the message, through ``torch.multiprocessing``."""

    strategy = "file_descriptor"

    def __init__(self):
        import torch
        import torch.multiprocessing

        torch.multiprocessing.set_sharing_strategy(self.strategy)
        self.torch = torch

    def make(self, count):
        return self.torch.full((count,), VALUE, dtype=self.torch.float64)

    def message(self, x):
        return x

    def opened(self, message):
        return message

    def values(self, x):
        return x.numpy()


class TorchFileSystem(Torch):
    """The same with the other strategy."""

    strategy = "file_system"


class Stdlib:
    """The name of a segment and the number of elements are the message."""

    def make(self, count):
        segment = SharedMemory(create=True, size=8 * count)
        numpy.ndarray(count, buffer=segment.buf).fill(VALUE)
        return segment, count

    def message(self, x):
        return x[0].name, x[1]

    def opened(self, message):
        return SharedMemory(name=message[0]), message[1]

    def values(self, x):
        return numpy.ndarray(x[1], buffer=x[0].buf)


class SharedArray:
    """The name is the message."""

    numbers = itertools.count()

    def __init__(self):
        import SharedArray

        self.sa = SharedArray

    def make(self, count):
        name = f"shm://compared-{os.getpid()}-{next(self.numbers)}"
        x = self.sa.create(name, count)
        x.fill(VALUE)
        return name, x

    def message(self, x):
        return x[0]

    def opened(self, message):
        return message, self.sa.attach(message)

    def values(self, x):
        return x[1]


class SharedNDArray2:
    """The SharedNDArray itself is the message; its sender's SharedMemoryManager owns it."""

    manager = None

    def __init__(self):
        import shared_ndarray2

        self.kind = shared_ndarray2.SharedNDArray

    def make(self, count):
        if not self.manager:
            from multiprocessing.managers import SharedMemoryManager

            self.manager = SharedMemoryManager()
            self.manager.start()
        x = self.kind.from_shape(self.manager, (count,), numpy.float64)
        x[:] = VALUE
        return x

    def message(self, x):
        return x

    def opened(self, message):
        return message

    def values(self, x):
        return x.get()


ADAPTERS = {
    "sharedarray": SharedArrayXP,
    "torch, file_descriptor": Torch,
    "torch, file_system": TorchFileSystem,
    "multiprocessing.shared_memory": Stdlib,
    "SharedArray": SharedArray,
    "shared-ndarray2": SharedNDArray2,
}
