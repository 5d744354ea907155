"""Names, docstrings and calls of the functions of the namespace; signatures: tests/standard."""

import doctest
import importlib
import inspect
import pickle
import pydoc

import pytest

import sharedarray as xp
from sharedarray._dispatch import Function

MODULES = ["sharedarray", "sharedarray.linalg", "sharedarray.fft"]


def functions():
    """Every Function that a module of the namespace defines, with its dotted name."""
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            if isinstance(value, Function):
                yield f"{module}.{name}", value


FUNCTIONS = dict(functions())


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_is_named_as_it_is_found(name):
    function = FUNCTIONS[name]
    module = importlib.import_module(function.__module__)
    assert getattr(module, function.__name__) is function
    assert name.endswith("." + function.__name__)
    assert pickle.loads(pickle.dumps(function)) is function
    assert pickle.loads(pickle.dumps(function, protocol=2)) is function


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_docstring_is_complete(name):
    function = FUNCTIONS[name]
    text = function.__doc__
    assert text.splitlines()[0].endswith(".")
    for parameter in inspect.signature(function).parameters:
        assert parameter in text
    for section in ("Returns\n-------", "Examples\n--------", ">>> import sharedarray as xp"):
        assert section in text


def is_own(name, module):
    """Whether an example is not of a function of NumPy, which modules keep once it was used."""
    member = name.removeprefix(module.__name__).lstrip(".").partition(".")[0]
    return not member or member in module.__all__


@pytest.mark.parametrize("module", MODULES)
def test_examples_are_found_and_run(module):
    module = importlib.import_module(module)
    tests = [
        t for t in doctest.DocTestFinder().find(module) if t.examples and is_own(t.name, module)
    ]
    found = {t.name.rpartition(".")[2] for t in tests}
    assert found >= {
        n.rpartition(".")[2] for n, f in FUNCTIONS.items() if f.__module__ == module.__name__
    }
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        test.globs = {}
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_help_shows_signature_and_text():
    text = pydoc.plain(pydoc.render_doc(xp.sum))
    together = "".join(text.split())  # Python 3.13 puts each parameter on a line
    assert "sum(x,/,axis=None,dtype=None,out=None" in together
    assert "Add up the elements" in text


def test_classes_have_signatures():
    text = str(inspect.signature(xp.Array))
    assert text == "(shape, dtype=None, buffer=None, offset=0, strides=None, order=None)"
    assert str(inspect.signature(xp.Storage)) == "(nbytes, device=None)"
    assert xp.Array.__doc__.strip().startswith("An array whose memory")
    assert "Array(shape, dtype=None" in pydoc.plain(pydoc.render_doc(xp.Array))


def test_is_a_routine_and_does_not_bind():
    class Holder:
        operation = xp.sin

    assert inspect.isroutine(xp.sum)
    assert callable(xp.sum)
    assert Holder().operation is xp.sin
    assert repr(xp.linalg.inv) == "<function sharedarray.linalg.inv>"


def test_numpys_names_of_positional_arguments():
    x = xp.asarray([3.0, 1.0, 2.0])
    assert float(xp.sum(a=x)) == 6.0
    assert float(xp.sum(a=x, axis=0)) == 6.0
    assert xp.clip(x, a_min=1.5, a_max=2.5).tolist() == [2.5, 1.5, 2.0]
    assert xp.where(xp.asarray([True, False]), 1, 2).tolist() == [1, 2]
    assert xp.searchsorted(a=xp.asarray([1, 3]), v=2).item() == 1


def test_unknown_and_missing_arguments_are_refused():
    x = xp.ones(3)
    with pytest.raises(TypeError, match="nonsense"):
        xp.sum(x, nonsense=1)
    with pytest.raises(TypeError, match=r"^sum\(\) missing"):
        xp.sum()
    with pytest.raises(TypeError, match=r"^fftn\(\) got an unexpected"):
        xp.fft.fftn(x, nonsense=1)
    with pytest.raises(TypeError):
        xp.sin()
    with pytest.raises(AttributeError, match="nonsense"):
        xp.nonsense
    with pytest.raises(AttributeError, match="reduce"):
        xp.sum.reduce
