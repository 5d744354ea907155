"""Methods, attributes and operators of ``ndarray``."""

from ._forms import below, each, joined

ARITHMETIC = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
}
BITS = {"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def operators(table, array, other, plain):
    """Calls of operators, of what is on their right, and in place."""
    found = {}
    for name, sign in table.items():
        found[f"__{name}__"] = [f"{array} {sign} {other}", f"{array} {sign} {plain}"]
        found[f"__r{name}__"] = [f"{plain} {sign} {other}", f"{other}.__r{name}__({plain})"]
        found[f"__i{name}__"] = [
            f"{array} {sign}= {other}; {array}",
            f"{array}[1:] {sign}= {plain}; {array}",
        ]
    return found


OPERATORS = joined(
    operators(ARITHMETIC, "m", "v", "2.0"),
    operators({"add": "+", "mul": "*", "sub": "-"}, "z", "z", "(1 + 2j)"),
    operators(BITS, "i", "k", "3"),
    {f"__{name}__": [f"m {sign} v", f"v {sign} 2.0"] for name, sign in COMPARISONS.items()},
    {
        "__mul__": ["'-' * k[0]", "[0, 1] * k[0]", "b'ab' * np.asarray([2])[0]"],
        "__rmul__": ["k[0] * 'ab'", "k[0] * (1, 2)", "a = [1]; a *= k[0]; a"],
        "__matmul__": ["q @ q", "m @ v", "stack @ stack", "v @ v"],
        "__rmatmul__": ["v.__rmatmul__(m)", "[1.0, 2.0, 3.0] @ m"],
        "__imatmul__": ["q @= q; q"],
        "__divmod__": ["divmod(m, v)", "divmod(i, 3)"],
        "__rdivmod__": ["divmod(7.0, v)"],
        "__neg__": "-m",
        "__pos__": "+m",
        "__abs__": ["abs(m)", "abs(z)"],
        "__invert__": ["~i", "~b"],
        "__bool__": ["bool(one)", "bool(v[:1] > 2)"],
        "__int__": "int(one)",
        "__float__": ["float(one)", "float(k[0])"],
        "__complex__": ["complex(one)", "complex(z[0])"],
        "__index__": ["[10, 20, 30][np.asarray(1)]", "range(k[0])"],
        "__contains__": ["2.0 in m", "9 in i"],
        "__len__": ["len(m)", "len(none)"],
        "__iter__": ["[row for row in m]", "[float(x) for x in v]", "a, *c = k; c"],
        "__getitem__": [
            "m[1]",
            "m[1, 2]",
            "m[:, ::-2]",
            "m[..., None]",
            "m[m > 1]",
            "m[[0, 2]]",
            "m[k[:2], 1]",
            "m[[0, 1], [2, 3]]",
            "m[b[:3]]",
            "v[k]",
            "v[np.array([[0, 1]])]",
            "m[True]",
            "one[()]",
            "r['a']",
            "r[['b']]",
            "r[1]['b']",
            "cube[1, :, [0, 2]]",
            "m[slice(None), np.newaxis, 1]",
        ],
        "__setitem__": [
            "m[1] = 7; m",
            "m[m > 1] = 0.5; m",
            "m[:, 1] = v[:3]; m",
            "m[[0, 2], k[:2]] = [5, 6]; m",
            "v[...] = 3; v",
            "v[k] += 1; v",
            "r['a'] = 9; r",
            "one[()] = 4; one",
            "s[1] = 'x'; s",
            "d[0] = '2020-01-01'; d",
            "v[::2], v[1::2] = v[1::2], v[::2].copy(); v",
        ],
        "__delitem__": ["try: del v[0]\nexcept ValueError: a = 1\na"],
        "__str__": ["str(m)", "str(one)", "f'{one:.3f} {v}'", "str(r)", "str(d)"],
        "__repr__": ["repr(m).partition('(')[2].split(')')[0].split(', dtype')[0].split()"],
        "__format__": ["format(one, '.3f')", "'{:>8.2f}'.format(v[0])"],
        "__copy__": ["copy.copy(m)"],
        "__deepcopy__": ["copy.deepcopy([m, v])"],
        "__reduce__": ["pickle.loads(pickle.dumps(m))"],
        "__reduce_ex__": [
            "pickle.loads(pickle.dumps(m.T, protocol=5))",
            "pickle.loads(pickle.dumps(r))",
            "a = []; c = pickle.dumps(m, 5, buffer_callback=a.append); pickle.loads(c, buffers=a)",
        ],
        "__getstate__": ["pickle.loads(pickle.dumps({'x': cube[0]}))['x']"],
        "__setstate__": ["pickle.loads(pickle.dumps(u))"],
        "__sizeof__": ["v.__sizeof__() >= v.nbytes"],
        "__hash__": ["try: hash(v)\nexcept TypeError: a = 1\na"],
        "__class_getitem__": ["np.ndarray[tuple[int], np.dtype[np.float64]].__args__[0]"],
        "__array__": ["v.__array__().tolist()", "v.__array__(np.float32).dtype"],
        "__array_interface__": ["m.__array_interface__['shape'], m.__array_interface__['typestr']"],
        "__array_namespace__": ["m.__array_namespace__().sum(m)"],
        "__array_priority__": ["isinstance(m.__array_priority__, float)"],
        "__array_ufunc__": ["m.__array_ufunc__(numpy.add, '__call__', v, v)"],
        "__array_function__": ["m.__array_function__(numpy.mean, (type(m),), (m,), {})"],
        "__dlpack__": ["numpy.from_dlpack(m).tolist()", "type(m.__dlpack__()).__name__"],
        "__dlpack_device__": ["m.__dlpack_device__()"],
        "__doc__": ["isinstance(np.ndarray.__doc__, str)"],
        "__dir__": ["{'sum', 'shape'} <= set(dir(m))"],
        "__getattribute__": ["getattr(m, 'shape')", "hasattr(m, 'nothing')"],
        "__setattr__": ["m.shape = (4, 3); m"],
        "__new__": [
            "np.ndarray((2, 3), dtype=np.int16).shape",
            "np.ndarray(shape=(2,), dtype='f4', buffer=bytearray(8)).tolist()",
            "np.ndarray((2, 2), buffer=v, offset=0, strides=(8, 16))",
        ],
    },
)

REDUCTIONS = "sum prod max min mean std var any all"

METHODS = joined(
    each(
        REDUCTIONS,
        "m.{}()",
        "m.{}(axis=0)",
        "m.{}(1, keepdims=True)",
        "cube.{}((0, 2))",
        "i.{}()",
        "z.{}()",
        "m.T.{}(axis=-1)",
    ),
    each("sum prod max min mean std var", "m.{}(axis=0, out=np.zeros(4))"),
    each("sum prod max min", "m.{}(initial=2.0, where=m > 0)"),
    each("argmax argmin", "m.{}()", "m.{}(axis=1)", "m.{}(0, keepdims=True)"),
    each("cumsum cumprod", "m.{}()", "m.{}(1)", "i.{}(dtype=float)", "v.{}(out=np.zeros(4))"),
    each("conj conjugate", "z.{}()", "v.{}()"),
    each("flatten ravel", "m.{}()", "m.{}('F')", "m.T.{}(order='K')"),
    {
        "argpartition": ["v[v.argpartition(2)[2]]"],
        "argsort": ["up.argsort()", "m.argsort(axis=0, kind='stable')"],
        "astype": ["m.astype(int)", "m.astype('f4', copy=False)", "s[3:].astype(float)"],
        "byteswap": ["i.byteswap()", "i.byteswap(inplace=True); i"],
        "choose": ["k.choose([v, w, v])", "k.choose([v, w], mode='wrap')"],
        "clip": ["m.clip(0, 2)", "m.clip(max=1.0)", "m.clip(v, None, out=m)"],
        "compress": ["v.compress(b)", "m.compress([True, False, True], axis=0)"],
        "copy": ["m.copy()", "m.T.copy('K')"],
        "diagonal": ["m.diagonal()", "cube.diagonal(1, 1, 2)"],
        "dot": ["q.dot(q)", "m.dot([1, 2, 3, 4])", "q.dot(q, out=np.zeros((3, 3)))"],
        "fill": ["v.fill(2.5); v", "i.fill(k[0]); i"],
        "getfield": ["z.getfield(np.float64, 8)"],
        "setfield": ["z.setfield(7.0, np.float64, 8); z"],
        "item": ["v.item(2)", "m.item(1, 2)", "one.item()", "i.item((0, 3))"],
        "nonzero": ["m.nonzero()", "b.nonzero()"],
        "partition": ["v.partition(2); v[2]", "m.partition(1, axis=0); m[1]"],
        "put": ["v.put([0, 2], [7.0, 8.0]); v", "v.put(k, 1.5, mode='clip'); v"],
        "repeat": ["v.repeat(2)", "m.repeat([1, 0, 2], axis=0)"],
        "reshape": ["m.reshape(4, 3)", "m.reshape((2, -1), order='F')", "v.reshape(-1, 1)"],
        "round": ["(m / 3).round(2)", "m.round(out=m)"],
        "searchsorted": ["up.searchsorted(m, 'right')", "up.searchsorted(1.0)"],
        "setflags": [
            "v.setflags(False); v.flags.writeable",
            "v.setflags(write=False); v.flags.writeable",
        ],
        "sort": ["m.sort(); m", "m.sort(axis=0, kind='stable'); m", "r.sort(order='a'); r"],
        "squeeze": ["m[None].squeeze()", "m[:, None].squeeze(axis=1)"],
        "swapaxes": ["cube.swapaxes(0, 2)"],
        "take": ["v.take([0, 2])", "m.take(k[:2], axis=1)", "v.take(9, mode='clip')"],
        "tobytes": ["m.tobytes()", "m.tobytes('F')"],
        "tofile": ["m.tofile(folder / 'x'); (folder / 'x').read_bytes()"],
        "tolist": ["m.tolist()", "one.tolist()", "r.tolist()", "d.tolist()"],
        "trace": ["m.trace()", "cube.trace(1, 1, 2)"],
        "transpose": ["m.transpose()", "cube.transpose(2, 0, 1)", "cube.transpose((1, 0, 2))"],
        "view": ["v.view(np.int64)", "u.view('i1')", "m.view()", "v.view(dtype=np.complex128)"],
        "to_device": ["m.to_device('cpu')"],
    },
)

ATTRIBUTES = joined(
    each("shape strides ndim size itemsize nbytes dtype", "m.{}", "m.T.{}", "none.{}", "one.{}"),
    {
        "T": ["m.T", "v.T"],
        "mT": ["cube.mT"],
        "real": ["z.real", "v.real", "z.real = 5; z"],
        "imag": ["z.imag", "z.imag = v; z"],
        "flat": ["list(map(float, m.flat))", "m.flat[5]", "m.flat[2:4] = 9; m", "m.flat = 3; m"],
        "base": ["m.base is None", "m[1].base is not None"],
        "data": ["m.data.tolist()", "bytes(v.data)"],
        "device": ["str(m.device)"],
        "ctypes": ["m.ctypes.shape[:], m.ctypes.strides[:]", "m.ctypes.data % 8"],
        "flags": [
            "m.flags.c_contiguous, m.T.flags['F'], m.flags.owndata or True",
            "m.flags.writeable",
            "v.flags.writeable = False; v.flags.writeable",
        ],
        "shape": ["m.shape = 12; m"],
        "dtype": ["v.dtype.str", "r.dtype.names"],
    },
)

CALLS = below("ndarray", joined(OPERATORS, METHODS, ATTRIBUTES))
