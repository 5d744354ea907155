"""Elementwise functions, and the members of a ufunc."""

from ._forms import each, joined

UNARY = (
    "absolute abs arcsinh asinh arctan atan cbrt ceil cos cosh exp exp2 expm1 fabs floor negative"
    " positive rint sign sin sinh spacing square tan tanh trunc deg2rad rad2deg degrees radians fix"
)
PART_OF_THE_LINE = "arccos acos arcsin asin arctanh atanh"
POSITIVE = "arccosh acosh log log2 log10 log1p sqrt reciprocal"
PREDICATES = "isfinite isinf isnan signbit"
ARITHMETIC = (
    "add subtract multiply divide true_divide floor_divide remainder mod fmod float_power maximum"
    " minimum fmax fmin hypot arctan2 atan2 copysign nextafter logaddexp logaddexp2 heaviside"
)
COMPARISONS = "equal not_equal less less_equal greater greater_equal"
LOGICAL = "logical_and logical_or logical_xor"
BITS = "bitwise_and bitwise_or bitwise_xor"
SHIFTS = "left_shift right_shift bitwise_left_shift bitwise_right_shift"

CALLS = joined(
    each(UNARY, "np.{}(m)", "np.{}(h)", "np.{}(v[::2])", "np.{}(2.5)", "np.{}([1.5, 2.0])"),
    each(UNARY, "np.{}(m, out=np.zeros_like(m))", "np.{}(m, np.empty_like(m))", "np.{}(odd)"),
    each(
        UNARY.replace(" fix", ""),
        "np.{}(m, where=m > 0, out=np.full_like(m, 7.0))",
        "np.{}(m, dtype=np.float32, casting='same_kind')",
        "np.{}(none)",
        "np.{}(one)",
    ),
    each(PART_OF_THE_LINE, "np.{}(w / 2)", "np.{}(v)", "np.{}(w, out=np.zeros_like(w))"),
    each(POSITIVE, "np.{}(v)", "np.{}(m)", "np.{}(v, where=b, out=np.zeros(4))", "np.{}(k + 1)"),
    each(PREDICATES, "np.{}(odd)", "np.{}(odd, out=np.zeros(5, dtype=bool))", "np.{}(h)"),
    each(
        ARITHMETIC,
        "np.{}(m, v)",
        "np.{}(m, 2.0)",
        "np.{}(2.0, v)",
        "np.{}(h, np.float32(2))",
        "np.{}([1.0, 2.0, 3.0, 4.0], v)",
        "np.{}(m, v, out=np.empty_like(m))",
        "np.{}(m, v, np.empty_like(m))",
        "np.{}(v, w, where=b, out=np.zeros(4))",
        "np.{}(none, 1.0)",
        "np.{}(1.5, 2.5)",
        "np.{}(m[:, None, :], v)",
    ),
    each("power pow", "np.{}(v, 2)", "np.{}(v, w)", "np.{}(i, k)", "np.{}(2, v, out=np.zeros(4))"),
    each(
        "add subtract multiply floor_divide remainder maximum",
        "np.{}(i, k)",
        "np.{}(u, np.uint8(3))",
        "np.{}(i, 2.5)",
    ),
    each("add subtract multiply divide", "np.{}(z, zq[0, 1])", "np.{}(z, v)"),
    each(
        COMPARISONS,
        "np.{}(m, 1.0)",
        "np.{}(v, w)",
        "np.{}(i, k)",
        "np.{}(d, d[0])",
        "np.{}(u, 300)",
        "np.{}(v, w, out=np.zeros(4, dtype=bool))",
    ),
    each(LOGICAL, "np.{}(b, v)", "np.{}(bm, True)", "np.{}(b, b, out=np.zeros(4, dtype=bool))"),
    each(BITS, "np.{}(i, k)", "np.{}(u, 7)", "np.{}(b, b[::-1])", "np.{}(i, 6, out=i)"),
    each(SHIFTS, "np.{}(i, 2)", "np.{}(u, np.uint8(1))", "np.{}(i, k)"),
    each("invert bitwise_not bitwise_invert", "np.{}(i)", "np.{}(u)", "np.{}(b)"),
    each("gcd lcm", "np.{}(i, 6)", "np.{}(k, u)"),
    each("conj conjugate", "np.{}(z)", "np.{}(v)", "np.{}(zh)", "np.{}(z, out=np.zeros_like(z))"),
    each("absolute exp log sqrt square sin", "np.{}(z)", "np.{}(zh)", "np.{}(long)", "np.{}(tiny)"),
    {
        "bitwise_count": ["np.bitwise_count(i)", "np.bitwise_count(u)"],
        "logical_not": ["np.logical_not(v)", "np.logical_not(b)"],
        "divmod": ["np.divmod(m, v)", "np.divmod(i, 3)", "np.divmod(v, 2, out=(w, v))"],
        "modf": ["np.modf(m)", "np.modf(v, out=(v, w))", "np.modf(2.5)"],
        "frexp": ["np.frexp(m)", "np.frexp(6.0)"],
        "ldexp": ["np.ldexp(v, k)", "np.ldexp(v, 3)"],
        "isnat": ["np.isnat(nat)"],
        "nan_to_num": [
            "np.nan_to_num(n)",
            "np.nan_to_num(odd, nan=1.0, posinf=2.0, neginf=-2.0)",
            "np.nan_to_num(n, copy=False); n",
        ],
        "real_if_close": ["np.real_if_close(z)", "np.real_if_close(v + 1e-17j)"],
        "angle": ["np.angle(z)", "np.angle(z, deg=True)", "np.angle(v)"],
        "real": ["np.real(z)", "np.real(v)", "float(np.real(2 + 1j))"],
        "imag": ["np.imag(z)", "float(np.imag(3j))", "np.imag(v)"],
        "sinc": ["np.sinc(m)", "np.sinc(0.5)"],
        "i0": ["np.i0(v)", "np.i0(m)"],
        "unwrap": ["np.unwrap(v * 3)", "np.unwrap(m, axis=0, period=4.0)"],
        "around": ["np.around(m)", "np.around(m * 1.2345, 2)", "np.around(i, -1)"],
        "round": ["np.round(m, 1)", "np.round(m, decimals=0, out=np.empty_like(m))"],
        "clip": [
            "np.clip(m, 0.0, 2.0)",
            "np.clip(m, None, v)",
            "np.clip(m, a_min=0, a_max=None, out=m)",
            "np.clip(i, 1, 5)",
            "np.clip(m, min=-1.0)",
        ],
        "isclose": ["np.isclose(m, m + 1e-9)", "np.isclose(n, n, equal_nan=True)"],
        "allclose": ["np.allclose(m, m + 1e-9)", "np.allclose(v, w)"],
        "array_equal": ["np.array_equal(m, m)", "np.array_equal(n, n, equal_nan=True)"],
        "array_equiv": ["np.array_equiv(v, [v, v])"],
        "iscomplex": ["np.iscomplex(z)", "np.iscomplex(v)"],
        "isreal": ["np.isreal(z)", "np.isreal(v)"],
        "isneginf": ["np.isneginf(odd)", "np.isneginf(odd, out=np.zeros(5, dtype=bool))"],
        "isposinf": ["np.isposinf(odd)", "np.isposinf(odd, np.zeros(5, dtype=bool))"],
        "heaviside": ["np.heaviside(odd, 0.5)"],
        "interp": [
            "np.interp([0.0, 1.75], up, v)",
            "np.interp(m, up, w, left=-1.0, right=9.0)",
            "np.interp(1.0, up, z)",
            "np.interp(v, [0.5, 1.5], [1.0, 2.0], period=2.0)",
        ],
        "vectorize": [
            "np.vectorize(lambda a, b: a + 2 * b)(m, v)",
            "np.vectorize(lambda row: row.sum(), signature='(n)->()')(m)",
            "np.vectorize(lambda a: (a, -a), otypes=[float, int])(v)",
        ],
        "piecewise": [
            "np.piecewise(v, [v < 2, v >= 2], [lambda x: -x, 7.0])",
            "np.piecewise(v, v > 1, [lambda x, y: x * y, 0.5], 3.0)",
        ],
        "ufunc": [
            "isinstance(np.sin, np.ufunc) or callable(np.sin)",
            "np.add.reduce(m)",
            "np.add.reduce(m, axis=1, keepdims=True)",
            "np.add.reduce(m, axis=0, out=np.zeros(4))",
            "np.multiply.reduce(m, axis=None, initial=2.0, where=m > 0)",
            "np.maximum.accumulate(m, axis=1)",
            "np.subtract.accumulate(v, out=np.zeros(4))",
            "np.add.reduceat(v, [0, 2, 1])",
            "np.multiply.outer(v, [1, 2])",
            "np.add.at(v, [0, 0, 2], 1.0); v",
            "np.negative.at(v, k); v",
            "np.add.nin, np.add.nout, np.add.nargs, np.add.identity, np.matmul.signature",
            "np.add.types == list(np.add.types), np.add.ntypes, np.add.__name__",
            "np.add.resolve_dtypes((np.dtype('i4'), np.dtype('f8'), None))",
            "np.add(v, w, signature='dd->d')",
            "np.add(i, 1, order='F', subok=False, casting='unsafe', dtype=np.float32)",
            "np.matmul(m, v, axes=[(-2, -1), (-1,), (-1,)])",
        ],
    },
)
