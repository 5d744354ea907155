"""Make namespace functions of Python functions over NumPy arrays, with signature and docstring.

A function of the namespace is written as a Python function whose arguments are NumPy arrays; the
name carries a trailing underscore where the public name is a builtin's.  Its docstring describes
what is particular to it; parameters that mean the same everywhere are described here, once.
"""

import inspect

import numpy as np

from ._dispatch import Function

#: What `out` of a reduction is to give an array where it would give a scalar (NumPy 2.3 and newer).
NEW = ... if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else None

PARAMETERS = {
    "x": ("Array", "Input array; whatever NumPy makes an array of is accepted."),
    "x1": ("Array", "First input array."),
    "x2": ("Array", "Second input array; must be compatible with `x1` (see broadcasting)."),
    "arrays": ("Array", "Input arrays."),
    "axis": ("int or None, optional", "Axis to work along; negative ones count from the end."),
    "axes": ("int or tuple of int or None, optional", "Axes along which to work."),
    "keepdims": ("bool, optional", "Keep the reduced axes, with length one."),
    "out": ("Array, optional", "Where the result is written; this very object is returned."),
    "dtype": ("dtype, optional", "Data type of the result; by default it follows from the input."),
    "device": ("Device or str, optional", "Device of the result; by default the one in force."),
    "order": ("str, optional", "Memory layout, as in NumPy."),
    "copy": ("bool or None, optional", "True: always copy. False: never. None: where necessary."),
    "where": ("Array of bool, optional", "Elements that take part; broadcast against the input."),
    "initial": ("scalar, optional", "Value the reduction starts from."),
    "casting": ("str, optional", "Which conversions of data types are allowed, as in NumPy."),
    "norm": (
        "str or None, optional",
        "Which direction is scaled: ``'backward'``, ``'ortho'`` or ``'forward'``.",
    ),
    "n": ("int, optional", "Length of the transformed axis; the input is cropped or zero-padded."),
    "s": ("sequence of int, optional", "Length of each transformed axis."),
    "k": ("int, optional", "Diagonal: 0 is the main one, positive ones lie above it."),
    "offset": ("int, optional", "Diagonal: 0 is the main one, positive ones lie above it."),
    "subok": ("bool, optional", "Accepted for code written for NumPy; results are always Arrays."),
    "shape": ("int or tuple of int", "Shape of the result."),
    "kind": ("str, optional", "NumPy's name of an algorithm."),
    "hermitian": ("bool, optional", "Whether the matrices are Hermitian (symmetric, if real)."),
    "rtol": (
        "float or Array, optional",
        "Singular values below this part of the largest one count as zero; "
        "by default ``max(M, N) * eps``.",
    ),
    "ddof": ("float, optional", "NumPy's name of `correction`; give one of the two."),
    "like": ("Array, optional", "Accepted for code written for NumPy; has no effect."),
}


def export(
    target=None,
    *,
    name=None,
    module="sharedarray",
    arrays=1,
    alias=None,
    written=True,
    direct=None,
    brief=None,
    most=0,
    guard=None,
):
    """Make a function of the namespace of a Python function over NumPy arrays.

    Parameters
    ----------
    target : function
        Gets NumPy arrays where the caller gave Arrays; what it returns is wrapped.
    name : str, optional
        The public name; by default that of the function without a trailing underscore.
    module : str, optional
        The public module.
    arrays : int, optional
        That many leading arguments are made arrays first.
    alias : dict, optional
        NumPy's names of keywords, where they differ.
    written : bool, optional
        Whether the whole result is written by the call.
    direct : callable, optional
        NumPy's function that does exactly this: it is called in place of `target`, which then
        gives signature and docstring alone.
    brief : callable, optional
        NumPy's function that does the same with up to `most` positional arguments and no others.
    most : int, optional
        As many arguments as `brief` takes.
    guard : callable, optional
        Looks at the arguments before `target` may write; NumPy's functions have theirs.

    Returns
    -------
    out : Function
        The function of the namespace.
    """
    if target is None:
        return lambda function: export(
            function,
            name=name,
            module=module,
            arrays=arrays,
            alias=alias,
            written=written,
            direct=direct,
            brief=brief,
            most=most,
            guard=guard,
        )
    name = name or target.__name__.rstrip("_")
    target.__name__ = target.__qualname__ = name  # what Python's errors about arguments say
    return Function(
        direct or target,
        name,
        module=module,
        signature=lambda: inspect.signature(target),
        doc=lambda: document(inspect.getdoc(target), inspect.signature(target)),
        arrays=0 if direct else arrays,
        alias=alias,
        written=written,
        brief=brief,
        most=most,
        guard=guard,
    )


def document(text, signature):
    """Complete a docstring by the parameters that mean the same everywhere.

    Parameters
    ----------
    text : str or None
        A numpydoc docstring; its section of parameters may leave out any. None where Python was
        told to drop docstrings (``-OO``).
    signature : inspect.Signature
        Gives the parameters and their order.

    Returns
    -------
    out : str or None
        The docstring with every parameter described.
    """
    if text is None:
        return None
    head, own, tail = split(text)
    lines = []
    for parameter in signature.parameters.values():
        lines += own.get(parameter.name) or describe(parameter)
    if not lines:
        return text
    return "\n".join([*head, "Parameters", "----------", *lines, "", *tail]).rstrip() + "\n"


def describe(parameter):
    """The lines on one parameter that has no text of its own."""
    kind, text = PARAMETERS[parameter.name]
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    return [f"{star}{parameter.name} : {kind}", f"    {text}"]


def split(text):
    """Divide a docstring: what precedes the parameters, each parameter's lines, what follows."""
    lines = text.splitlines()
    own = {}
    rules = [i for i, line in enumerate(lines) if line and not line.strip("-")]
    if not rules:
        return [*lines, ""], own, []
    first = rules[0] - 1
    if lines[first] != "Parameters":
        return lines[:first], own, lines[first:]
    end = rules[1] - 1 if len(rules) > 1 else len(lines)
    name = None
    for line in lines[rules[0] + 1 : end]:
        if line and not line.startswith(" "):
            name = line.split(" : ")[0].lstrip("*")
            own[name] = []
        if line and name:
            own[name].append(line)
    return lines[:first], own, lines[end:]
