"""``random``: the functions, the generators and their methods; each from a seed."""

from ._forms import below, each, joined

# Arguments of the distributions that functions, Generator and RandomState have in common.
DISTRIBUTIONS = {
    "beta": "2.0, w",
    "binomial": "[5, 9], 0.25, size=(3, 2)",
    "chisquare": "v, 4",
    "dirichlet": "(1, 2, 3), size=2",
    "exponential": "v",
    "f": "v, 2.0",
    "gamma": "v, scale=2.0",
    "geometric": "w",
    "gumbel": "0.0, v",
    "hypergeometric": "[4, 8], 6, 5, size=2",
    "laplace": "v, w",
    "logistic": "v",
    "lognormal": "w, size=(2, 4)",
    "logseries": "w[:3]",
    "multinomial": "10, [0.25, 0.25, 0.5], size=3",
    "multivariate_normal": "[0, 1], [[2, 0.5], [0.5, 1]], 3",
    "negative_binomial": "5, w",
    "noncentral_chisquare": "v, 1.0",
    "noncentral_f": "v, 4.0, 1.0",
    "normal": "v, w",
    "pareto": "v",
    "permutation": "m",
    "poisson": "v, (2, 4)",
    "power": "v",
    "rayleigh": "v",
    "standard_cauchy": "3",
    "standard_exponential": "3",
    "standard_gamma": "v",
    "standard_normal": "(2, 2)",
    "standard_t": "v",
    "triangular": "0.0, w, 1.0",
    "uniform": "w, v",
    "vonmises": "w, v",
    "wald": "v, w",
    "weibull": "v",
    "zipf": "v + 1",
}
LEGACY = {
    "bytes": "4",
    "choice": "v, 3",
    "rand": "2, 3",
    "randint": "0, 10, size=3, dtype=np.int16",
    "randn": "3",
    "random": "3",
    "random_integers": "5, size=3",
    "random_sample": "(2, 2)",
    "tomaxint": "3",
}
NEWER = {
    "bytes": "5",
    "choice": "m, 2, replace=False, axis=1",
    "integers": "0, [5, 10, 20], endpoint=True, dtype=np.uint8",
    "multivariate_hypergeometric": "[4, 5, 6], 3, size=2",
    "permuted": "m, axis=1",
    "random": "3, dtype=np.float32",
    "standard_normal": "out=np.zeros(3)",
    "standard_gamma": "2.0, out=np.zeros(3)",
    "standard_exponential": "dtype=np.float32, size=2",
}


def drawn(maker, table):
    """Calls of methods, each on a generator of its own."""
    return {name: [f"{maker}.{name}({arguments})"] for name, arguments in table.items()}


IN_PLACE = ["g.shuffle(m); m", "g.shuffle(a := [1, 2, 3]); a"]

GENERATOR = joined(
    drawn("np.random.default_rng(7)", DISTRIBUTIONS),
    drawn("np.random.default_rng(7)", NEWER),
    {
        "shuffle": [f"g = np.random.default_rng(1); {form}" for form in IN_PLACE]
        + ["g = np.random.default_rng(1); g.shuffle(m, axis=1); m"],
        "permuted": ["np.random.default_rng(3).permuted(m, axis=0, out=np.zeros((3, 4)))"],
        "permutation": ["np.random.default_rng(3).permutation(5)"],
        "choice": [
            "np.random.default_rng(3).choice(5)",
            "np.random.default_rng(3).choice(['a', 'b'], p=[0.25, 0.75], size=3)",
        ],
        "random": [
            "np.random.default_rng(3).random()",
            "np.random.default_rng(3).random(out=np.zeros(4))",
        ],
        "normal": ["np.random.default_rng(3).normal(2.0)"],
        "spawn": ["[g.random(2) for g in np.random.default_rng(3).spawn(2)]"],
        "bit_generator": ["type(np.random.default_rng(3).bit_generator).__name__"],
    },
)
RANDOM_STATE = joined(
    drawn("np.random.RandomState(7)", DISTRIBUTIONS),
    drawn("np.random.RandomState(7)", LEGACY),
    {
        "shuffle": [f"g = np.random.RandomState(1); {form}" for form in IN_PLACE],
        "seed": ["g = np.random.RandomState(1); g.seed([2, 3]); g.rand(2)"],
        "get_state": ["np.random.RandomState(1).get_state(legacy=False)['state']['pos']"],
        "set_state": [
            "g = np.random.RandomState(1); a = g.get_state(); g.rand(); g.set_state(a); g.rand()"
        ],
    },
)


def seeded(table):
    """Calls of the functions that draw from one hidden generator."""
    return {name: [f"np.random.seed(5); np.random.{name}({a})"] for name, a in table.items()}


FUNCTIONS = joined(
    seeded(DISTRIBUTIONS),
    seeded({name: a for name, a in LEGACY.items() if name != "tomaxint"}),
    each("ranf sample", "np.random.seed(5); np.random.{}(3)"),
    {
        "seed": ["np.random.seed(5); np.random.rand()"],
        "shuffle": ["np.random.seed(5); np.random.shuffle(v); v"],
        "get_state": ["np.random.seed(5); np.random.get_state()[0]"],
        "set_state": [
            "np.random.seed(5); a = np.random.get_state(); np.random.rand();"
            " np.random.set_state(a); np.random.rand()"
        ],
        "default_rng": [
            "np.random.default_rng(5).random(2)",
            "np.random.default_rng([1, 2]).random(2)",
            "np.random.default_rng(k).integers(9)",
        ],
        "Generator": ["np.random.Generator(np.random.PCG64(3)).random(2)"],
        "RandomState": ["np.random.RandomState(3).rand(2)", "np.random.RandomState(k).rand(2)"],
    },
    each(
        "MT19937 PCG64 PCG64DXSM Philox SFC64",
        "np.random.Generator(np.random.{}(3)).random(2)",
        "isinstance(np.random.{}(1), np.random.BitGenerator)",
    ),
    {
        "BitGenerator": ["issubclass(np.random.PCG64, np.random.BitGenerator)"],
        "SeedSequence": [
            "np.random.Generator(np.random.PCG64(np.random.SeedSequence(4))).random()"
        ],
    },
)

CALLS = joined(
    below("random", FUNCTIONS),
    below("random.Generator", GENERATOR),
    below("random.RandomState", RANDOM_STATE),
)
