"""No library of CUDA's is loaded by import and by work on the CPU, where one could be found."""

import json
import re

import pytest

from tests.cuda_double import environment
from tests.harness import run_script

LIBRARY = re.compile(
    r"/lib(?:cuda|cudart|cublas\w*|cufft|curand|cusolver|cusparse|nvrtc|nvJitLink|nvidia-\w+|nccl)"
    r"[-.\d]*\.so|/cupy\w*/|/cuda/bindings/",
)
MODULES = ("cupy", "cupyx", "cupy_backends", "numba", "torch")

IMPORT = "import sharedarray as xp"
WORK = """
import pickle
import numpy as np
import sharedarray as xp
x = xp.linspace(0.0, 1.0, 1000)
y = xp.sin(x) + x * 2 - np.ones(1000)
xp.linalg.svd(xp.reshape(y[:900], (30, 30)))
xp.fft.fft(x)
xp.random.default_rng(1).standard_normal(10)
xp.einsum("i,i", x, y), xp.sort(y), xp.asarray([1, 2]), xp.from_dlpack(np.arange(3))
x[2:5] = 0
assert xp.from_handle(xp.Handle.from_bytes(bytes(x.handle()))) is not None
pickle.loads(pickle.dumps(x))
x.to_device("cpu"), x.cpu(), x.is_cuda, x.is_shared(), xp.is_shared(y), repr(x)
with xp.Device("cpu"), xp.device_of(x), xp.memory("private"):
    xp.zeros(3, device="cpu").share_memory_()
xp.device_of(np.ones(3)), xp.Device("cuda:1"), str(xp.Device("cuda"))
storage = xp.Storage(100)
storage.fill_(1)
storage.attached(), storage.processes(), storage.device
xp.memory_stats(), xp.memory_summary(), xp.collect(), xp.empty_cache()
"""
DEMO = """
import sys
import sharedarray.__main__ as command
if __name__ == "__main__":  # its workers are spawned
    words = ["demo", "--size", "64", "--workers", "1", "--output", sys.argv[1]]
    assert command.main(words) == 0
"""
ASKED = """
import sharedarray as xp
assert xp.cuda.device_count() >= 0
"""
LOOK = """
if __name__ == "__main__":
    import json, sys
    found = [line.split(None, 5)[-1].strip() for line in open("/proc/self/maps")]
    print(json.dumps([sorted({line for line in found if line[0] == "/"}), sorted(sys.modules)]))
"""


def loaded(code, *arguments):
    """Return the libraries and modules of CUDA's that a program has at its end."""
    result = run_script(code + LOOK, *arguments, env=environment(devices=2))
    assert result.rc == 0, result
    files, modules = json.loads(result.stdout.splitlines()[-1])
    # Of "cuda" itself the interpreter may make a namespace when it starts.
    return [f for f in files if LIBRARY.search(f)] + [
        name for name in modules if name.partition(".")[0] in MODULES or name.startswith("cuda.")
    ]


@pytest.mark.parametrize("code", [IMPORT, WORK], ids=["import", "work"])
def test_nothing_is_loaded(code):
    assert loaded(code) == []


def test_nothing_is_loaded_by_the_demonstration(tmp_path):
    assert loaded(DEMO, str(tmp_path / "a.png")) == []


@pytest.mark.parametrize(
    "code",
    [ASKED, "import ctypes; ctypes.CDLL('libcuda.so.1')", "import sys; sys.modules['cupy'] = sys"],
    ids=["asked", "library", "module"],
)
def test_what_is_loaded_is_seen(code):
    assert loaded(code) != []
