"""Parameters that the other tables leave out, so that each of every function stands in a call."""

from . import random as _random
from ._forms import below, each, joined
from .elementwise import (
    ARITHMETIC,
    BITS,
    COMPARISONS,
    LOGICAL,
    PART_OF_THE_LINE,
    POSITIVE,
    PREDICATES,
    SHIFTS,
    UNARY,
)


def options(names, arguments, out, signature):
    """Calls of ufuncs with every keyword that ufuncs take."""
    result, kind = out
    return each(
        names,
        f"np.{{}}({arguments}, out={result})",
        f"np.{{}}({arguments}, where=np.array([True, False, True, True]), out={result})",
        f"np.{{}}({arguments}, order='F', subok=False)",
        f"np.{{}}({arguments}, casting='unsafe', dtype={kind!r})",
        f"np.{{}}({arguments}, casting='same_kind', signature={signature!r})",
        f"np.{{}}({arguments}).ravel()[1:3]",
    )


FLOATS = "np.full(4, 9.0)", "d"
TRUTHS = "np.ones(4, dtype=bool)", "?"
WHOLE = "np.full(4, 9)", "l"

UFUNCS = joined(
    options(UNARY.replace(" fix", ""), "v", FLOATS, "d->d"),
    options(f"{PART_OF_THE_LINE}", "w / 2", FLOATS, "f->f"),
    options(f"{POSITIVE}", "v", FLOATS, "f->f"),
    options(PREDICATES, "v", TRUTHS, "d->?"),
    options("isnat", "d[[0, 1, 2, 0]]", TRUTHS, "M->?"),
    options(f"{ARITHMETIC} power pow".replace(" float_power", ""), "v, w", FLOATS, "ff->f"),
    options("float_power", "v, w", FLOATS, "dd->d"),
    options(COMPARISONS, "v, w", TRUTHS, "ff->?"),
    options(LOGICAL, "v, w", TRUTHS, "dd->?"),
    options("logical_not", "v", TRUTHS, "d->?"),
    options(f"{BITS} {SHIFTS} gcd lcm", "k, i[0]", WHOLE, "ll->l"),
    options("invert bitwise_not bitwise_invert", "k", WHOLE, "l->l"),
    options("bitwise_count", "k", ("np.ones(4, dtype=np.uint8)", "B"), "l->B"),
    options("conj conjugate", "z", ("np.full(4, 9j)", "D"), "D->D"),
    options("ldexp", "v, k.astype('i4')", FLOATS, "di->d"),
    each("divmod", "np.{}(v, w, where=b, out=(np.zeros(4), np.ones(4)), order='C')"),
    each("divmod", "np.{}(i, k, casting='unsafe', dtype='d')", "np.{}(v, 2, signature='ff->ff')"),
    each("modf", "np.{}(v, where=b, out=(np.zeros(4), np.ones(4)), order='C')"),
    each(
        "modf",
        "np.{}(k, casting='unsafe', dtype='d')",
        "np.{}(v, signature='f->ff', casting='unsafe')",
    ),
    each("frexp", "np.{}(v, where=b, out=(np.zeros(4), np.ones(4, dtype='i4')), order='C')"),
    each("frexp", "np.{}(v, casting='unsafe', signature='f->fi')", "np.{}(k, dtype=None)"),
    each(
        "matmul matvec vecmat vecdot",
        "np.{}(q, q, order='F', casting='unsafe', dtype='f4')[..., 0]",
    ),
    each("matmul", "np.{}(q, q, axes=[(0, 1), (0, 1), (1, 0)], signature='dd->d')"),
    each("matvec", "np.{}(q, q[0], axes=[(0, 1), 0, 0], out=np.zeros(3), signature='dd->d')"),
    each("vecmat", "np.{}(q[0], q, axes=[0, (0, 1), 0], out=np.zeros(3), signature='dd->d')"),
    each("vecdot", "np.{}(q, q, axis=0, out=np.zeros(3), signature='dd->d')"),
    each("vecdot", "np.{}(q, q, axis=1, keepdims=True)", "np.{}(q, q, axes=[0, 0])"),
)

