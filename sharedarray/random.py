"""Random numbers in shared memory: NumPy's generators and streams, with Arrays as results.

>>> import sharedarray as xp
>>> xp.random.default_rng(0).random(3).is_shared()
True
"""

import functools

import numpy as np

from ._array import unwrap
from ._dispatch import call
from ._forward import forwarder

__all__ = ["Generator", "RandomState", "default_rng"]

__getattr__, __dir__ = forwarder(np.random, __name__, __all__)


#: Methods about the state of a generator, which is NumPy's and no array of the program.
STATE = frozenset({"get_state", "set_state", "seed"})


def _method(base, name):
    """A method of a generator, computed by NumPy's own, whose result is an Array."""
    target = getattr(base, name)

    @functools.wraps(target)
    def method(self, *args, **kwargs):
        return call(getattr(self._plain, name), *args, **kwargs)

    @functools.wraps(target)
    def of_state(self, *args, **kwargs):
        return getattr(self._plain, name)(*args, **kwargs)

    return of_state if name in STATE else method


def _methods(base, kept=()):
    """The public methods of a generator class.

    `_plain`, a generator of NumPy over the same stream, computes them: NumPy's methods call one
    another, and are to find NumPy's arrays there.
    """
    return {
        name: _method(base, name)
        for name in vars(base)
        if not name.startswith("_") and callable(getattr(base, name)) and name not in kept
    }


class Generator(np.random.Generator):
    """NumPy's random generator, whose results are Arrays in shared memory.

    The stream of numbers is NumPy's. A generator survives pickling and spawning.

    Parameters
    ----------
    bit_generator : numpy.random.BitGenerator
        The source of randomness.

    Examples
    --------
    >>> import sharedarray as xp
    >>> rng = xp.random.Generator(xp.random.PCG64(1))
    >>> rng.normal(size=(2, 3)).shape
    (2, 3)
    """

    __module__ = "sharedarray.random"

    def __init__(self, bit_generator):
        super().__init__(bit_generator)
        self._plain = np.random.Generator(bit_generator)

    locals().update(_methods(np.random.Generator, ("spawn",)))

    def __reduce__(self):
        return Generator, (self.bit_generator,)


class RandomState(np.random.RandomState):
    """NumPy's legacy random generator, whose results are Arrays in shared memory.

    Parameters
    ----------
    seed : int or sequence of int or None, optional
        Starts the stream.

    Examples
    --------
    >>> import sharedarray as xp
    >>> xp.random.RandomState(1).rand(2).shape
    (2,)
    """

    __module__ = "sharedarray.random"

    def __init__(self, seed=None):
        super().__init__(unwrap(seed))
        self._plain = np.random.RandomState(self._bit_generator)

    locals().update(_methods(np.random.RandomState))

    def __reduce__(self):
        return _restored, (self.get_state(legacy=False),)


def _restored(state):
    """A legacy generator in a saved state."""
    result = RandomState()
    result.set_state(state)
    return result


def default_rng(seed=None):
    """Make a random generator.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, BitGenerator, Generator or None, optional
        Starts the stream; None takes fresh entropy from the system. A Generator of this library
        comes back as it is; of NumPy's, the stream is continued.

    Returns
    -------
    out : Generator
        Draws the numbers NumPy's generator of the same seed draws.

    Examples
    --------
    >>> import sharedarray as xp
    >>> rng = xp.random.default_rng(42)
    >>> print(rng.integers(0, 10, size=3))
    [0 7 6]
    """
    if isinstance(seed, Generator):
        return seed
    seed = unwrap(seed)
    return Generator(np.random.default_rng(seed).bit_generator)
