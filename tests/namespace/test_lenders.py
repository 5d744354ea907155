"""Objects of other libraries that lend their memory, each by a protocol of its own."""

import warnings

import numpy as np
import pytest

import sharedarray as xp


class Instance:
    """NumPy's description in the instance, where NumPy looks too."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class Struct:
    def __init__(self, array):
        self.array = array

    @property
    def __array_struct__(self):
        return self.array.__array_struct__


class Before2:
    """``__array__`` as it was before NumPy 2."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array if dtype is None else self.array.astype(dtype)


class Since2(Before2):
    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype, copy=copy)


class DLPack:
    """Nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Computed:
    """Makes its values anew for whoever asks, and says nothing about it."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array + 1


class Honest(Computed):
    """The same, but refuses where a copy is forbidden."""

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("only by a copy")
        return self.array + 1


class Careless(Computed):
    """The same, but takes ``copy=False`` and copies."""

    def __array__(self, dtype=None, copy=None):
        return self.array + 1


@pytest.mark.parametrize("lender", [Instance, Struct, Before2, Since2, DLPack])
def test_lent_memory(lender):
    own, foreign = xp.arange(6.0).numpy(), np.arange(6.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert xp.is_shared(lender(own))
        assert not xp.is_shared(lender(foreign))
        for memory in (own, foreign):
            shared = memory is own
            borrowed = xp.asarray(lender(memory), copy=False)
            assert borrowed.is_shared() is shared
            assert xp.shares_memory(borrowed, memory)
            assert xp.asarray(lender(memory)).is_shared()
            assert xp.shares_memory(xp.asarray(lender(memory)), memory) is shared
            copied = xp.asarray(lender(memory), copy=True)
            assert not xp.shares_memory(copied, memory)
            assert copied.tolist() == memory.tolist()
            single = xp.asarray(lender(memory), dtype="f4")
            assert single.dtype == "f4"
            with pytest.raises(ValueError):
                xp.asarray(lender(memory), dtype="f4", copy=False)


@pytest.mark.parametrize("lender", [Computed, Honest, Careless])
def test_computed_values_are_not_borrowed(lender):
    made = lender(np.arange(6.0))
    assert xp.asarray(made).tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(ValueError, match="no memory to borrow"):
        xp.asarray(made, copy=False)
    assert not xp.is_shared(made)


def test_dlpack_that_cannot_be_read():
    class Elsewhere(DLPack):
        def __dlpack__(self, **options):
            raise BufferError("not now")

    with pytest.raises(ValueError, match="not now"):
        xp.asarray(Elsewhere(np.ones(3)))


def test_a_function_with_every_attribute_is_a_function():
    class Proxy:
        """As of a remote function: it has whatever is asked for."""

        def __getattr__(self, name):
            return self

        def __call__(self, values):
            return values.sum()

    assert xp.apply_along_axis(Proxy(), 0, xp.ones((3, 2))).tolist() == [3, 3]
