"""Parameters that the other tables leave out: of strings, files, printing and settings."""

from ._forms import each, joined
from .options import TRUTHS, WHOLE, options

TESTS = "isalnum isalpha isdigit islower isspace istitle isupper"
COMPARED = "equal not_equal less less_equal greater greater_equal"
STRING_UFUNCS = joined(
    options(TESTS, "s", TRUTHS, "U->?"),
    options("isdecimal isnumeric", "s", TRUTHS, "U->?"),
    options("str_len", "s", WHOLE, "U->l"),
    options("add", "s, s", ("np.full(4, '', dtype='U99')", "U"), "UU->U"),
)
STRING_UFUNCS = joined(
    {
        f"{module}.{name}": [call.replace(f"np.{name}(", f"np.{module}.{name}(") for call in calls]
        for module, table in (
            ("strings", joined(STRING_UFUNCS, options(COMPARED, "s, s[::-1]", TRUTHS, "UU->?"))),
            ("char", STRING_UFUNCS),
        )
        for name, calls in table.items()
    }
)

STRINGS = {
    f"{module}.{name}": [f"np.{module}.{name}({arguments})"]
    for module in ("strings", "char")
    for name, arguments in {
        "encode": "s, 'ascii', errors='replace'",
        "decode": "sb, 'ascii', errors='replace'",
        "index": "s[:2], 'a', start=0, end=[5, 6]",
        "rindex": "s[:2], 'a', start=0, end=[5, 6]",
        "translate": "sb, bytes(range(256)), deletechars=b'a'",
    }.items()
}

FILES = {
    "load": [
        "f = io.BytesIO(); np.save(f, m); f.seek(0);"
        " np.load(f, allow_pickle=False, fix_imports=True, encoding='ASCII', max_header_size=999)",
        "np.save(folder / 'a.npy', m); float(np.load(folder / 'a.npy', mmap_mode='r')[1, 2])",
    ],
    "save": ["f = io.BytesIO(); np.save(f, m, allow_pickle=False); f.getvalue()"],
    "savez": [
        "f = io.BytesIO(); np.savez(f, m, allow_pickle=False); f.seek(0); np.load(f)['arr_0']"
    ],
    "savez_compressed": [
        "f = io.BytesIO(); np.savez_compressed(f, m, allow_pickle=False); f.seek(0);"
        " np.load(f)['arr_0']"
    ],
    "fromfile": ["i.tofile(folder / 'a'); np.fromfile(folder / 'a', dtype=np.int64)"],
    "loadtxt": [
        "np.loadtxt(['x', '# y', '1;2;3', '4;5;6', '7;8;9'], skiprows=1, usecols=[0, 2],"
        " delimiter=';', comments='#', ndmin=2, max_rows=2, encoding='utf-8', quotechar='\"')"
    ],
    "savetxt": [
        "f = io.StringIO(); np.savetxt(f, i, '%d', delimiter=';', newline='|', footer='end',"
        " comments='%', encoding='utf-8'); f.getvalue()"
    ],
    "genfromtxt": [
        "np.genfromtxt(['x', '1;NA; 3', '4;5;6', 'end'], delimiter=';', skip_header=1,"
        " skip_footer=1, missing_values='NA', filling_values=-1, usecols=(0, 1), unpack=True,"
        " ndmin=2, comments='#', autostrip=True, loose=True, invalid_raise=True)",
        "np.genfromtxt(['1;2', '4;5', '7;8'], delimiter=';', max_rows=2)",
        "np.genfromtxt(['1 2'], converters={1: lambda field: float(field) * 2}, usemask=False)",
        "np.genfromtxt(['1 2'], names='a b,c', excludelist=['c'], deletechars='', dtype=float,"
        " replace_space='_', case_sensitive='upper', defaultfmt='f%i', delimiter=' ')",
    ],
    "fromregex": ["np.fromregex(io.StringIO('1'), r'(\\d)', [('n', int)], encoding=None)"],
    "lib.format.write_array": [
        "f = io.BytesIO(); np.lib.format.write_array(f, m, version=(1, 0), allow_pickle=False);"
        " f.getvalue()"
    ],
    "lib.format.read_array": [
        "f = io.BytesIO(); np.save(f, v); f.seek(0);"
        " np.lib.format.read_array(f, allow_pickle=False, max_header_size=999)"
    ],
    "lib.format.open_memmap": [
        "a = np.lib.format.open_memmap(folder / 'a.npy', mode='w+', dtype='i2', shape=(2, 3),"
        " fortran_order=True, version=(1, 0), max_header_size=999); a[:] = 3;"
        " np.array(np.load(folder / 'a.npy'))"
    ],
    **{
        f"lib.format.read_array_header_{version}": [
            "f = io.BytesIO()\n"
            f"np.lib.format.write_array_header_{version}(f, {{'descr': '<f8',"
            " 'fortran_order': False, 'shape': (3,)})\n"
            "f.seek(np.lib.format.MAGIC_LEN)\n"
            f"np.lib.format.read_array_header_{version}(f, max_header_size=999)"
        ]
        for version in ("1_0", "2_0")
    },
    "ctypeslib.ndpointer": ["np.ctypeslib.ndpointer(shape=(4,)).from_param(v).data % 8"],
}

