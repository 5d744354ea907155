"""No module is imported inside the allocation scope."""

import subprocess
import sys

from tests.harness import run_script

PROGRAM = """
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np
import sharedarray as xp

inside = []


class Watch:
    def find_spec(self, name, path=None, target=None):
        if xp.is_shared(np.zeros(1)):
            inside.append((name, current))


sys.meta_path.insert(0, Watch())
a, v = xp.ones((3, 3)), xp.asarray([0.5, 1.5, 2.5])
i, b = xp.asarray([0, 1, 2]), xp.asarray([True, False, True])
calls = [(v,), (a,), (i,), (b,), (v, v), (a, a), (i, i), (v, 1), ((v, v),), (3,), (3, 3),
         ("ij->ji", a), (b, v, v), (v, 2, 0), (), ("1 2",)]
skip = {"bench", "test", "show_config", "show_runtime", "info", "set_state", "set_bit_generator",
        "loadtxt", "genfromtxt", "fromfile", "load", "save", "savetxt", "savez",
        "savez_compressed", "seterrcall", "set_printoptions", "seterr", "setbufsize"}
for module in MODULES:
    for name in dir(module):
        if name.startswith("_") or name in skip:
            continue
        current = name
        function = getattr(module, name)
        if not isinstance(function, type(xp.sin)):
            continue
        for args in calls:
            try:
                with np.errstate(all="ignore"):
                    function(*args)
            except Exception:
                pass
assert not inside, inside
"""


def run(text):
    """Run a program in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=False
    )


def test_nothing_is_imported_inside_the_scope():
    modules = "(xp, xp.linalg, xp.fft, xp.random, xp.polynomial.polynomial, xp.lib.stride_tricks)"
    done = run(PROGRAM.replace("MODULES", modules))
    assert done.returncode == 0, done.stderr


def test_the_check_notices_an_import_inside_the_scope():
    planted = PROGRAM.replace(
        "for module in MODULES:",
        """
def late(x):
    import wave
    return x

xp.late = type(xp.sin)(late, "late")
for module in (xp,):""",
    ).replace("for name in dir(module):", "for name in ['late']:")
    done = run(planted)
    assert done.returncode != 0
    assert "wave" in done.stderr


def test_imports_where_python_drops_docstrings():
    code = "import sharedarray as xp; print(xp.zeros.__doc__, (xp.ones(2) + 1).tolist())"
    assert run_script(code, flags=("-OO",)).ok() == "None [2.0, 2.0]"
