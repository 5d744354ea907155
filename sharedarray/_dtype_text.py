"""Data types as text: what travels in handles, and what pickles hold."""

import numpy as np


def describe(dtype):
    """Return a dtype as text, the same for equal dtypes.

    Parameters
    ----------
    dtype : numpy.dtype
        Without objects. Its metadata, and whether it was made with ``align=True``, are no part of
        what makes dtypes equal, and are left out.

    Returns
    -------
    out : str
        NumPy's own short form, or JSON where the dtype has fields or a shape.
    """
    parts = _parts(dtype)
    if isinstance(parts, str):
        return parts
    import json  # here: few programs need it

    return json.dumps(parts, separators=(",", ":"))


def undescribe(text):
    """Return the dtype that `describe` described; any exception where it describes none."""
    if not text.startswith("{"):
        return np.dtype(text)
    import json

    return _whole(json.loads(text))


def _parts(dtype):
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return {"base": _parts(base), "shape": list(shape)}
    if dtype.names is None:
        return dtype.str
    fields = [dtype.fields[name] for name in dtype.names]
    parts = {
        "names": list(dtype.names),
        "formats": [_parts(field[0]) for field in fields],
        "offsets": [field[1] for field in fields],
        "itemsize": dtype.itemsize,
    }
    if any(len(field) > 2 for field in fields):
        parts["titles"] = [field[2] if len(field) > 2 else None for field in fields]
    if dtype.kind != "V":  # a number whose parts have names
        parts["number"] = dtype.str
    return parts


def _whole(parts):
    if isinstance(parts, str):
        return np.dtype(parts)
    if "base" in parts:
        return np.dtype((_whole(parts["base"]), tuple(parts["shape"])))
    number = parts.pop("number", None)
    parts["formats"] = [_whole(part) for part in parts["formats"]]
    fields = np.dtype(parts)
    return fields if number is None else np.dtype((number, fields))