PRINTING = {
    "array2string": [
        "np.array2string(m / 3, max_line_width=30, suppress_small=True, prefix='  ', edgeitems=1,"
        " sign='+', floatmode='fixed', suffix=')', legacy=False)"
    ],
    "array_repr": [
        "np.array_repr(v / 3, max_line_width=30, precision=2, suppress_small=True).split('(')[1]"
    ],
    "array_str": ["np.array_str(v / 3, max_line_width=12, suppress_small=True)"],
    "base_repr": ["np.base_repr(5, padding=3)"],
    "format_float_positional": [
        "np.format_float_positional(v[0] / 7, precision=3, unique=False, fractional=False,"
        " trim='-', sign=True, pad_left=3, pad_right=5)",
        "np.format_float_positional(0.5, min_digits=4)",
    ],
    "format_float_scientific": [
        "np.format_float_scientific(v[0] / 7, 3, unique=False, trim='k', sign=True, pad_left=3,"
        " exp_digits=3)",
        "np.format_float_scientific(0.5, min_digits=4)",
    ],
    "datetime_as_string": [
        "np.datetime_as_string(nat, unit='h', timezone='naive', casting='unsafe')"
    ],
    "set_printoptions": [
        "old = np.get_printoptions(); np.set_printoptions(threshold=5, edgeitems=1, linewidth=40,"
        " nanstr='-', infstr='oo', sign='+', floatmode='fixed', legacy=False, formatter=None,"
        " override_repr=None); a = str(n), str(odd); np.set_printoptions(**old); a"
    ],
    "seterr": [
        "old = np.seterr(all='warn', over='ignore', under='ignore', invalid='ignore');"
        " a = v / 0.0; np.seterr(**old); a"
    ],
    "lib.introspect.opt_func_info": [
        "type(np.lib.introspect.opt_func_info(func_name='add', signature='float64'))"
    ],
    "mintypecode": ["np.mintypecode('f', typeset='gdf', default='d')"],
    "nested_iters": [
        "a, c = np.nested_iters([v, w], [[0], []], flags=['multi_index'],"
        " op_flags=[['readonly']] * 2, op_dtypes=['f8', 'f8'], order='C', casting='safe',"
        " buffersize=0)\n"
        "[a.multi_index for x in a]"
    ],
    **each("may_share_memory shares_memory", "np.{}(m[:, 0], m[:, 1], max_work=9)"),
}

TESTING = {
    f"testing.{name}": [f"np.testing.{name}({arguments})"]
    for name, arguments in {
        "assert_allclose": "v, v + 1, rtol=0, atol=1, equal_nan=False, err_msg='a', verbose=False,"
        " strict=True",
        "assert_almost_equal": "v, v + 0.01, decimal=1, err_msg='a', verbose=False",
        "assert_array_almost_equal": "v, v + 0.01, decimal=1, err_msg='a', verbose=False",
        "assert_array_equal": "v, v.copy(), err_msg='a', verbose=False, strict=True",
        "assert_equal": "v, v.copy(), err_msg='a', verbose=False, strict=True",
        "assert_array_almost_equal_nulp": "v, np.nextafter(v, 9), nulp=2",
        "assert_array_max_ulp": "v, np.nextafter(v, 9), maxulp=2, dtype=float",
        "assert_": "v[0] == 3, msg='a'",
        "assert_approx_equal": "v[0], 3.001, significant=3, err_msg='a', verbose=False",
        "assert_array_less": "v, v + 1, err_msg='a', verbose=False, strict=True",
        "assert_array_compare": "np.less, v, v + 1, err_msg='a', verbose=False, header='b',"
        " precision=3, equal_nan=False, equal_inf=False, strict=True, names=('c', 'd')",
    }.items()
}

CALLS = joined(STRING_UFUNCS, STRINGS, FILES, PRINTING, TESTING)
