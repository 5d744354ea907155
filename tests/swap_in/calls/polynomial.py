"""Polynomials: NumPy's old functions, and the modules of ``polynomial``."""

from ._forms import below, each, joined

OLD = {
    "poly": ["np.poly(v)", "np.poly(q)"],
    "poly1d": ["np.poly1d(v)(m)", "float(np.poly1d([1, 2])(3))", "np.poly1d(v).deriv().order"],
    "polyadd": ["np.polyadd(v, [1, 2])"],
    "polysub": ["np.polysub(v, [1, 2])"],
    "polymul": ["np.polymul(v, w)"],
    "polydiv": ["np.polydiv(v, [1.0, 2.0])"],
    "polyder": ["np.polyder(v)", "np.polyder(v, 2)"],
    "polyint": ["np.polyint(v)", "np.polyint(v, k=1.0)"],
    "polyval": ["np.polyval(v, m)", "np.polyval([1, 2], 3)"],
    "polyfit": [
        "np.polyfit(up, v, 1)",
        "np.polyfit(up, m.T, 2, w=w)",
        "np.polyfit(up, v, 1, full=True)",
        "np.polyfit(up, v, 1, cov=True)",
    ],
    "roots": ["np.roots([1.0, -3.0, 2.0])", "np.roots(v)"],
}

# In every module, under its prefix.
COMMON = {
    "add": ["{}add(v, w[:2])"],
    "sub": ["{}sub(v, [1.0, 2.0])"],
    "mul": ["{}mul(v, w)"],
    "mulx": ["{}mulx(v)"],
    "div": ["{}div(v, [1.0, 2.0])"],
    "pow": ["{}pow([1.0, 2.0], 3)"],
    "val": ["{}val(m, v)", "{}val(0.5, [v, w])", "{}val(up, m, tensor=False)"],
    "val2d": ["{}val2d(v, w, m)"],
    "val3d": ["{}val3d(v, w, v, cube)"],
    "valnd": ["{}valnd([v, w], m)", "{}valnd((v, w, v), cube)"],
    "grid2d": ["{}grid2d(v, w[:2], m)"],
    "grid3d": ["{}grid3d(v, w, [0.5], cube)"],
    "der": ["{}der(v)", "{}der(m, 2, axis=1)"],
    "int": ["{}int(v)", "{}int(m, k=[1], lbnd=-1, axis=1)"],
    "companion": ["{}companion(v)"],
    "roots": ["{}roots(v[::-1])"],
    "fromroots": ["{}fromroots([-1.0, 0.5])"],
    "line": ["{}line(1, 2)"],
    "trim": ["{}trim([1.0, 2.0, 0.0])", "{}trim(w, tol=0.1)"],
    "vander": ["{}vander(m, 2)"],
    "vander2d": ["{}vander2d(v, w, [1, 2])"],
    "vander3d": ["{}vander3d(v, w, v, (1, 0, 2))"],
    "fit": ["{}fit(up, v, 2)", "{}fit(up, m.T, [0, 2], w=w)", "{}fit(up, v, 1, full=True)"],
}
QUADRATURE = {"gauss": ["{}gauss(3)"], "weight": ["{}weight(w / 2)"]}
VALUES = "domain zero one x"
MODULES = {
    "polynomial": "poly",
    "chebyshev": "cheb",
    "legendre": "leg",
    "laguerre": "lag",
    "hermite": "herm",
    "hermite_e": "herme",
}


def of(module, prefix):
    """The calls of one module."""
    path = f"np.polynomial.{module}."
    table = {name: list(forms) for name, forms in COMMON.items()}
    if module != "polynomial":
        table |= QUADRATURE
    found = {
        prefix + name: [form.replace("{}", path + prefix) for form in forms]
        for name, forms in table.items()
    }
    found |= each(" ".join(prefix + name for name in VALUES.split()), f"{path}{{}}")
    if module != "polynomial":
        found |= each(f"poly2{prefix} {prefix}2poly", f"{path}{{}}(v)")
    return below(f"polynomial.{module}", found)


SERIES = {
    "polynomial": "Polynomial",
    "chebyshev": "Chebyshev",
    "legendre": "Legendre",
    "laguerre": "Laguerre",
    "hermite": "Hermite",
    "hermite_e": "HermiteE",
}


def series(kind):
    """The calls of one class of series."""
    return [
        f"p = {kind}([1.0, 2.0, 0.5]); p(0.5)",
        f"{kind}(v)(m)",
        f"{kind}.fit(up, v, 1)(up)",
        f"{kind}(v).deriv().degree()",
        f"p = {kind}(v); (p * p - p).degree()",
        f"{kind}([-1.0, 0.0, 1.0]).roots()",
        f"{kind}(w).linspace(3)",
        f"{kind}(w).convert().coef.tolist()",
        f"{kind}(w)({kind}([0.0, 1.0]))(v)",
    ]


CALLS = joined(
    OLD,
    *(of(module, prefix) for module, prefix in MODULES.items()),
    {
        "polynomial.polynomial.polyvalfromroots": [
            "np.polynomial.polynomial.polyvalfromroots(m, v)"
        ],
        "polynomial.chebyshev.chebinterpolate": [
            "np.polynomial.chebyshev.chebinterpolate(lambda x: x**2 + 1, 3)",
            "np.polynomial.chebyshev.chebinterpolate(lambda x, a: a * x, 2, args=(3.0,))",
        ],
        "polynomial.chebyshev.chebpts1": ["np.polynomial.chebyshev.chebpts1(3)"],
        "polynomial.chebyshev.chebpts2": ["np.polynomial.chebyshev.chebpts2(4)"],
        "polynomial.set_default_printstyle": [
            "np.polynomial.set_default_printstyle('unicode'); str(np.polynomial.Polynomial([1, 2]))"
        ],
    },
    {f"polynomial.{kind}": series(f"np.polynomial.{kind}") for kind in SERIES.values()},
    {
        f"polynomial.{module}.{kind}": series(f"np.polynomial.{module}.{kind}")
        for module, kind in SERIES.items()
    },
)
