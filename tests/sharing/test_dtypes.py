"""Every dtype of the contract is held, sent whole, and aliases; dtypes with objects are refused."""

import pickle
import warnings

import numpy as np
import pytest

import sharedarray as xp

from .facts import DTYPES, facts, of_dtype


@pytest.mark.parametrize("name", DTYPES)
def test_the_receiver_gets_the_dtype_and_the_bytes(worker, name):
    a = of_dtype(DTYPES[name])
    x = xp.asarray(a)
    assert x.dtype == DTYPES[name]
    assert x.is_shared()
    assert worker.call(facts, x) == facts(x)
    assert worker.get("(x.dtype == d, x.dtype)", x=x, d=a.dtype) == (True, a.dtype)


@pytest.mark.parametrize("name", DTYPES)
def test_what_is_written_there_is_seen_here(worker, name):
    a = of_dtype(DTYPES[name])
    x = xp.asarray(a)
    worker.run("np.asarray(x)[:3] = np.asarray(x)[3:]", x=x)
    assert repr(np.asarray(x).tolist()) == repr(a[3:].tolist() * 2)


@pytest.mark.parametrize("name", DTYPES)
def test_private_arrays_go_by_value_in_every_dtype(worker, name):
    a = of_dtype(DTYPES[name])
    with xp.memory("private"):
        x = xp.asarray(a)
    y = worker.get("x", x=x)
    assert repr(np.asarray(y).tolist()) == repr(a.tolist())


HOLDING = {
    "object": np.dtype(object),
    "structured": np.dtype([("a", "i4"), ("o", object)]),
    "nested": np.dtype([("a", [("b", object, (2,))])]),
    "strings": np.dtypes.StringDType(),
}
MAKERS = {
    "empty": lambda dtype: xp.empty(3, dtype=dtype),
    "zeros": lambda dtype: xp.zeros(3, dtype=dtype),
    "asarray": lambda dtype: xp.asarray(np.empty(3, dtype)),
    "asarray without a copy": lambda dtype: xp.asarray(np.empty(3, dtype), copy=False),
    "astype": lambda dtype: xp.ones(3).astype(dtype),
    "from_storage": lambda dtype: xp.from_storage(xp.Storage(4096), dtype, (3,)),
    "frombuffer": lambda dtype: xp.frombuffer(bytearray(4096), dtype=dtype),
}


@pytest.mark.parametrize("mode", ["shared", "private"])
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("kind", HOLDING)
def test_dtypes_that_hold_objects_are_refused(kind, maker, mode):
    with xp.memory(mode), pytest.raises(TypeError):
        MAKERS[maker](HOLDING[kind])


def test_lists_of_objects_are_refused():
    with pytest.raises(TypeError):
        xp.asarray([object(), object()])


UNUSUAL = {
    "a number with parts": np.dtype(("<i4", {"low": ("<i2", 0), "high": ("<i2", 2)})),
    "a number with a part": np.dtype(
        ("<i8", np.dtype({"names": ["low"], "formats": ["<i4"], "offsets": [0], "itemsize": 8}))
    ),
    "such a number in a field": np.dtype(
        [("k", ("<i4", {"low": ("<i2", 0), "high": ("<i2", 2)})), ("v", "f4")]
    ),
    "titles": np.dtype([(("a title", "a"), "f8"), ("b", "f8")]),
    "overlapping": np.dtype(
        {"names": ["a", "b"], "formats": ["<i4", "<i2"], "offsets": [0, 2], "itemsize": 12}
    ),
    "names of any kind": np.dtype([("\u00e4\0'\"{}", "f8"), ("z", "M8[25us]")]),
    "no fields": np.dtype([]),
    "3000 fields": np.dtype([(f"a long name of a column {i}", "f4") for i in range(3000)]),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_dtypes(worker, name):
    dtype = UNUSUAL[name]
    x = xp.zeros(3, dtype=dtype)
    np.asarray(x.storage())[...] = 7
    for y in (worker.get("x", x=x), pickle.loads(pickle.dumps(x))):
        assert y.dtype == dtype
        assert y.dtype.kind == dtype.kind
        assert y.tolist() == x.tolist()


@pytest.mark.parametrize("dtype", ["f8", "S5", [("a", "f8")]])
def test_metadata_is_left_behind_without_a_word(worker, dtype):
    x = xp.zeros(3, dtype=np.dtype(dtype, metadata={"of": "a file's library"}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert worker.get("x", x=x).dtype == dtype
        assert pickle.loads(pickle.dumps(x)).dtype == dtype


def test_equal_dtypes_pickle_to_equal_bytes():
    fields = [("a", "i4"), ("b", "i4")]
    dtypes = [
        np.dtype(fields),
        np.dtype(fields, align=True),
        np.dtype(fields, metadata={"a": 1}),
        np.dtype((np.record, fields)),
    ]
    assert all(dtype == dtypes[0] for dtype in dtypes)
    assert len({pickle.dumps(xp.zeros(3, dtype=dtype)) for dtype in dtypes}) == 1
    assert len({len(bytes(xp.zeros(3, dtype=dtype).handle())) for dtype in dtypes}) == 1
