"""Make a call of the tables with NumPy and with this library, and say what differs."""

import ast
import contextlib
import copy
import functools
import inspect
import io
import pathlib
import pickle
import tempfile
import types
import warnings
from dataclasses import dataclass, field

import numpy

import sharedarray

from .inputs import INPUTS

#: In shared and in private memory, in shared memory with all arguments by name, and with what one
#: library has alone: the function of this one with NumPy's arrays, or the arrays of this one.
WAYS = ("shared", "private", "keywords", "function", "arrays")

#: Functions whose result lies in the memory of their argument, where that is private too.
BORROWERS = frozenset(
    ["array", "ctypeslib.as_array", "from_dlpack", "frombuffer", "load", "lib.format.open_memmap"]
)

#: The calls are those of NumPy 2.4: an older one refuses some, and gives Python's integers.
OLDER = numpy.lib.NumpyVersion(numpy.__version__) < "2.4.0"


@dataclass
class Outcome:
    """What came of a call.

    Parameters
    ----------
    value : object
        The value of the last expression; None if it raised.
    error : Exception or None
    warned : list of (type, str)
        Warnings, in order.
    """

    value: object = None
    error: Exception | None = None
    warned: list = field(default_factory=list)


class Watched:
    """A function, with the arrays that it was given and what it returned.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function):
        self.function = function
        self.calls = []

    def __call__(self, *args, **kwargs):
        given = arrays_among((args, kwargs))
        result = self.function(*args, **kwargs)
        self.calls.append((given, result))
        return result


def arrays_among(value):
    """The arrays of both libraries in arguments, nested ones too."""
    if isinstance(value, numpy.ndarray | sharedarray.Array):
        return [value]
    if isinstance(value, tuple | list):
        return [array for item in value for array in arrays_among(item)]
    return arrays_among(list(value.values())) if isinstance(value, dict) else []


class Mixed:
    """A namespace in which one function comes from one library, and all else from another.

    Parameters
    ----------
    name : str
        Its name, with dots.
    inside, outside : module
        Where it comes from, and where all else comes from.
    """

    def __init__(self, name, inside, outside):
        first, _, rest = name.partition(".")
        value = getattr(inside, first)
        value = Mixed(rest, value, getattr(outside, first)) if rest else Watched(value)
        self._first, self._value, self._outside = first, value, outside

    def __getattr__(self, attribute):
        return self._value if attribute == self._first else getattr(self._outside, attribute)

    @property
    def watched(self):
        """The function that was asked for."""
        return self._value.watched if isinstance(self._value, Mixed) else self._value


@functools.cache
def compiled(call):
    """The statements of a call, its last expression, and the arrays that it names."""
    tree = ast.parse(call)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), call
    names = {node.id for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Name)}
    return (
        compile(tree, call, "exec"),
        compile(ast.Expression(last.value), call, "eval"),
        sorted(names & set(INPUTS)),
    )


@functools.cache
def made(text):
    """Compile the text that makes an array."""
    return compile(text, text, "eval")


def outcome(call, namespace, library):
    """Run a call.

    Parameters
    ----------
    call : str
        Lines of the table.
    namespace : module
        What ``np`` means in it.
    library : module
        What makes the arrays that it names.
    """
    statements, last, inputs = compiled(call)
    names = {"np": namespace, "numpy": numpy, "io": io, "copy": copy, "pickle": pickle}
    with tempfile.TemporaryDirectory() if "folder" in call else io.StringIO() as folder:
        names["folder"] = pathlib.Path(folder) if "folder" in call else None
        for name in inputs:
            names[name] = eval(made(INPUTS[name]), {"np": library})
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                exec(statements, names)
                result = Outcome(eval(last, names))
            except Exception as error:
                result = Outcome(error=error)
    result.warned = [(w.category, str(w.message)) for w in warned]
    return result


def faults(got, expected, where="the result", array_faults=None):
    """Yield a sentence for all that differs between two results.

    Parameters
    ----------
    got, expected : object
        The results, of this library and of NumPy.
    where : str, optional
        What they are, in the sentences.
    array_faults : callable, optional
        What is asked of an array besides its values.
    """
    if isinstance(expected, numpy.ndarray | numpy.generic):
        yield from array_faults(got, where) if array_faults else ()
        yield from value_faults(got, expected, where)
    elif isinstance(expected, tuple | list):
        if kind_of(got) != kind_of(expected):
            yield f"{where} is a {type(got).__name__}, not a {type(expected).__name__}"
        elif len(got) != len(expected):
            yield f"{where} has {len(got)} items, not {len(expected)}"
        else:
            for place, (one, other) in enumerate(zip(got, expected, strict=True)):
                yield from faults(one, other, f"{where}[{place}]", array_faults)
    elif isinstance(expected, dict):
        if type(got) is not dict or got.keys() != expected.keys():
            yield f"{where} is {got!r}, not {expected!r}"
        else:
            for key, value in expected.items():
                yield from faults(got[key], value, f"{where}[{key!r}]", array_faults)
    elif OLDER and type(expected) is int and isinstance(got, sharedarray.Array):
        yield from value_faults(got, numpy.asarray(expected), where)
    elif type(got) is not type(expected):
        yield f"{where} is a {type(got).__name__}, not a {type(expected).__name__}"
    elif got != expected and not (got != got and expected != expected):
        yield f"{where} is {got!r}, not {expected!r}"


def value_faults(got, expected, where):
    """Yield what differs between two arrays or scalars, of whichever library."""
    got = numpy.asarray(got) if isinstance(got, numpy.generic) else got
    if not isinstance(got, numpy.ndarray | sharedarray.Array):
        yield f"{where} is a {type(got).__name__}, not {expected!r}"
    elif got.dtype != expected.dtype:
        yield f"{where} is of {got.dtype}, not {expected.dtype}"
    elif got.shape != expected.shape:
        yield f"{where} has shape {got.shape}, not {expected.shape}"
    elif not same_elements(numpy.array(got), numpy.asarray(expected)):
        yield f"{where} is {got!r}, not {expected!r}"
    elif layout(expected) not in ((False, False), layout(got)):
        yield f"{where} has strides {got.strides}, not {expected.strides}"


def ours_in(shared):
    """What makes an array one of ours, in the memory that is asked for."""

    def array_faults(got, where):
        if not isinstance(got, sharedarray.Array):
            yield f"{where} is {type(got).__name__}, no Array"
        elif got.is_shared() != shared:
            yield f"{where}.is_shared() is {got.is_shared()}"

    return array_faults


def strangers(value, given, where, shared):
    """Yield the arrays in what a function returned that are neither ours nor what it was given.

    Parameters
    ----------
    value : object
        What it returned.
    given : sequence
        Its arguments.
    where : str
        What it is, in the sentences.
    shared : bool
        Whether our arrays are to be in shared memory.
    """
    if any(value is array for array in given):
        return
    if isinstance(value, numpy.ndarray | numpy.generic):
        yield f"{where} is {type(value).__name__}, no Array"
    elif isinstance(value, sharedarray.Array):
        if shared and not value.is_shared():
            yield f"{where} is not shared"
    elif isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strangers(item, given, where, shared)


def kind_of(value):
    """The name of a type, and the fields of a named tuple."""
    return type(value).__name__, getattr(value, "_fields", None)


def layout(array):
    """Whether an array lies in C order, and in Fortran order."""
    return array.flags.c_contiguous, array.flags.f_contiguous


def same_elements(got, expected):
    """Whether two arrays of one type hold the same, signs of zeros and NaN included."""
    if expected.dtype.kind in "fc":
        return numpy.array_equal(got, expected, equal_nan=True) and all(
            numpy.array_equal(numpy.signbit(part(got)), numpy.signbit(part(expected)))
            for part in (numpy.real, numpy.imag)
        )
    return numpy.array_equal(got, expected, equal_nan=expected.dtype.kind in "mM")


def named(call, name):
    """Pass all arguments of a function or method by name, where NumPy takes them so."""
    holder, function = place(name)
    parameters = list(inspect.signature(function).parameters.values())
    if isinstance(holder, type):
        del parameters[0]
    tree = ast.parse(call)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
            continue
        asked = ast.unparse(node.func)
        method = isinstance(holder, type) and asked.endswith(f".{function.__name__}")
        passed = parameters[: len(node.args)]
        if (method or asked == f"np.{name}") and len(passed) == len(node.args):
            first = sum(p.kind is p.POSITIONAL_ONLY for p in passed)
            if any(p.kind is p.VAR_POSITIONAL for p in passed):
                continue
            node.keywords[:0] = [
                ast.keyword(p.name, a)
                for p, a in zip(passed[first:], node.args[first:], strict=True)
            ]
            del node.args[first:]
    return ast.unparse(tree)


def place(name, namespace=numpy):
    """The module or class that holds a name with dots, and what it holds there."""
    *path, last = name.split(".")
    for part in path:
        namespace = getattr(namespace, part)
    return namespace, getattr(namespace, last)


def ways(name):
    """The ways of calling that a name can be tried in."""
    found = ["shared", "private"]
    if name.startswith("lib.recfunctions"):
        return found
    try:
        holder, value = place(name)
    except AttributeError:
        return []  # another version of NumPy has it
    if inspect.isroutine(value):
        with contextlib.suppress(TypeError, ValueError):
            inspect.signature(value)
            found.append("keywords")
    if isinstance(holder, types.ModuleType):
        asks = isinstance(value, numpy.ufunc | type(numpy.mean))
        if asks or inspect.isroutine(value):
            found.append("function")
        if asks:
            found.append("arrays")
    return found


def compare(call, name, way, xp=sharedarray):
    """Make a call with NumPy and with this library.

    Parameters
    ----------
    call : str
        Lines of the table.
    name : str
        The function that it is about.
    way : str
        One of `WAYS`.
    xp : module, optional
        The library.

    Returns
    -------
    found : list of str
        All that differs.
    """
    named_call = way == "keywords"
    if named_call:
        way, call = "shared", named(call, name)
    expected = outcome(call, numpy, numpy)
    if named_call and isinstance(expected.error, TypeError):
        return []  # NumPy tells names that it does not take
    if expected.error is not None:
        if OLDER:
            return []
        return [f"{call}: NumPy raises {expected.error!r}"]
    mixed, array_faults = None, None
    if way == "function":
        mixed = Mixed(name, xp, numpy)
        got = outcome(call, mixed, numpy)
    elif way == "arrays":
        mixed = Mixed(name, numpy, xp)
        got = outcome(call, mixed, xp)
    else:
        array_faults = ours_in(way == "shared")
        with sharedarray.memory(way):
            got = outcome(call, xp, xp)
    if got.error is not None:
        return [f"{call}: raises {got.error!r}"]
    found = list(faults(got.value, expected.value, array_faults=array_faults))
    if mixed is not None:
        for given, result in mixed.watched.calls:
            if way == "function" or any(isinstance(x, sharedarray.Array) for x in given):
                shared = name not in BORROWERS
                found += strangers(result, given, "what the function returns", shared)
    if got.warned != expected.warned:
        found.append(f"warns {got.warned}, not {expected.warned}")
    return [f"{call}: {fault}" for fault in found]
