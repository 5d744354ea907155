# mypy: disable-error-code="override"
import builtins
from collections.abc import MutableSequence
from typing import Literal, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ._array import Array, _Axes, _Shape

_T = TypeVar("_T")

class Generator(np.random.Generator):
    @overload
    def beta(self, a: float, b: float, size: None = None) -> float: ...
    @overload
    def beta(self, a: npt.ArrayLike, b: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    @overload
    def binomial(self, n: float, p: float, size: None = None) -> int: ...
    @overload
    def binomial(self, n: npt.ArrayLike, p: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    def bytes(self, length: SupportsIndex) -> builtins.bytes: ...
    @overload
    def chisquare(self, df: float, size: None = None) -> float: ...
    @overload
    def chisquare(self, df: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    def choice(
        self,
        a: npt.ArrayLike,
        size: _Shape | None = None,
        replace: bool = True,
        p: npt.ArrayLike | None = None,
        axis: SupportsIndex = 0,
        shuffle: bool = True,
    ) -> Array: ...
    def dirichlet(self, alpha: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    @overload
    def exponential(self, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def exponential(self, scale: npt.ArrayLike = 1.0, size: _Shape | None = None) -> Array: ...
    @overload
    def f(self, dfnum: float, dfden: float, size: None = None) -> float: ...
    @overload
    def f(
        self, dfnum: npt.ArrayLike, dfden: npt.ArrayLike, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def gamma(self, shape: float, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def gamma(
        self, shape: npt.ArrayLike, scale: npt.ArrayLike = 1.0, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def geometric(self, p: float, size: None = None) -> int: ...
    @overload
    def geometric(self, p: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    @overload
    def gumbel(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def gumbel(
        self, loc: npt.ArrayLike = 0.0, scale: npt.ArrayLike = 1.0, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def hypergeometric(self, ngood: int, nbad: int, nsample: int, size: None = None) -> int: ...
    @overload
    def hypergeometric(
        self,
        ngood: npt.ArrayLike,
        nbad: npt.ArrayLike,
        nsample: npt.ArrayLike,
        size: _Shape | None = None,
    ) -> Array: ...
    def integers(
        self,
        low: npt.ArrayLike,
        high: npt.ArrayLike | None = None,
        size: _Shape | None = None,
        dtype: npt.DTypeLike | None = ...,
        endpoint: bool = False,
    ) -> Array: ...
    @overload
    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def laplace(
        self, loc: npt.ArrayLike = 0.0, scale: npt.ArrayLike = 1.0, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def logistic(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def logistic(
        self, loc: npt.ArrayLike = 0.0, scale: npt.ArrayLike = 1.0, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def lognormal(self, mean: float = 0.0, sigma: float = 1.0, size: None = None) -> float: ...
    @overload
    def lognormal(
        self, mean: npt.ArrayLike = 0.0, sigma: npt.ArrayLike = 1.0, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def logseries(self, p: float, size: None = None) -> int: ...
    @overload
    def logseries(self, p: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    def multinomial(
        self, n: npt.ArrayLike, pvals: npt.ArrayLike, size: _Shape | None = None
    ) -> Array: ...
    def multivariate_hypergeometric(
        self,
        colors: npt.ArrayLike,
        nsample: npt.ArrayLike,
        size: _Shape | None = None,
        method: str = "marginals",
    ) -> Array: ...
    def multivariate_normal(
        self,
        mean: npt.ArrayLike,
        cov: npt.ArrayLike,
        size: _Shape | None = None,
        check_valid: Literal["warn", "raise", "ignore"] = "warn",
        tol: float = 1e-08,
        *,
        method: str = "svd",
    ) -> Array: ...
    @overload
    def negative_binomial(self, n: float, p: float, size: None = None) -> int: ...
    @overload
    def negative_binomial(
        self, n: npt.ArrayLike, p: npt.ArrayLike, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def noncentral_chisquare(self, df: float, nonc: float, size: None = None) -> float: ...
    @overload
    def noncentral_chisquare(
        self, df: npt.ArrayLike, nonc: npt.ArrayLike, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def noncentral_f(self, dfnum: float, dfden: float, nonc: float, size: None = None) -> float: ...
    @overload
    def noncentral_f(
        self,
        dfnum: npt.ArrayLike,
        dfden: npt.ArrayLike,
        nonc: npt.ArrayLike,
        size: _Shape | None = None,
    ) -> Array: ...
    @overload
    def normal(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def normal(
        self, loc: npt.ArrayLike = 0.0, scale: npt.ArrayLike = 1.0, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def pareto(self, a: float, size: None = None) -> float: ...
    @overload
    def pareto(self, a: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    def permutation(self, x: npt.ArrayLike, axis: SupportsIndex = 0) -> Array: ...
    def permuted(
        self, x: npt.ArrayLike, *, axis: _Axes = None, out: Array | None = None
    ) -> Array: ...
    @overload
    def poisson(self, lam: float = 1.0, size: None = None) -> int: ...
    @overload
    def poisson(self, lam: npt.ArrayLike = 1.0, size: _Shape | None = None) -> Array: ...
    @overload
    def power(self, a: float, size: None = None) -> float: ...
    @overload
    def power(self, a: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    @overload
    def random(
        self, size: None = None, dtype: npt.DTypeLike | None = ..., out: None = None
    ) -> float: ...
    @overload
    def random(
        self,
        size: _Shape | None = None,
        dtype: npt.DTypeLike | None = ...,
        out: Array | None = None,
    ) -> Array: ...
    @overload
    def rayleigh(self, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def rayleigh(self, scale: npt.ArrayLike = 1.0, size: _Shape | None = None) -> Array: ...
    def shuffle(self, x: Array | MutableSequence[_T], axis: SupportsIndex = 0) -> None: ...
    @overload
    def standard_cauchy(self, size: None = None) -> float: ...
    @overload
    def standard_cauchy(self, size: _Shape | None = None) -> Array: ...
    @overload
    def standard_exponential(
        self,
        size: None = None,
        dtype: npt.DTypeLike | None = ...,
        method: str = "zig",
        out: None = None,
    ) -> float: ...
    @overload
    def standard_exponential(
        self,
        size: _Shape | None = None,
        dtype: npt.DTypeLike | None = ...,
        method: str = "zig",
        out: Array | None = None,
    ) -> Array: ...
    @overload
    def standard_gamma(
        self, shape: float, size: None = None, dtype: npt.DTypeLike | None = ..., out: None = None
    ) -> float: ...
    @overload
    def standard_gamma(
        self,
        shape: npt.ArrayLike,
        size: _Shape | None = None,
        dtype: npt.DTypeLike | None = ...,
        out: Array | None = None,
    ) -> Array: ...
    @overload
    def standard_normal(
        self, size: None = None, dtype: npt.DTypeLike | None = ..., out: None = None
    ) -> float: ...
    @overload
    def standard_normal(
        self,
        size: _Shape | None = None,
        dtype: npt.DTypeLike | None = ...,
        out: Array | None = None,
    ) -> Array: ...
    @overload
    def standard_t(self, df: float, size: None = None) -> float: ...
    @overload
    def standard_t(self, df: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    @overload
    def triangular(self, left: float, mode: float, right: float, size: None = None) -> float: ...
    @overload
    def triangular(
        self,
        left: npt.ArrayLike,
        mode: npt.ArrayLike,
        right: npt.ArrayLike,
        size: _Shape | None = None,
    ) -> Array: ...
    @overload
    def uniform(self, low: float = 0.0, high: float = 1.0, size: None = None) -> float: ...
    @overload
    def uniform(
        self, low: npt.ArrayLike = 0.0, high: npt.ArrayLike = 1.0, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def vonmises(self, mu: float, kappa: float, size: None = None) -> float: ...
    @overload
    def vonmises(
        self, mu: npt.ArrayLike, kappa: npt.ArrayLike, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def wald(self, mean: float, scale: float, size: None = None) -> float: ...
    @overload
    def wald(
        self, mean: npt.ArrayLike, scale: npt.ArrayLike, size: _Shape | None = None
    ) -> Array: ...
    @overload
    def weibull(self, a: float, size: None = None) -> float: ...
    @overload
    def weibull(self, a: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
    @overload
    def zipf(self, a: float, size: None = None) -> int: ...
    @overload
    def zipf(self, a: npt.ArrayLike, size: _Shape | None = None) -> Array: ...
