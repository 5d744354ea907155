"""What an Array looks like: text and HTML made of an ndarray and what is known of its memory."""

import numpy as np

__all__ = ["html", "lost", "lost_html", "text"]


def _dtype(dtype):
    """Return a dtype as `repr` shows it: its name where that says all."""
    if dtype.names is None and dtype.isnative and dtype.kind in "biufc":
        return dtype.name
    return str(dtype)


def text(a, kind):
    """Return the repr of an Array: as NumPy's, with dtype, device and kind of memory."""
    options = np.get_printoptions()
    body = "[]" if a.size == 0 else np.array2string(a, separator=", ", prefix="Array(", suffix=",")
    tail = f"dtype={_dtype(a.dtype)}, device='cpu', {kind})"
    summarised = a.size > options["threshold"] and "..." in body
    if summarised or (a.size == 0 and a.shape != (0,)):
        tail = f"shape={a.shape}, {tail}"
    last = body.rpartition("\n")[2]
    start = 0 if "\n" in body else len("Array(")
    if start + len(last) + len(", ") + len(tail) > options["linewidth"]:
        return f"Array({body},\n      {tail}"
    return f"Array({body}, {tail}"


def lost(known):
    """Return the repr of an Array without memory: what is known of a lost one, and why."""
    if known is None:
        return "<an Array that was never initialised>"
    what = f"shape={known.shape}, dtype={_dtype(known.dtype)}, device='{known.device}'"
    return f"Array(<lost: {known.reason}>, {what})"


def _size(nbytes):
    """Return a number of bytes for people."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if nbytes < 1024:
            return f"{nbytes:.4g} {unit}"
        nbytes /= 1024
    return f"{nbytes:.4g} TiB"


def html(a, kind):
    """Return a table of what the array is, above its elements."""
    from html import escape

    rows = {
        "shape": a.shape,
        "dtype": a.dtype,
        "memory": f"{_size(a.nbytes)}, {kind}",
        "device": "cpu",
    }
    cells = "".join(
        f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items()
    )
    return f"<div><table>{cells}</table><pre>{escape(str(a))}</pre></div>"


def lost_html(known):
    """Return what notebooks show of a lost Array."""
    from html import escape

    return f"<div><pre>{escape(lost(known))}</pre></div>"
