"""Structured arrays, the format of files, and ``ctypes``."""

from ._forms import below, each, joined

RECFUNCTIONS = {
    "append_fields": ["np.append_fields(r, 'c', [1.0, 2.0, 3.0], usemask=False)"],
    "apply_along_fields": [
        "np.apply_along_fields(np_mean, r)",
        "np.apply_along_fields(lambda a, axis: a.max(axis=axis), r)",
    ],
    "assign_fields_by_name": [
        "a = r.copy(); a['a'] = 0; np.assign_fields_by_name(a, r[['a']]); a",
    ],
    "drop_fields": ["np.drop_fields(r, 'a')"],
    "flatten_descr": ["np.flatten_descr(r.dtype)"],
    "get_fieldstructure": ["np.get_fieldstructure(r.dtype)"],
    "get_names": ["np.get_names(r.dtype)"],
    "get_names_flat": ["np.get_names_flat(r.dtype)"],
    "join_by": ["np.join_by('a', r, r[:2], usemask=False)"],
    "merge_arrays": ["np.merge_arrays((r, v[:3]), flatten=True)", "np.merge_arrays([k, w])"],
    "recursive_fill_fields": ["np.recursive_fill_fields(r, r[::-1].copy())"],
    "rename_fields": ["np.rename_fields(r, {'a': 'z'})"],
    "repack_fields": ["np.repack_fields(r[['b']])"],
    "require_fields": ["np.require_fields(r, [('b', 'f4')])"],
    "stack_arrays": ["np.stack_arrays((r, r), usemask=False)"],
    "structured_to_unstructured": [
        "np.structured_to_unstructured(r)",
        "np.structured_to_unstructured(r[['b']], dtype='f4')",
    ],
    "unstructured_to_structured": [
        "np.unstructured_to_structured(m)",
        "np.unstructured_to_structured(q, names=['x', 'y', 'z'])",
    ],
}


def imported(table):
    """The calls, with ``np`` being the module they are in; it has to be imported."""
    return {
        name: [
            "import importlib\n"
            "f = importlib.import_module(np.__name__ + '.lib.recfunctions')\n"
            + call.replace("np_mean", "np.mean").replace(f"np.{name}(", f"f.{name}(")
            for call in calls
        ]
        for name, calls in table.items()
    }


FORMAT = joined(
    each(
        "ARRAY_ALIGN BUFFER_SIZE EXPECTED_KEYS GROWTH_AXIS_MAX_DIGITS MAGIC_LEN MAGIC_PREFIX",
        "np.lib.format.{}",
    ),
    {
        "write_array": ["f = io.BytesIO(); np.lib.format.write_array(f, m); f.getvalue()"],
        "read_array": [
            "f = io.BytesIO(); np.lib.format.write_array(f, m.T, (2, 0)); f.seek(0);"
            " np.lib.format.read_array(f)"
        ],
        "open_memmap": [
            "a = np.lib.format.open_memmap(folder / 'a.npy', 'w+', shape=(2,)); a[:] = 3.0;"
            " np.array(np.load(folder / 'a.npy'))"
        ],
        "descr_to_dtype": ["np.lib.format.descr_to_dtype([('a', '<i4')])"],
        "dtype_to_descr": ["np.lib.format.dtype_to_descr(r.dtype)"],
        "drop_metadata": ["np.lib.format.drop_metadata(m.dtype)"],
        "header_data_from_array_1_0": ["np.lib.format.header_data_from_array_1_0(m.T)"],
        "isfileobj": ["np.lib.format.isfileobj(io.BytesIO())"],
        "magic": ["np.lib.format.magic(1, 0)"],
        "read_magic": ["np.lib.format.read_magic(io.BytesIO(np.lib.format.magic(2, 0)))"],
        **{
            f"{verb}_array_header_{version}": [
                "f = io.BytesIO()\n"
                f"np.lib.format.write_array_header_{version}(f, {{'descr': '<f8',"
                " 'fortran_order': False, 'shape': (3,)})\n"
                f"f.seek(np.lib.format.MAGIC_LEN)\n"
                f"np.lib.format.read_array_header_{version}(f)"
            ]
            for version in ("1_0", "2_0")
            for verb in ("read", "write")
        },
    },
)

CTYPES = {
    "as_array": [
        "import ctypes; c = (ctypes.c_double * 3)(1, 2, 3); np.ctypeslib.as_array(c).tolist()",
        "import ctypes\n"
        "c = (ctypes.c_int32 * 4)(1, 2, 3, 4)\n"
        "p = ctypes.cast(c, ctypes.POINTER(ctypes.c_int32))\n"
        "a = np.ctypeslib.as_array(p, (2, 2)); a[0, 0] = 9\n"
        "list(c), a.tolist()",
    ],
    "as_ctypes": [
        "c = np.ctypeslib.as_ctypes(v); c[0] = 9.0; v",
        "np.ctypeslib.as_ctypes(m)[1][2]",
    ],
    "as_ctypes_type": ["np.ctypeslib.as_ctypes_type(m.dtype).__name__"],
    "c_intp": ["np.ctypeslib.c_intp(3).value"],
    "ndpointer": [
        "p = np.ctypeslib.ndpointer(np.float64, ndim=2, flags='C'); p.from_param(m).data % 8",
        "p = np.ctypeslib.ndpointer(np.int8)\n"
        "try: p.from_param(m)\n"
        "except TypeError as error: a = str(error)\n"
        "a",
    ],
}

CALLS = joined(
    below("lib.recfunctions", imported(RECFUNCTIONS)),
    below("lib.format", FORMAT),
    below("ctypeslib", CTYPES),
)
