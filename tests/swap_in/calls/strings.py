"""``strings`` and ``char``: arrays of fixed-width strings."""

from ._forms import each, joined

PREDICATES = "isalnum isalpha isdigit islower isspace istitle isupper"
CASES = "capitalize lower swapcase title upper"
STRIPS = "lstrip rstrip strip"
FINDS = "find rfind count startswith endswith"
JUSTIFIED = "center ljust rjust"

COMMON = joined(
    each(f"{PREDICATES} {CASES} str_len", "np.{}(s)", "np.{}(sb)", "np.{}('Ab 1')"),
    each("isdecimal isnumeric", "np.{}(s)"),
    each(STRIPS, "np.{}(s)", "np.{}(sb)", "np.{}(s, 'ae')"),
    each(FINDS, "np.{}(s, 'a')", "np.{}(sb, b'a')", "np.{}(s, ['a', 'B', 'x', '4'], 0, 3)"),
    each(JUSTIFIED, "np.{}(s, 12)", "np.{}(s, [3, 12, 5, 6], '*')"),
    each("equal not_equal less less_equal greater greater_equal", "np.{}(s, 'apple')"),
    {
        "add": ["np.add(s, s)", "np.add(s, '!')"],
        "multiply": ["np.multiply(s, 2)", "np.multiply(s, k)"],
        "mod": ["np.mod(np.array(['%d', '%5d']), [3, 4])"],
        "encode": ["np.encode(s, 'utf-8')"],
        "decode": ["np.decode(sb, 'ascii')"],
        "expandtabs": ["np.expandtabs(np.array(['a\\tb', 'c']), 4)"],
        "index": ["np.index(s[:2], 'a')"],
        "rindex": ["np.rindex(s[:2], 'a')"],
        "replace": ["np.replace(s, 'a', 'oo')", "np.replace(s, ['a', 'B', 'x', '4'], '', 1)"],
        "translate": ["np.translate(s, str.maketrans('ab', 'xy'))"],
        "zfill": ["np.zfill(s, 6)"],
    },
)
STRINGS = joined(
    COMMON,
    {
        "partition": ["np.partition(s, ' ')"],
        "rpartition": ["np.rpartition(s, 'a')"],
        "slice": ["np.slice(s, 1, 3)", "np.slice(s, None, None, 2)"],
    },
)
CHAR = joined(
    COMMON,
    {
        "partition": ["np.partition(s, ' ')"],
        "rpartition": ["np.rpartition(s, 'a')"],
        "join": ["np.join('-', s)", "np.join(['-', '+', '', '*'], s)"],
        "compare_chararrays": ["np.compare_chararrays(s, s[::-1].copy(), '<', True)"],
    },
)


def inside(module, table):
    """The same calls in a module."""
    return {
        f"{module}.{name}": [call.replace(f"np.{name}(", f"np.{module}.{name}(") for call in calls]
        for name, calls in table.items()
    }


CALLS = joined(inside("strings", STRINGS), inside("char", CHAR))