STATISTICS = joined(
    each("std var", "np.{}(m, axis=1, mean=m.mean(axis=1, keepdims=True))", "np.{}(h, dtype='f8')"),
    each("any all", "np.{}(bm, axis=0, where=bm)"),
    each("nansum nanprod", "np.{}(n, axis=1, dtype='f4', initial=2.0, where=n != 3.0)"),
    each("nanmax nanmin", "np.{}(n, axis=0, initial=2.0, where=n != 3.0)"),
    each("nanmean", "np.{}(n, axis=0, dtype='f4', where=n != 3.0)"),
    each("nanstd nanvar", "np.{}(n, axis=0, dtype='f4', ddof=1, where=n != 3.0)"),
    each("nanstd nanvar", "np.{}(n, axis=0, correction=1, mean=np.nanmean(n, 0, keepdims=True))"),
    each("nanmedian median", "np.{}(m, axis=0, overwrite_input=True, out=np.zeros(4))"),
    each(
        "nanargmax nanargmin",
        "np.{}(n, axis=1, keepdims=True, out=np.zeros((3, 1), dtype=np.intp))",
    ),
    each("cumulative_sum cumulative_prod", "np.{}(v, out=np.zeros(4))"),
    each("percentile nanpercentile", "np.{}(m, 30, axis=1, overwrite_input=True)"),
    each("quantile nanquantile", "np.{}(m, 0.3, axis=1, keepdims=True, out=np.zeros((3, 1)))"),
    each("quantile nanquantile", "np.{}(v, [0.3, 0.6], weights=w, method='inverted_cdf')"),
    {
        "average": ["np.average(m, axis=0, keepdims=True)"],
        "ptp": ["np.ptp(m, axis=0, keepdims=True)"],
        "count_nonzero": ["np.count_nonzero(m, axis=0, keepdims=True)"],
        "cov": ["np.cov(m, bias=True, dtype='f4')", "np.cov(m, ddof=0, fweights=k + 1)"],
        "corrcoef": ["np.corrcoef(m, rowvar=False, dtype='f4')"],
        "histogram2d": [
            "np.histogram2d(v, w, bins=2, range=[[0, 4], [0, 1]], density=True, weights=w)"
        ],
        "histogramdd": [
            "np.histogramdd(m[:, :2], bins=2, range=[(0, 4), (0, 1)], density=True, weights=v[:3])"
        ],
        "histogram_bin_edges": ["np.histogram_bin_edges(v, 3, range=(0.0, 9.0), weights=w)"],
        "sort": ["np.sort(m, stable=True)"],
        "argsort": ["np.argsort(r, kind='stable', order=['b'])"],
        "lexsort": ["np.lexsort((m, m[::-1]), axis=0)"],
        "partition": ["np.partition(r, 1, kind='introselect', order='b')[1]"],
        "argpartition": ["np.argpartition(r, 1, axis=-1, kind='introselect', order='b')[1]"],
        "unique": ["np.unique(v, sorted=True)"],
        "isin": ["np.isin([1, 2], [2, 3], assume_unique=True)"],
        "intersect1d": ["np.intersect1d([1, 2], k[:2], assume_unique=True)"],
        "setxor1d": ["np.setxor1d([1, 2], [2, 3], assume_unique=True)"],
        "around": ["np.around(m, 0, out=np.zeros_like(m))"],
        "real_if_close": ["np.real_if_close(v + 1e-13j, tol=1e6)"],
        "unwrap": ["np.unwrap(v * 3, discont=2.0)"],
        "clip": ["np.clip(m, max=v)"],
        "isclose": ["np.isclose(v, w, rtol=0.1, atol=1.0)"],
        "allclose": ["np.allclose(n, n, rtol=0.1, atol=0.0, equal_nan=True)"],
    },
)

