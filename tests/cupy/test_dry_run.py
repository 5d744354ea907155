"""Calls of real CuPy up to where it needs a driver: wrong arguments are seen before that.

Each call that works on the CPU is made with CuPy's arrays. It may end at the driver, or at one of
CuPy's libraries, which are not there; or CuPy lacks the function. What else it raises tells of an
argument that CuPy does not know.
"""

import warnings

import cupy
import numpy as np
import pytest

import sharedarray as xp
from sharedarray import _cuda_functions
from tests.cuda.on_device import (
    compare,
    test_creation,
    test_functions,
    test_methods,
    test_operators,
)

#: What NumPy takes and CuPy refuses by a TypeError or ValueError, for some pattern of arguments.
REFUSED = {
    *("array_split", "broadcast_shapes", "column_stack", "divmod", "frexp", "full", "hsplit"),
    *("indices", "interp", "linalg.matmul", "linalg.matrix_rank", "linalg.pinv", "matmul"),
    *("meshgrid", "mintypecode", "modf", "ones", "polyval", "repeat", "select", "split", "zeros"),
}
METHODS = {
    f"{table}: {name}": call
    for table in ("METHODS", "CHANGES", "FIELDS")
    for name, call in getattr(test_methods, table).items()
}


def ending(call, *arguments):
    """How a call ended: "", "driver", "lacking", "refused", or what is wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(*arguments)
    except cupy.cuda.runtime.CUDARuntimeError:
        return "driver"
    except NotImplementedError:
        return "lacking"
    except ImportError as error:
        return "driver" if "No such file" in str(error) else f"ImportError: {error}"
    except (TypeError, ValueError) as error:
        return f"refused: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def works(call, *arguments):
    """Whether a call works on the CPU."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            call(*arguments)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("name", sorted(test_functions.FUNCTIONS))
def test_functions_get_arguments_that_cupy_knows(backend, name):
    function, endings = test_functions.FUNCTIONS[name], set()
    for pattern, arguments in test_functions.calls().items():
        there = compare.moved(test_functions.calls()[pattern], "cuda:0")
        if works(function, *arguments):
            found = ending(function, *there)
            endings.add(found)
            if name in REFUSED and found.startswith("refused"):
                continue
            assert found in ("", "driver", "lacking"), pattern
    if test_functions.must_work(name):
        assert not endings or endings & {"", "driver"}, endings


@pytest.mark.parametrize("name", sorted(test_functions.SPECIAL))
def test_functions_with_arguments_of_their_own(backend, name):
    x = xp.asarray([[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 6.0]])
    assert ending(test_functions.SPECIAL[name], x.to_device("cuda:1")) in (
        "",
        "driver",
        "lacking",
    )


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods_get_arguments_that_cupy_knows(backend, name):
    x = xp.asarray(test_methods.M).to_device("cuda:0")
    assert ending(METHODS[name], x) in ("", "driver", "lacking")


@pytest.mark.parametrize("name", sorted(test_creation.MAKERS))
def test_creation_gets_arguments_that_cupy_knows(backend, name):
    make = test_creation.MAKERS[name]
    assert ending(lambda: make(device="cuda:1")) in ("", "driver")
    with xp.Device("cuda:0"):
        assert ending(make) in ("", "driver")


@pytest.mark.parametrize("name", sorted(test_creation.NUMPYS))
def test_creation_by_numpys_functions(backend, name):
    with xp.Device("cuda:1"):
        assert ending(test_creation.NUMPYS[name]) in ("", "driver", "lacking")


OPERATORS = [*test_operators.ARITHMETIC, *test_operators.COMPARISONS]
OTHERS = [2, 2.5, np.float64(3), np.int8(2), True, [1.0, 2.0, 3.0]]


@pytest.mark.parametrize("op", OPERATORS)
def test_operators_get_operands_that_cupy_knows(backend, op):
    x = xp.asarray(test_operators.X).to_device("cuda:0")
    for other in OTHERS:
        assert ending(op, x, other) in ("", "driver"), other
        assert ending(op, other, x) in ("", "driver"), other
    assert ending(op, x, x) == "driver"


@pytest.mark.parametrize("op", test_operators.BITS)
def test_operators_of_bits(backend, op):
    x = xp.asarray([5, 12]).to_device("cuda:0")
    for pair in ((x, x), (x, 3), (3, x)):
        assert ending(op, *pair) == "driver"


@pytest.mark.parametrize("key", test_operators.KEYS, ids=repr)
def test_keys(backend, key):
    x = xp.arange(6).reshape(2, 3)
    there = x.to_device("cuda:0")
    if works(lambda: x[key]):
        assert ending(lambda: there[key]) in ("", "driver")
    for value in (7, np.int8(7), [[9]]):
        if works(x.copy().__setitem__, key, value):
            assert ending(there.__setitem__, key, value) in ("", "driver")
        else:
            assert ending(there.__setitem__, key, value).startswith("refused"), value


def test_numbers_beside_arrays_in_lists(backend):
    x, v = (xp.asarray(a).to_device("cuda:0") for a in (3.5, [1.0, 2.0]))
    for values in ([x, 2.0], [2, x], (x, np.float32(1)), [v, [x, 2.0]], [[1, 2], v]):
        assert ending(xp.asarray, values) == "driver"


def test_lists_of_arrays_and_numbers_are_made_into_arrays(backend):
    x, n = (xp.asarray(a).to_device("cuda:0") for a in ([1.0, 2.0], [1, 0]))
    for call in (
        lambda: xp.choose(n, [x, x]),
        lambda: n.choose([x, 3.0]),
        lambda: xp.broadcast_arrays(x, 1),
        lambda: xp.atleast_2d(x, 1),
    ):
        assert ending(call) == "driver"


def test_what_numpy_has_in_tuples_and_cupy_in_lists(backend, monkeypatch):
    monkeypatch.setattr(_cuda_functions.compat, "gradient", lambda *args: list(args))
    x = xp.asarray([1.0, 2.0]).to_device("cuda:0").cupy()
    assert backend.function("gradient", xp.gradient)(x, x) == (x, x)


def test_indices_that_are_no_integers_are_refused_before_they_are_compiled(backend):
    x = xp.asarray([1.0, 2.0]).to_device("cuda:0")
    assert ending(xp.take, x, x).startswith("refused")
    assert ending(lambda: x.take(x)).startswith("refused")


def test_an_argument_that_cupy_does_not_know_is_seen(backend):
    x = xp.asarray([1.0, 2.0]).to_device("cuda:0").cupy()
    assert ending(lambda: cupy.sum(x, nonsense=1)).startswith("refused")
    assert ending(lambda: cupy.array_equal(x, 1)).startswith("AttributeError")
    assert ending(lambda: x + x) == "driver"
