"""What an Array looks like: text and HTML made of an ndarray and what is known of its memory."""

import contextlib
from math import prod

import numpy as np

__all__ = ["html", "lost", "lost_html", "plain", "text"]


def _dtype(dtype):
    """Return a dtype as `repr` shows it: its name where that says all."""
    if dtype.names is None and dtype.isnative and dtype.kind in "biufc":
        return dtype.name
    return str(dtype)


def text(a, kind, device="cpu", shape=None):
    """Return the repr of an Array: as NumPy's, with dtype, device and kind of memory.

    Where `shape` is given, `a` has only the edges of an array of that shape.
    """
    options = np.get_printoptions()
    with _edges(shape):
        body = "[]"
        if a.size:
            body = np.array2string(a, separator=", ", prefix="Array(", suffix=",")
    size, shape = (a.size, a.shape) if shape is None else (prod(shape), shape)
    tail = f"dtype={_dtype(a.dtype)}, device='{device}', {kind})"
    summarised = size > options["threshold"] and "..." in body
    if summarised or (size == 0 and shape != (0,)):
        tail = f"shape={shape}, {tail}"
    last = body.rpartition("\n")[2]
    start = 0 if "\n" in body else len("Array(")
    if start + len(last) + len(", ") + len(tail) > options["linewidth"]:
        return f"Array({body},\n      {tail}"
    return f"Array({body}, {tail}"


def plain(a, kind, device, shape=None):
    """Return the ``str`` of an Array, of which `a` has the elements, or the edges."""
    with _edges(shape):
        return str(a)


def _edges(shape):
    """Print arrays as shortened ones where they are edges of one of this shape."""
    return contextlib.nullcontext() if shape is None else np.printoptions(threshold=0)


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


def html(a, kind, device="cpu", shape=None):
    """Return a table of what the array is, above its elements."""
    from html import escape

    whole = a.shape if shape is None else shape
    rows = {
        "shape": whole,
        "dtype": a.dtype,
        "memory": f"{_size(prod(whole) * a.dtype.itemsize)}, {kind}",
        "device": device,
    }
    cells = "".join(
        f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items()
    )
    return f"<div><table>{cells}</table><pre>{escape(plain(a, kind, device, shape))}</pre></div>"


def lost_html(known):
    """Return what notebooks show of a lost Array."""
    from html import escape

    return f"<div><pre>{escape(lost(known))}</pre></div>"