MAKING = joined(
    each("asarray asanyarray", "np.{}(m, order='F', copy=True)", "np.{}(m, copy=None)"),
    each("asarray_chkfinite", "np.{}(m, order='F')"),
    each("logspace geomspace", "np.{}(v, w, 3, endpoint=False, dtype='f4', axis=-1)"),
    {
        "array": ["np.array([v, w], copy=True, ndmax=2)"],
        "empty_like": ["np.empty_like(m, order='F').strides"],
        "full": ["np.full((2, 3), 1, order='F')"],
        "full_like": ["np.full_like(m, 1, dtype='i2', order='F', shape=(2, 2))"],
        "meshgrid": ["np.meshgrid(v, w, copy=False)"],
        "row_stack": ["np.row_stack((v, w), dtype='f4', casting='unsafe')"],
        "trim_zeros": ["np.trim_zeros(np.array([[0, 0], [0, 1]]), axis=0)"],
        "compress": ["np.compress(b, v, out=np.zeros(3))"],
        "diag_indices": ["np.diag_indices(2, ndim=3)"],
        "triu_indices": ["np.triu_indices(2, m=3)"],
        "tril_indices_from": ["np.tril_indices_from(m, k=1)"],
        "unpackbits": ["np.unpackbits(u, bitorder='little')"],
        "lib.stride_tricks.sliding_window_view": [
            "a = np.lib.stride_tricks.sliding_window_view(v, 2, writeable=True); a[0, 0] = 8.0; a"
        ],
        "lib.array_utils.normalize_axis_tuple": [
            "np.lib.array_utils.normalize_axis_tuple((0, 0), 3, argname='a', allow_duplicate=True)"
        ],
        "busday_count": [
            "np.busday_count(d, d + 4, weekmask='1110000', holidays=d, out=np.zeros(3, 'l'))",
            "np.busday_count(d, d + 9, busdaycal=np.busdaycalendar('1000000'))",
        ],
        "busday_offset": [
            "np.busday_offset(d, 1, 'backward', weekmask='1110000', holidays=d, out=d.copy())",
            "np.busday_offset(d, k[:3], 'forward', busdaycal=np.busdaycalendar('1000000'))",
        ],
        "is_busday": [
            "np.is_busday(d, weekmask='1110000', holidays=d, out=np.ones(3, dtype=bool))"
        ],
    },
)

LINEAR = joined(
    each("fft ifft rfft hfft irfft ihfft", "np.{}(v, n=4, out=np.zeros_like(np.{}(v, n=4)))"),
    each("fft2 ifft2 rfft2 irfft2", "np.{}(m, norm='ortho', out=np.zeros_like(np.{}(m)))"),
    each(
        "fftn ifftn rfftn irfftn", "np.{}(m, s=(3, 4), axes=(0, 1), out=np.{}(m, (3, 4), (0, 1)))"
    ),
)
LINEAR = joined(
    {
        f"fft.{name}": [call.replace(f"np.{name}", f"np.fft.{name}") for call in calls]
        for name, calls in LINEAR.items()
    },
    {
        "cross": ["np.cross(q, q[::-1], axis=0)", "np.cross(q, q[::-1], axisb=0, axisc=0)"],
        "trace": ["np.trace(cube, out=np.zeros(4))"],
        "linalg.cross": ["np.linalg.cross(q, q[::-1], axis=0)"],
        "linalg.eigvalsh": ["np.linalg.eigvalsh(zq, UPLO='U')"],
        "linalg.matrix_norm": ["np.linalg.matrix_norm(stack, keepdims=True)"],
        "linalg.matrix_rank": [
            "np.linalg.matrix_rank(q, tol=0.1, hermitian=True)",
            "np.linalg.matrix_rank(q, rtol=0.5)",
        ],
        "linalg.pinv": ["np.linalg.pinv(q, rtol=1e-9, hermitian=True)"],
        "linalg.svd": ["np.linalg.svd(q, hermitian=True)"],
        "linalg.tensorsolve": [
            "np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 2, 3) * 2, np.ones((3, 2)), axes=(0,))"
        ],
        "linalg.trace": ["np.linalg.trace(i[:, :3], dtype='f4')"],
        "linalg.vector_norm": ["np.linalg.vector_norm(cube, axis=(0, 2), keepdims=True)"],
        "polyint": ["np.polyint(v, m=2)"],
        "polyfit": ["np.polyfit(up, v, 1, rcond=1e-9)"],
    },
)

SERIES = {
    f"polynomial.{module}.{prefix}{name}": [f"np.polynomial.{module}.{prefix}{name}({arguments})"]
    for module, prefix in {
        "polynomial": "poly",
        "chebyshev": "cheb",
        "legendre": "leg",
        "laguerre": "lag",
        "hermite": "herm",
        "hermite_e": "herme",
    }.items()
    for name, arguments in {
        "pow": "[1.0, 2.0], 3, maxpower=9",
        "der": "v, scl=2.0",
        "int": "v, m=2, k=[1, 2], scl=0.5",
        "fit": "up, v, 1, rcond=1e-9",
    }.items()
}
SERIES["polynomial.polynomial.polyvalfromroots"] = [
    "np.polynomial.polynomial.polyvalfromroots(up, m, tensor=True)"
]

