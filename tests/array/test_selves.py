"""Methods of the compiled classes, called on what is no instance, or none that was initialised."""

import inspect

import pytest

import sharedarray as xp
from tests.harness import run_script

# Every method and property of every class, the private ones too.
ALL_OF_THEM = """
import faulthandler, importlib, inspect, pkgutil
import sharedarray as xp

faulthandler.enable()
OUTSIDE = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "__getattribute__",
           "__doc__", "__dir__", "__sizeof__", "__setattr__", "__delattr__", "mro"}
NUMPYS = {"Generator", "RandomState"}       # numpy.random.Generator.spawn(5) is a signal
HEAP_TYPE = 1 << 9                          # Py_TPFLAGS_HEAPTYPE: classes of Python code
classes = set()
for found in pkgutil.iter_modules(xp.__path__):
    if found.name != "__main__":
        try:
            module = importlib.import_module(f"sharedarray.{found.name}")
        except ImportError:         # of CuPy
            continue
        classes |= {c for c in vars(module).values()
                    if isinstance(c, type) and c.__module__.startswith("sharedarray")}
calls = 0
for cls in sorted(classes, key=lambda cls: (cls.__module__, cls.__name__)):
    names = [] if cls.__name__ in NUMPYS else sorted(set(dir(cls)) - OUTSIDE)
    for name in names:
        member = inspect.getattr_static(cls, name)
        for wrong in (None, 5, object()):
            for more in ((), (None,), (1,), (None, None), (0, b"")):
                calls += 1
                try:
                    if callable(member) or not hasattr(member, "__get__"):
                        getattr(cls, name)(wrong, *more)
                    else:
                        member.__get__(wrong)
                except Exception:
                    continue
    for name in names if not cls.__flags__ & HEAP_TYPE else ():
        for more in ((), (None,), (1,), (None, None), (0, b"")):
            calls += 1
            try:
                member = getattr(cls.__new__(cls), name)    # never initialised
                callable(member) and member(*more)
            except Exception:
                continue
print(len(classes), calls)
"""


def test_none_of_them_ends_the_process():
    classes, calls = map(int, run_script(ALL_OF_THEM, timeout=300).ok().split())
    assert classes > 50
    assert calls > 20_000


@pytest.mark.parametrize("wrong", [None, 5, "a"])
@pytest.mark.parametrize(
    "method",
    [
        *(xp.Array.sum, xp.Array.copy, xp.Array.to_device, xp.Array.storage, xp.Array.__complex__),
        *(xp.Storage.attached, xp.Storage.data_ptr, xp.Storage.fill_, xp.Storage.handle),
        *(xp.Handle.close, xp.Handle.__bytes__),
    ],
    ids=lambda method: getattr(method, "__name__", None),
)
def test_public_methods_say_so(method, wrong):
    with pytest.raises(TypeError):
        method(wrong)


def test_their_signatures_are_known():
    assert str(inspect.signature(xp.Storage.fill_)) == "(self, /, byte, offset=0, nbytes=None)"
    assert str(inspect.signature(xp.Handle.from_bytes)) == "(data)"
    assert xp.Storage.fill_.__doc__.startswith("Fill a range with one byte, in place.\n")
