"""Random numbers in shared memory: NumPy's generators and streams, with Arrays as results.

>>> import sharedarray as xp
>>> xp.random.default_rng(0).random(3).is_shared()
True
"""

import functools

import numpy as np

from ._array import Array, unwrap
from ._devices import CPU
from ._dispatch import call, device_in_force, has_elsewhere
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
        device = device_in_force()
        if device is None and not has_elsewhere((args, kwargs)):
            return call(getattr(self._plain, name), *args, **kwargs)
        return _elsewhere(getattr(self._plain, name), device, args, kwargs)

    @functools.wraps(target)
    def of_state(self, *args, **kwargs):
        return getattr(self._plain, name)(*args, **kwargs)

    return of_state if name in STATE else method


def _elsewhere(target, device, args, kwargs):
    """Draw from NumPy's stream for a device: that of the arguments, or the one in force."""
    given = [x for x in (*args, *kwargs.values()) if isinstance(x, Array)]
    if given:
        device, *others = sorted({x.device for x in given}, key=str)
        if others:
            raise ValueError(
                f"arrays on {device} and on {others[0]} in one operation: bring them to one "
                "device, x.to_device(...), first"
            )
    here = {id(x): x.to_device(CPU) for x in given}

    def lent(x):
        return here.get(id(x), x)

    with CPU:
        drawn = call(target, *map(lent, args), **{key: lent(x) for key, x in kwargs.items()})
    out = kwargs.get("out")
    if out is not None:
        out[...] = drawn.to_device(device)
        return out
    if drawn is None and given:  # it works in place
        given[0][...] = lent(given[0]).to_device(device)
    return drawn.to_device(device) if isinstance(drawn, Array) else drawn


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
