"""Methods of Array on a device: what the CPU gives."""

import gc
import io
import operator

import numpy as np
import pytest

import sharedarray as xp

from .compare import SECOND, both, same

M = [[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]]
# fmt: off
METHODS = {
    "sum": lambda x: x.sum(),
    "sum axis": lambda x: x.sum(axis=0, keepdims=True),
    "sum dtype": lambda x: x.sum(0, xp.float32),
    "prod": lambda x: x.prod(1),
    "mean": lambda x: x.mean(axis=1),
    "std": lambda x: x.std(axis=0, ddof=1),
    "var": lambda x: x.var(correction=1),
    "min": lambda x: x.min(),
    "max": lambda x: x.max(axis=1),
    "all": lambda x: x.all(),
    "any": lambda x: (x > 8).any(axis=0),
    "argmin": lambda x: x.argmin(),
    "argmax": lambda x: x.argmax(axis=1, keepdims=True),
    "cumsum": lambda x: x.cumsum(),
    "cumprod": lambda x: x.cumprod(axis=1),
    "trace": lambda x: x.trace(),
    "clip": lambda x: x.clip(2, 8),
    "clip one": lambda x: x.clip(min=2),
    "round": lambda x: (x / 3).round(2),
    "conj": lambda x: (x + 1j).conj(),
    "conjugate": lambda x: x.conjugate(),
    "dot": lambda x: x.dot(x.T),
    "dot list": lambda x: x.dot([1.0, 2.0, 3.0]),
    "reshape": lambda x: x.reshape(3, 2),
    "reshape tuple": lambda x: x.reshape((3, -1), order="F"),
    "ravel": lambda x: x.ravel("F"),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(),
    "transpose axes": lambda x: x.transpose(1, 0),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x[:1].squeeze(),
    "diagonal": lambda x: x.diagonal(),
    "astype": lambda x: x.astype(xp.int32),
    "copy": lambda x: x.copy("F"),
    "view": lambda x: x.view(xp.int64),
    "byteswap": lambda x: x.view(xp.int64).byteswap(),
    "take": lambda x: x.take([0, 1], axis=1),
    "choose": lambda x: (x[0] > 1).astype(int).choose([x[0], x[1]]),
    "compress": lambda x: x.compress([True, False], axis=0),
    "repeat": lambda x: x.repeat(2, axis=0),
    "nonzero": lambda x: (x > 2).nonzero(),
    "searchsorted": lambda x: xp.sort(x[0]).searchsorted([2.0, 9.0]),
    "argsort": lambda x: x.argsort(axis=0),
    "argpartition": lambda x: x.argpartition(1).shape,
    "item": lambda x: (x.item(3), x.item(1, 0), x[0, 0].item(), x.item((0, 1)), x.item(-1)),
    "tolist": lambda x: x.tolist(),
    "tobytes": lambda x: x.tobytes("F"),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "real": lambda x: (x + 2j).real,
    "imag": lambda x: (x + 2j).imag,
    "clone": lambda x: x.clone(),
}
CHANGES = {
    "fill": lambda x: x.fill(4),
    "fill_": lambda x: x.fill_(4),
    "zero_": lambda x: x.zero_(),
    "copy_": lambda x: x.copy_([1.0, 2.0, 3.0]),
    "sort": lambda x: x.sort(),
    "sort axis": lambda x: x.sort(axis=0),
    "partition": lambda x: x[0].partition(1),
    "put": lambda x: x.put([0, 5], [7.0, 8.0]),
    "byteswap": lambda x: x.byteswap(inplace=True),
    "real": lambda x: setattr(x, "real", 3.0),
}
FIELDS = {
    "getfield": lambda x: (x + 2j).getfield(xp.float64, 8),
    "where": lambda x: x.sum(where=x > 2),
    "initial": lambda x: x.max(initial=100.0),
}
# fmt: on


@pytest.mark.parametrize("name", sorted(METHODS))
def test_methods(name):
    both(METHODS[name], xp.asarray(M))
    both(METHODS[name], xp.asarray(M)[::-1, ::-1], device=SECOND)


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_methods_that_cupy_lacks(name):
    try:
        both(FIELDS[name], xp.asarray(M))
    except NotImplementedError as error:
        assert "CuPy" in str(error)


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_changes_in_place(name):
    x = xp.asarray(M)
    y = x.to_device("cuda:0")
    here, there = CHANGES[name](x), CHANGES[name](y)
    assert (there is y) == (here is x)
    same(y, x)


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_read_only_arrays_are_not_changed(name):
    x = xp.asarray(M, device="cuda:0").readonly()
    with pytest.raises(ValueError, match="read-only"):
        CHANGES[name](x)
    assert x.tolist() == M


def test_every_way_to_write_is_refused_before_anything_is_written():
    x = xp.asarray([1.0, 2.0], device="cuda:0")
    r = x.readonly()
    with_flags = x[:]
    with_flags.setflags(write=False)
    other = x[:]
    other.flags.writeable = False
    for y in (r, r[:], r.reshape(2, 1).reshape(2), with_flags, other, r.T, r.view()):
        for use in (
            lambda y: operator.iadd(y, 1),
            lambda y: operator.setitem(y, 0, 1),
            lambda y: operator.setitem(y, slice(None), 1),
            lambda y: xp.add(y, 1, out=y),
            lambda y: xp.add(y, 1, y),
            lambda y: y.cumsum(out=y),
            lambda y: y.cumsum(0, None, y),
            lambda y: xp.copyto(y, 1),
            lambda y: xp.put(y, [0], 1),
            lambda y: xp.add.at(y, [0], 1),
            lambda y: xp.fill_diagonal(y.reshape(1, 2), 1),
            lambda y: setattr(y, "flat", 1),
            lambda y: operator.setitem(y.flat, 0, 1),
        ):
            with pytest.raises(ValueError, match="read-only"):
                use(y)
    assert x.tolist() == [1.0, 2.0]
    assert not r.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        r.setflags(write=True)
    assert r.copy().flags.writeable
    assert (r + 1).flags.writeable
    x[0] = 5
    assert r.tolist() == [5.0, 2.0]
    assert not xp.broadcast_to(x, (2, 2)).flags.writeable
    assert not xp.ones((2, 2), device="cuda:0").diagonal().flags.writeable


def test_files(tmp_path):
    x = xp.asarray(M, device="cuda:0")
    x.tofile(tmp_path / "data")
    assert np.fromfile(tmp_path / "data").reshape(2, 3).tolist() == M
    file = io.BytesIO()
    xp.save(file, x)
    file.seek(0)
    assert np.load(file).tolist() == M


def test_copies_between_devices_by_copy_():
    x = xp.zeros(2, device="cuda:0")
    x.copy_(xp.asarray([1.0, 2.0]))
    x.copy_(xp.asarray([3.0, 4.0], device=SECOND))
    assert x.tolist() == [3.0, 4.0]
    here = xp.zeros(2)
    assert here.copy_(x) is here
    assert here.tolist() == [3.0, 4.0]


def test_what_was_computed_with_goes_at_once_and_not_with_a_later_collection():
    def allocated():
        return xp.memory_stats()["cuda:0"]["allocated"]

    xp.zeros(1, device="cuda:0")
    gc.collect()
    before, kept = allocated(), []
    gc.disable()
    try:
        for name, method in METHODS.items():
            method(xp.asarray(M, device="cuda:0"))
            if allocated() != before:
                kept.append(name)
                gc.collect()
    finally:
        gc.enable()
    assert kept == []
