"""Every dtype of the contract is held, sent whole, and aliases; dtypes with objects are refused."""

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
