"""Bad input: NumPy's or array-api-strict's exception, and a message that says what is wrong."""

import array_api_strict as strict
import numpy as np
import pytest

import sharedarray as xp

from .compare import given_to, related

X = np.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = np.asarray([1, 2, 3])


class Broken:
    """A foreign array that cannot be had."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("out of order")


class Other:
    """No array at all."""


# What is asked of a library, which has the matrix `x` and the vector `v`; what the message says.
CALLS = {
    # data types
    "kind, float bits": (lambda lib, x, v: lib.bitwise_and(x, x), "bitwise_and"),
    "kind, float invert": (lambda lib, x, v: lib.bitwise_invert(x), "invert"),
    "kind, float shift": (lambda lib, x, v: lib.bitwise_left_shift(v, 1.5), "left_shift"),
    "kind, complex order": (lambda lib, x, v: lib.floor(lib.asarray([1j])), "floor"),
    "kind, complex remainder": (lambda lib, x, v: lib.remainder(lib.asarray([1j]), 2), "remainder"),
    "kind, bool minus": (lambda lib, x, v: lib.subtract(v > 1, v > 2), "subtract|numeric"),
    "kind, bool negative": (lambda lib, x, v: lib.negative(v > 1), "negative|numeric"),
    "kind, operator": (lambda lib, x, v: x & x, "bitwise_and|__and__"),
    "kind, indices": (lambda lib, x, v: lib.take(v, lib.asarray([0.5])), "safe|int"),
    "kind, index": (lambda lib, x, v: v[1.5], "integers"),
    "kind, index array": (lambda lib, x, v: v[lib.asarray([0.5])], "integer|boolean"),
    "kind, repeats": (lambda lib, x, v: lib.repeat(v, lib.asarray([0.5])), "safe|int"),
    "kind, finfo": (lambda lib, x, v: lib.finfo(lib.int32), "int32"),
    "kind, iinfo": (lambda lib, x, v: lib.iinfo(lib.float32), "float32|'f'"),
    "kind, isdtype": (lambda lib, x, v: lib.isdtype(lib.int8, "nonsense"), "nonsense"),
    "kind, fftfreq": (lambda lib, x, v: lib.fft.fftfreq(4, dtype=lib.int32), "int32|dtype"),
    "type, nonsense": (lambda lib, x, v: lib.zeros(2, dtype="nonsense"), "nonsense"),
    "type, astype": (lambda lib, x, v: lib.astype(v, "nonsense"), "nonsense"),
    "type, none at all": (lambda lib, x, v: lib.result_type(), "at least one|argument"),
    "overflow, operand": (lambda lib, x, v: lib.asarray([1], dtype=lib.int8) + 300, "300"),
    "overflow, asarray": (lambda lib, x, v: lib.asarray([300], dtype=lib.uint8), "300"),
    "overflow, huge": (lambda lib, x, v: lib.asarray(10**30, dtype=lib.int64), "large|range"),
    "power": (lambda lib, x, v: lib.pow(v, -v), "negative integer powers"),
    # shapes
    "shape, add": (lambda lib, x, v: lib.add(x, v[:2]), r"broadcast.*\(2,3\) \(2,\)"),
    "shape, operator": (lambda lib, x, v: x * v[:2], r"broadcast.*\(2,3\) \(2,\)"),
    "shape, where": (lambda lib, x, v: lib.where(v > 1, x, x[:, :2]), "broadcast"),
    "shape, reshape": (lambda lib, x, v: lib.reshape(x, (4, 2)), "size 6"),
    "shape, two unknown": (lambda lib, x, v: lib.reshape(x, (-1, -1)), "one"),
    "shape, reshape copy": (
        lambda lib, x, v: lib.reshape(lib.matrix_transpose(x), (6,), copy=False),
        "copy",
    ),
    "shape, text": (lambda lib, x, v: lib.reshape(x, "a"), "str"),
    "shape, broadcast_to": (lambda lib, x, v: lib.broadcast_to(x, (4, 2)), "broadcast"),
    "shape, broadcast_arrays": (lambda lib, x, v: lib.broadcast_arrays(x, v[:2]), "mismatch"),
    "shape, broadcast_shapes": (lambda lib, x, v: lib.broadcast_shapes((2, 3), (2,)), "mismatch"),
    "shape, concat": (lambda lib, x, v: lib.concat([x, x[:, :2]]), "dimension"),
    "shape, concat dimensions": (lambda lib, x, v: lib.concat([x, v]), "dimension"),
    "shape, concat nothing": (lambda lib, x, v: lib.concat([]), "at least one array"),
    "shape, concat 0-d": (lambda lib, x, v: lib.concat([v[0, ...], v[0, ...]]), "zero-dim"),
    "shape, stack": (lambda lib, x, v: lib.stack([x, v]), "same shape"),
    "shape, stack nothing": (lambda lib, x, v: lib.stack([]), "at least one array"),
    "shape, unstack 0-d": (lambda lib, x, v: lib.unstack(v[0, ...]), "at least 1-d|dimension"),
    "shape, matmul": (lambda lib, x, v: lib.matmul(x, x), "mismatch|matmul"),
    "shape, matmul 0-d": (lambda lib, x, v: lib.matmul(x, v[0, ...]), "matmul|dimension"),
    "shape, operator matmul": (lambda lib, x, v: x @ x, "matmul|mismatch"),
    "shape, vecdot": (lambda lib, x, v: lib.vecdot(v, v[:2]), "vecdot|mismatch"),
    "shape, tensordot": (lambda lib, x, v: lib.tensordot(x, x, axes=1), "shape"),
    "shape, transpose": (lambda lib, x, v: lib.matrix_transpose(v), "2"),
    "shape, inv": (lambda lib, x, v: lib.linalg.inv(x), "square"),
    "shape, det of a vector": (lambda lib, x, v: lib.linalg.det(lib.astype(v, lib.float64)), "two"),
    "shape, solve": (
        lambda lib, x, v: lib.linalg.solve(lib.eye(2), lib.ones((3, 1))),
        "solve|mism",
    ),
    "shape, cross": (lambda lib, x, v: lib.linalg.cross(x[:, :2], x[:, :2]), "3|dimension"),
    "shape, negative": (lambda lib, x, v: lib.zeros((2, -1)), "negative"),
    "shape, of text": (lambda lib, x, v: lib.zeros("a"), "str"),
    "shape, of floats": (lambda lib, x, v: lib.zeros((2.5, 1)), "float"),
    "shape, too many dimensions": (lambda lib, x, v: lib.zeros((1,) * 65), "65|64"),
    "shape, ragged": (lambda lib, x, v: lib.asarray([[1], [2, 3]]), "inhomogeneous"),
    "shape, mask": (lambda lib, x, v: x[v[:2] > 0, v > 0], "mismatch|boolean|broadcast|index"),
    "shape, take_along_axis": (lambda lib, x, v: lib.take_along_axis(x, v, axis=0), "dimension"),
    "values, singular": (lambda lib, x, v: lib.linalg.inv(lib.zeros((2, 2))), "[Ss]ingular"),
    "values, cholesky": (lambda lib, x, v: lib.linalg.cholesky(-lib.eye(2)), "definite"),
    # axes
    "axis, sum": (lambda lib, x, v: lib.sum(x, axis=2), "axis 2 .*dimension 2"),
    "axis, twice": (lambda lib, x, v: lib.sum(x, axis=(0, 0)), "duplicate"),
    "axis, float": (lambda lib, x, v: lib.sum(x, axis=0.5), "float"),
    "axis, text": (lambda lib, x, v: lib.sum(x, axis="a"), "str"),
    "axis, max": (lambda lib, x, v: lib.max(v, axis=-2), "axis -2"),
    "axis, argmax": (lambda lib, x, v: lib.argmax(v, axis=1), "axis 1"),
    "axis, std": (lambda lib, x, v: lib.std(x, axis=5), "axis 5|out of range|bounds"),
    "axis, all": (lambda lib, x, v: lib.all(x, axis=5), "axis 5"),
    "axis, sort": (lambda lib, x, v: lib.sort(v, axis=1), "axis 1"),
    "axis, sort descending": (lambda lib, x, v: lib.sort(v, axis=1, descending=True), "axis 1"),
    "axis, argsort": (lambda lib, x, v: lib.argsort(v, axis=-2), "axis -2"),
    "axis, argsort descending": (
        lambda lib, x, v: lib.argsort(v, axis=-2, descending=True),
        "axis",
    ),
    "axis, flip": (lambda lib, x, v: lib.flip(v, axis=1), "axis 1"),
    "axis, roll": (lambda lib, x, v: lib.roll(v, 1, axis=1), "axis 1"),
    "axis, concat": (lambda lib, x, v: lib.concat([v, v], axis=1), "axis 1"),
    "axis, stack": (lambda lib, x, v: lib.stack([v, v], axis=3), "axis 3"),
    "axis, expand_dims": (lambda lib, x, v: lib.expand_dims(v, axis=3), "axis 3"),
    "axis, squeeze": (lambda lib, x, v: lib.squeeze(x, axis=0), "size not equal to one"),
    "axis, squeeze bounds": (lambda lib, x, v: lib.squeeze(x, axis=4), "axis 4"),
    "axis, permute_dims": (lambda lib, x, v: lib.permute_dims(x, (0, 0)), "repeated axis"),
    "axis, permute_dims few": (lambda lib, x, v: lib.permute_dims(x, (0,)), "axes"),
    "axis, moveaxis": (lambda lib, x, v: lib.moveaxis(x, 0, 2), "destination.* 2"),
    "axis, repeat": (lambda lib, x, v: lib.repeat(x, 2, axis=2), "axis 2"),
    "axis, take": (lambda lib, x, v: lib.take(x, v, axis=2), "axis 2"),
    "axis, unstack": (lambda lib, x, v: lib.unstack(x, axis=2), "axis 2"),
    "axis, cumulative": (lambda lib, x, v: lib.cumulative_sum(x), "axis"),
    "axis, cumulative bounds": (lambda lib, x, v: lib.cumulative_sum(x, axis=2), "axis 2"),
    "axis, diff": (lambda lib, x, v: lib.diff(v, axis=1), "axis 1"),
    "axis, vecdot": (lambda lib, x, v: lib.vecdot(v, v, axis=-2), "axis"),
    "axis, fft": (lambda lib, x, v: lib.fft.fft(lib.astype(x, lib.complex128), axis=2), "axis|2"),
    "axis, fftshift": (lambda lib, x, v: lib.fft.fftshift(x, axes=2), "axis|axes|2|index"),
    "axis, vector_norm": (lambda lib, x, v: lib.linalg.vector_norm(x, axis=2), "axis|2"),
    # other arguments
    "range, index": (lambda lib, x, v: v[3], "index 3"),
    "range, index of two": (lambda lib, x, v: x[0, 3], "index 3"),
    "range, too many": (lambda lib, x, v: v[0, 0], "too many indices"),
    "range, two ellipses": (lambda lib, x, v: x[..., ...], "ellips"),
    "range, take": (lambda lib, x, v: lib.take(v, v), "index 3"),
    "range, index array": (lambda lib, x, v: v[v], "index 3"),
    "range, repeats": (lambda lib, x, v: lib.repeat(v, -1), "negative|counts|repeats"),
    "range, step": (lambda lib, x, v: lib.arange(0, 1, 0), "zero|step"),
    "range, num": (lambda lib, x, v: lib.linspace(0, 1, -1), "num|samples"),
    "range, fft n": (lambda lib, x, v: lib.fft.fft(lib.astype(v, lib.complex64), n=0), "0"),
    "range, diff n": (lambda lib, x, v: lib.diff(v, n=-1), "-1|non-negative"),
    "range, empty max": (lambda lib, x, v: lib.max(v[:0]), "zero-size|identity"),
    "range, empty argmax": (lambda lib, x, v: lib.argmax(v[:0]), "empty"),
    "word, side": (lambda lib, x, v: lib.searchsorted(v, v, side="middle"), "middle|side"),
    "word, indexing": (lambda lib, x, v: lib.meshgrid(v, v, indexing="no"), "indexing"),
    "word, norm": (
        lambda lib, x, v: lib.fft.fft(lib.astype(v, lib.complex64), norm="no"),
        "norm|no",
    ),
    "word, mode": (lambda lib, x, v: lib.linalg.qr(x, mode="no"), "mode|no"),
    "word, ord": (lambda lib, x, v: lib.linalg.matrix_norm(x, ord="no"), "norm|ord"),
    "name, unknown": (lambda lib, x, v: lib.sum(x, nonsense=1), "nonsense"),
    "name, twice": (lambda lib, x, v: lib.sum(x, 0, axis=0), "axis|multiple|positional"),
    "number, too few": (lambda lib, x, v: lib.add(x), "argument|add"),
    "number, none": (lambda lib, x, v: lib.sort(), "sort.*x|argument"),
    "number, too many": (lambda lib, x, v: lib.isnan(x, x, x, x), "argument|isnan"),
    # things that are no arrays
    "object, add": (lambda lib, x, v: lib.add(x, Other()), "Other|unsupported|loop|ufunc"),
    "object, operator": (lambda lib, x, v: x + Other(), "Other"),
    "object, reflected": (lambda lib, x, v: Other() + x, "Other"),
    "object, None": (lambda lib, x, v: x + None, "None"),
    "object, text": (lambda lib, x, v: x + "a", "str|ufunc"),
    "object, sqrt": (lambda lib, x, v: lib.sqrt(Other()), "Other|sqrt"),
    "object, text function": (lambda lib, x, v: lib.sqrt("a"), "sqrt"),
    "object, clip": (lambda lib, x, v: lib.clip(x, "a", "b"), "str|ufunc|clip"),
    "object, broken": (lambda lib, x, v: lib.add(x, Broken()), "out of order"),
    "object, broken operator": (lambda lib, x, v: x + Broken(), "out of order"),
    "object, broken asarray": (lambda lib, x, v: lib.asarray(Broken()), "out of order"),
    "object, from_dlpack": (lambda lib, x, v: lib.from_dlpack(Other()), "__dlpack__|Other"),
    "object, index": (lambda lib, x, v: v[Other()], "integers|ind"),
    "object, text index": (lambda lib, x, v: v["a"], "integers|ind"),
    "number, bool": (lambda lib, x, v: bool(x), "ambiguous"),
    "number, int": (lambda lib, x, v: int(v), "0-d|0-dim|size-1|scalar"),
    "number, float of complex": (lambda lib, x, v: float(lib.asarray(1j)), "complex|real"),
    "number, index of float": (lambda lib, x, v: [1, 2][x[0, 0, ...]], "index|integer"),
    "number, length": (lambda lib, x, v: len(x[0, 0, ...]), "len"),
    "number, iteration": (lambda lib, x, v: list(x[0, 0, ...]), "0-d"),
}


def error(library, call):
    """The exception of a call, or None."""
    with np.errstate(all="ignore"):
        try:
            call(library, given_to(X, library), given_to(V, library))
        except Exception as found:
            return found
    return None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", CALLS)
def test_bad_input(name):
    call, says = CALLS[name]
    ours = error(xp, call)
    theirs = [e for e in (error(np, call), error(strict, call)) if e is not None]
    assert ours is not None
    assert theirs, "neither NumPy nor array-api-strict refuses this"
    assert related(ours, theirs), f"{ours!r}, but {theirs!r}"
    ours.__traceback__ = None
    with pytest.raises(type(ours), match=says):
        raise ours


OBJECTS = {
    "list": lambda: [1, None],
    "list of objects": lambda: [Other()],
    "dict": lambda: {"a": 1},
    "set": lambda: {1, 2},
    "object": Other,
}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("name", ["sum", "sort", "nonzero", "unique_all", "expand_dims", "asarray"])
def test_what_makes_arrays_of_objects_is_refused(name, kind):
    """NumPy would compute with Python objects, which cannot lie in shared memory."""
    with pytest.raises(TypeError, match=r"Python objects"):
        getattr(xp, name)(OBJECTS[kind](), *([0] if name == "expand_dims" else []))


def test_data_types_that_hold_objects_are_refused():
    for call in (
        lambda: xp.zeros(2, dtype=object),
        lambda: xp.zeros(2, dtype=Other),
        lambda: xp.asarray([1], dtype=object),
        lambda: xp.asarray(np.asarray([1, None])),
        lambda: xp.astype(xp.ones(2), object),
        lambda: xp.full(2, Other()),
    ):
        with pytest.raises(TypeError, match="Python objects"):
            call()


@pytest.mark.parametrize("kind", OBJECTS)
def test_operands_that_make_arrays_of_objects_are_refused(kind):
    make = OBJECTS[kind]
    for call in (lambda x: xp.add(x, make()), lambda x: x + make(), lambda x: xp.add(make(), x)):
        with pytest.raises(TypeError):
            call(xp.ones(2))


def test_the_argument_is_named():
    """The parameter, and what it was."""
    with pytest.raises(TypeError, match=r"sort: x is of type list, .*numbers"):
        xp.sort([None])
    with pytest.raises(TypeError, match=r"sum: x is of type dict"):
        xp.sum({})
    with pytest.raises(TypeError, match=r"det: x is of type Other"):
        xp.linalg.det(Other())
