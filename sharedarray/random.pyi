import numpy.typing as npt
from numpy._pytesttester import PytestTester
from numpy.random import MT19937 as MT19937
from numpy.random import PCG64 as PCG64
from numpy.random import PCG64DXSM as PCG64DXSM
from numpy.random import SFC64 as SFC64
from numpy.random import BitGenerator as BitGenerator
from numpy.random import Philox as Philox
from numpy.random import SeedSequence as SeedSequence

from ._array import Array, _Shape
from ._random_generator import Generator as Generator
from ._random_legacy import RandomState as RandomState

__all__ = ["Generator", "RandomState", "default_rng"]

def default_rng(
    seed: npt.ArrayLike | SeedSequence | BitGenerator | Generator | RandomState | None = None,
) -> Generator: ...

test: PytestTester

def __dir__() -> list[str]: ...

# The legacy functions: methods of one RandomState.
_state: RandomState
beta = _state.beta
binomial = _state.binomial
bytes = _state.bytes
chisquare = _state.chisquare
choice = _state.choice
dirichlet = _state.dirichlet
exponential = _state.exponential
f = _state.f
gamma = _state.gamma
geometric = _state.geometric

def get_bit_generator() -> BitGenerator: ...

get_state = _state.get_state
gumbel = _state.gumbel
hypergeometric = _state.hypergeometric
laplace = _state.laplace
logistic = _state.logistic
lognormal = _state.lognormal
logseries = _state.logseries
multinomial = _state.multinomial
multivariate_normal = _state.multivariate_normal
negative_binomial = _state.negative_binomial
noncentral_chisquare = _state.noncentral_chisquare
noncentral_f = _state.noncentral_f
normal = _state.normal
pareto = _state.pareto
permutation = _state.permutation
poisson = _state.poisson
power = _state.power
rand = _state.rand
randint = _state.randint
randn = _state.randn
random = _state.random
random_integers = _state.random_integers
random_sample = _state.random_sample

def ranf(*args: _Shape, **kwargs: _Shape) -> Array: ...

rayleigh = _state.rayleigh

def sample(*args: _Shape, **kwargs: _Shape) -> Array: ...

seed = _state.seed

def set_bit_generator(bitgen: BitGenerator) -> None: ...

set_state = _state.set_state
shuffle = _state.shuffle
standard_cauchy = _state.standard_cauchy
standard_exponential = _state.standard_exponential
standard_gamma = _state.standard_gamma
standard_normal = _state.standard_normal
standard_t = _state.standard_t
triangular = _state.triangular
uniform = _state.uniform
vonmises = _state.vonmises
wald = _state.wald
weibull = _state.weibull
zipf = _state.zipf