# Parameters by name, and a shape for all distributions.
SIZES = {
    name: f"{arguments}, size=(2, 4)"
    for name, arguments in {
        "beta": "a=2.0, b=w",
        "exponential": "scale=v",
        "f": "dfnum=v, dfden=2.0",
        "gamma": "shape=v, scale=2.0",
        "geometric": "p=w",
        "gumbel": "loc=0.0, scale=v",
        "laplace": "loc=v, scale=w",
        "logistic": "loc=v, scale=w",
        "lognormal": "mean=w, sigma=v",
        "logseries": "p=w / 2",
        "negative_binomial": "n=5, p=w",
        "noncentral_chisquare": "df=v, nonc=1.0",
        "noncentral_f": "dfnum=v, dfden=4.0, nonc=1.0",
        "normal": "loc=v, scale=w",
        "pareto": "a=v",
        "power": "a=v",
        "rayleigh": "scale=v",
        "standard_gamma": "shape=v",
        "standard_t": "df=v",
        "triangular": "left=0.0, mode=w, right=1.0",
        "uniform": "low=w, high=v",
        "vonmises": "mu=w, kappa=v",
        "wald": "mean=v, scale=w",
        "weibull": "a=v",
        "zipf": "a=v + 1",
        "multivariate_normal": "[0, 1], q[:2, :2], check_valid='raise', tol=1e-9",
    }.items()
}
LEGACY = SIZES | {
    "choice": "4, 2, replace=False, p=w / w.sum()",
    "random_integers": "1, high=5, size=3",
}
NEWER = SIZES | {
    "choice": "m, 2, p=v[:3] / 6, shuffle=False, replace=False",
    "integers": "low=0, high=v, size=(2, 4)",
    "multivariate_hypergeometric": "k, 2, method='count'",
    "permutation": "m, axis=1",
    "standard_exponential": "3, method='inv', out=np.zeros(3)",
    "standard_gamma": "2.0, size=3, dtype='f4'",
    "standard_normal": "3, dtype='f4'",
}
RANDOM = joined(
    below("random", _random.seeded(LEGACY)),
    below("random.RandomState", _random.drawn("np.random.RandomState(7)", LEGACY)),
    below("random.Generator", _random.drawn("np.random.default_rng(7)", NEWER)),
    below(
        "random.Generator",
        _random.drawn(
            "np.random.default_rng(7)",
            {"multivariate_normal": "[0, 1], q[:2, :2], method='cholesky'"},
        ),
    ),
    {"random.get_state": ["np.random.seed(5); np.random.get_state(legacy=False)['state']['pos']"]},
)

METHODS = joined(
    each("sum prod mean", "h.{}(dtype=np.float64)"),
    each("std var", "h.{}(dtype=np.float64, ddof=1)"),
    each("any all", "bm.{}(axis=0, where=bm, out=np.zeros(2, dtype=bool))"),
    each("argmax argmin", "m.{}(axis=1, out=np.zeros(3, dtype=np.intp))"),
    {
        "argpartition": ["r.argpartition(1, axis=-1, kind='introselect', order='b')[1]"],
        "argsort": ["r.argsort(order='b')", "v.argsort(stable=True)"],
        "astype": ["m.astype('i4', order='F', casting='unsafe')"],
        "choose": ["k.choose([v, w, v], out=np.zeros(4))"],
        "compress": ["v.compress(b, out=np.zeros(3))"],
        "partition": ["r.partition(1, kind='introselect', order='b'); r[1]"],
        "reshape": ["m.reshape((4, 3), copy=True)", "m.reshape(12, copy=False)"],
        "searchsorted": ["v.searchsorted(2.0, sorter=v.argsort())"],
        "setflags": ["v.setflags(align=True, uic=False); v.flags.aligned"],
        "sort": ["m.sort(stable=True); m"],
        "take": ["v.take(k, out=np.zeros(4), mode='clip')"],
        "tofile": ["v.tofile(folder / 'x', sep=' ', format='%.2f'); (folder / 'x').read_text()"],
        "trace": ["cube.trace(dtype='f4')", "cube.trace(out=np.zeros(4))"],
        "to_device": ["m.to_device('cpu', stream=None)"],
        "__array__": ["v.__array__(copy=True).tolist()"],
        "__array_namespace__": ["m.__array_namespace__(api_version='2023.12').sum(m)"],
        "__dlpack__": [
            "type(m.__dlpack__(stream=None, max_version=(1, 0), dl_device=(1, 0), copy=True))"
        ],
    },
)

CALLS = joined(
    UFUNCS,
    STATISTICS,
    MAKING,
    LINEAR,
    SERIES,
    RANDOM,
    below("ndarray", METHODS),
)
