"""Elementwise functions: a table of NumPy's ufuncs under the standard's names.

Real names, signatures and docstrings are made from one line each; those that are no ufuncs
stand in `_parts`.
"""

import inspect

import numpy as np

from ._dispatch import Function

_EXTRA = (
    "out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, "
    "signature=None"
)
_UFUNC_PARAMETERS = """\
out : Array or tuple of Array, optional
    Where the result is written; this very object is returned.
where : Array of bool, optional
    Elements to compute; others keep what `out` holds.
casting, order, dtype, subok, signature : optional
    As for NumPy's ufuncs.
"""
_ONE = """\
x : Array
    Input array{kinds}.
"""
_TWO = """\
x1 : Array or scalar
    First input{kinds}.
x2 : Array or scalar
    Second input{kinds}; broadcast against `x1`.
"""
_DOC = """\
{summary}

Parameters
----------
{inputs}{extra}
Returns
-------
out : Array
    {result}

Raises
------
TypeError
    If NumPy has no loop for the data types given.
ValueError
    If the shapes cannot be broadcast, or the arrays lie on different devices.

Examples
--------
>>> import sharedarray as xp
{example}
"""
_KINDS = {
    "any": "",
    "numeric": " of numbers",
    "real": " of real numbers",
    "float": " of floating-point numbers",
    "bool": " of booleans",
    "bits": " of integers or booleans",
    "int": " of integers",
}


def _signature(text):
    """The signature that a parameter list describes."""
    scope = {}
    exec(f"def f({text}): 'Takes parameters.'", scope)
    return inspect.signature(scope["f"])


def ufunc(name, target, inputs, doc, axis=False):
    """Make a function of the namespace of a ufunc of NumPy.

    Parameters
    ----------
    name : str
        The name.
    target : numpy.ufunc
        NumPy's ufunc.
    inputs : str
        The parameters before those that all ufuncs share.
    doc : str or callable
        The docstring, with ``{extra}`` where those are described; or what gives it.
    axis : bool, optional
        Whether there is a parameter `axis`, for generalised ufuncs.

    Returns
    -------
    out : Function
        The function of the namespace.
    """
    extra = _EXTRA + ", axis=-1" if axis else _EXTRA

    def document():
        text = doc() if callable(doc) else doc
        return text.format(extra=_UFUNC_PARAMETERS)

    return Function(target, name, signature=lambda: _signature(f"{inputs}, {extra}"), doc=document)


def _entry(name, target, kinds, summary, result, call, shown):
    """One elementwise function."""
    first = _ONE if target.nin == 1 else _TWO

    def doc():
        return _DOC.format(
            summary=summary,
            inputs=first.format(kinds=_KINDS[kinds]),
            result=result,
            extra="{extra}",
            example=f">>> print(xp.{name}({call}))\n{shown}",
        )

    return ufunc(name, target, "x, /" if target.nin == 1 else "x1, x2, /", doc)


_HALF = "xp.asarray([0.0, 0.5])"
_ANGLES = "xp.asarray([0.0, xp.pi / 2])"
_MIXED = "xp.asarray([-1.5, 0.5, 2.5])"
_INTS = "xp.asarray([1, 2, 3])"
_BOOLS = "xp.asarray([True, False])"

# fmt: off
abs_ = _entry(
    "abs", np.absolute, "numeric", "Compute the absolute value of each element.",
    "The absolute values; real for complex input.", _MIXED,
    "[1.5 0.5 2.5]")
acos = _entry(
    "acos", np.arccos, "float", "Compute the inverse cosine of each element.",
    "The angles, in radians.", _HALF,
    "[1.57079633 1.04719755]")
acosh = _entry(
    "acosh", np.arccosh, "float", "Compute the inverse hyperbolic cosine of each element.",
    "The inverse hyperbolic cosines.", "xp.asarray([1.0, 2.0])",
    "[0.        1.3169579]")
add = _entry(
    "add", np.add, "numeric", "Add two arrays element by element.",
    "The sums.", f"{_INTS}, 10",
    "[11 12 13]")
asin = _entry(
    "asin", np.arcsin, "float", "Compute the inverse sine of each element.",
    "The angles, in radians.", _HALF,
    "[0.         0.52359878]")
asinh = _entry(
    "asinh", np.arcsinh, "float", "Compute the inverse hyperbolic sine of each element.",
    "The inverse hyperbolic sines.", _HALF,
    "[0.         0.48121183]")
atan = _entry(
    "atan", np.arctan, "float", "Compute the inverse tangent of each element.",
    "The angles, in radians.", _HALF,
    "[0.         0.46364761]")
atan2 = _entry(
    "atan2", np.arctan2, "real", "Compute the angle of each point (x2, x1).",
    "The angles, in radians, from -pi to pi.", f"{_HALF}, 1.0",
    "[0.         0.46364761]")
atanh = _entry(
    "atanh", np.arctanh, "float", "Compute the inverse hyperbolic tangent of each element.",
    "The inverse hyperbolic tangents.", _HALF,
    "[0.         0.54930614]")
bitwise_and = _entry(
    "bitwise_and", np.bitwise_and, "bits", "Compute the bitwise AND of each pair of elements.",
    "The bits set in both.", f"{_INTS}, 2",
    "[0 2 2]")
bitwise_invert = _entry(
    "bitwise_invert", np.invert, "bits", "Invert the bits of each element.",
    "The inverted bits.", _INTS,
    "[-2 -3 -4]")
bitwise_left_shift = _entry(
    "bitwise_left_shift", np.left_shift, "int", "Shift the bits of each element to the left.",
    "The first input times two to the power of the second.", f"{_INTS}, 2",
    "[ 4  8 12]")
bitwise_or = _entry(
    "bitwise_or", np.bitwise_or, "bits", "Compute the bitwise OR of each pair of elements.",
    "The bits set in either.", f"{_INTS}, 4",
    "[5 6 7]")
bitwise_right_shift = _entry(
    "bitwise_right_shift", np.right_shift, "int", "Shift the bits of each element to the right.",
    "The first input divided by two to the power of the second.", f"{_INTS}, 1",
    "[0 1 1]")
bitwise_xor = _entry(
    "bitwise_xor", np.bitwise_xor, "bits", "Compute the bitwise exclusive OR of each pair.",
    "The bits set in just one.", f"{_INTS}, 1",
    "[0 3 2]")
ceil = _entry(
    "ceil", np.ceil, "real", "Round each element up to an integer.",
    "The least integers that are not less, in the input's data type.", _MIXED,
    "[-1.  1.  3.]")
conj = _entry(
    "conj", np.conjugate, "numeric", "Compute the complex conjugate of each element.",
    "The conjugates.", "xp.asarray([1 + 2j, 3j])",
    "[1.-2.j 0.-3.j]")
copysign = _entry(
    "copysign", np.copysign, "real", "Give each element of the first input the sign of the second.",
    "Magnitudes of the first with signs of the second.", f"{_HALF}, -1.0",
    "[-0.  -0.5]")
cos = _entry(
    "cos", np.cos, "float", "Compute the cosine of each element, in radians.",
    "The cosines.", _HALF,
    "[1.         0.87758256]")
cosh = _entry(
    "cosh", np.cosh, "float", "Compute the hyperbolic cosine of each element.",
    "The hyperbolic cosines.", _HALF,
    "[1.         1.12762597]")
divide = _entry(
    "divide", np.divide, "numeric", "Divide element by element.",
    "The quotients, floating-point.", f"{_INTS}, 2",
    "[0.5 1.  1.5]")
equal = _entry(
    "equal", np.equal, "any", "Tell where two arrays are equal.",
    "True where the elements are equal.", f"{_INTS}, 2",
    "[False  True False]")
exp = _entry(
    "exp", np.exp, "float", "Compute the exponential of each element.",
    "The exponentials.", _HALF,
    "[1.         1.64872127]")
expm1 = _entry(
    "expm1", np.expm1, "float", "Compute ``exp(x) - 1``, precise also near zero.",
    "The exponentials minus one.", _HALF,
    "[0.         0.64872127]")
floor = _entry(
    "floor", np.floor, "real", "Round each element down to an integer.",
    "The greatest integers that are not greater, in the input's type.", _MIXED,
    "[-2.  0.  2.]")
floor_divide = _entry(
    "floor_divide", np.floor_divide, "real", "Divide element by element and round down.",
    "The quotients, rounded down.", f"{_INTS}, 2",
    "[0 1 1]")
greater = _entry(
    "greater", np.greater, "real", "Tell where the first input is greater.",
    "True where ``x1 > x2``.", f"{_INTS}, 2",
    "[False False  True]")
greater_equal = _entry(
    "greater_equal", np.greater_equal, "real", "Tell where the first input is greater or equal.",
    "True where ``x1 >= x2``.", f"{_INTS}, 2",
    "[False  True  True]")
hypot = _entry(
    "hypot", np.hypot, "real", "Compute the hypotenuse of right triangles.",
    "The roots of the sums of squares.", f"{_MIXED}, 2.0",
    "[2.5        2.06155281 3.20156212]")
isfinite = _entry(
    "isfinite", np.isfinite, "numeric", "Tell which elements are finite.",
    "True for elements that are neither infinite nor NaN.", "xp.asarray([1.0, xp.inf])",
    "[ True False]")
isinf = _entry(
    "isinf", np.isinf, "numeric", "Tell which elements are infinite.",
    "True for elements that are plus or minus infinity.", "xp.asarray([1.0, xp.inf])",
    "[False  True]")
isnan = _entry(
    "isnan", np.isnan, "numeric", "Tell which elements are NaN.",
    "True for elements that are not a number.", "xp.asarray([1.0, xp.nan])",
    "[False  True]")
less = _entry(
    "less", np.less, "real", "Tell where the first input is less.",
    "True where ``x1 < x2``.", f"{_INTS}, 2",
    "[ True False False]")
less_equal = _entry(
    "less_equal", np.less_equal, "real", "Tell where the first input is less or equal.",
    "True where ``x1 <= x2``.", f"{_INTS}, 2",
    "[ True  True False]")
log = _entry(
    "log", np.log, "float", "Compute the natural logarithm of each element.",
    "The natural logarithms.", "xp.asarray([1.0, 2.0])",
    "[0.         0.69314718]")
log10 = _entry(
    "log10", np.log10, "float", "Compute the base-10 logarithm of each element.",
    "The base-10 logarithms.", "xp.asarray([1.0, 100.0])",
    "[0. 2.]")
log1p = _entry(
    "log1p", np.log1p, "float", "Compute ``log(1 + x)``, precise also near zero.",
    "The natural logarithms of one plus the input.", _HALF,
    "[0.         0.40546511]")
log2 = _entry(
    "log2", np.log2, "float", "Compute the base-2 logarithm of each element.",
    "The base-2 logarithms.", "xp.asarray([1.0, 8.0])",
    "[0. 3.]")
logaddexp = _entry(
    "logaddexp", np.logaddexp, "real", "Compute ``log(exp(x1) + exp(x2))`` without overflow.",
    "The logarithms of the sums of exponentials.", f"{_HALF}, 0.0",
    "[0.69314718 0.97407698]")
logical_and = _entry(
    "logical_and", np.logical_and, "bool", "Compute the logical AND of each pair of elements.",
    "True where both are true.", f"{_BOOLS}, True",
    "[ True False]")
logical_not = _entry(
    "logical_not", np.logical_not, "bool", "Compute the logical NOT of each element.",
    "True where the input is false.", _BOOLS,
    "[False  True]")
logical_or = _entry(
    "logical_or", np.logical_or, "bool", "Compute the logical OR of each pair of elements.",
    "True where either is true.", f"{_BOOLS}, True",
    "[ True  True]")
logical_xor = _entry(
    "logical_xor", np.logical_xor, "bool", "Compute the logical exclusive OR of each pair.",
    "True where just one is true.", f"{_BOOLS}, True",
    "[False  True]")
maximum = _entry(
    "maximum", np.maximum, "real", "Take the greater of each pair of elements; NaN if either is.",
    "The greater elements.", f"{_MIXED}, 0.0",
    "[0.  0.5 2.5]")
minimum = _entry(
    "minimum", np.minimum, "real", "Take the lesser of each pair of elements; NaN if either is.",
    "The lesser elements.", f"{_MIXED}, 0.0",
    "[-1.5  0.   0. ]")
multiply = _entry(
    "multiply", np.multiply, "numeric", "Multiply element by element.",
    "The products.", f"{_INTS}, 2",
    "[2 4 6]")
negative = _entry(
    "negative", np.negative, "numeric", "Change the sign of each element.",
    "The negated elements.", _INTS,
    "[-1 -2 -3]")
nextafter = _entry(
    "nextafter", np.nextafter, "float", "Take the next number towards the second input.",
    "The neighbours of `x1` in the direction of `x2`.", "xp.asarray([0.0]), 1.0",
    "[5.e-324]")
not_equal = _entry(
    "not_equal", np.not_equal, "any", "Tell where two arrays differ.",
    "True where the elements are not equal.", f"{_INTS}, 2",
    "[ True False  True]")
positive = _entry(
    "positive", np.positive, "numeric", "Copy each element: the unary plus.",
    "A copy of the input.", _INTS,
    "[1 2 3]")
pow_ = _entry(
    "pow", np.power, "numeric", "Raise each element to a power.",
    "``x1`` to the power of ``x2``.", f"{_INTS}, 2",
    "[1 4 9]")
reciprocal = _entry(
    "reciprocal", np.reciprocal, "float", "Compute one divided by each element.",
    "The reciprocals.", "xp.asarray([1.0, 4.0])",
    "[1.   0.25]")
remainder = _entry(
    "remainder", np.remainder, "real", "Compute the remainder of a division that is rounded down.",
    "The remainders, with the sign of `x2`.", f"{_INTS}, 2",
    "[1 0 1]")
sign = _entry(
    "sign", np.sign, "numeric", "Tell the sign of each element.",
    "-1, 0 or 1; for complex input ``x / abs(x)``, or 0; NaN stays.", _MIXED,
    "[-1.  1.  1.]")
signbit = _entry(
    "signbit", np.signbit, "float", "Tell which elements have their sign bit set, as -0.0 has.",
    "True where the sign bit is set.", "xp.asarray([-0.0, 0.0])",
    "[ True False]")
sin = _entry(
    "sin", np.sin, "float", "Compute the sine of each element, in radians.",
    "The sines.", _ANGLES,
    "[0. 1.]")
sinh = _entry(
    "sinh", np.sinh, "float", "Compute the hyperbolic sine of each element.",
    "The hyperbolic sines.", _HALF,
    "[0.         0.52109531]")
sqrt = _entry(
    "sqrt", np.sqrt, "float", "Compute the square root of each element.",
    "The square roots; NaN for negative real input.", "xp.asarray([4.0, 9.0])",
    "[2. 3.]")
square = _entry(
    "square", np.square, "numeric", "Multiply each element by itself.",
    "The squares.", _INTS,
    "[1 4 9]")
subtract = _entry(
    "subtract", np.subtract, "numeric", "Subtract element by element.",
    "The differences.", f"{_INTS}, 1",
    "[0 1 2]")
tan = _entry(
    "tan", np.tan, "float", "Compute the tangent of each element, in radians.",
    "The tangents.", _HALF,
    "[0.         0.54630249]")
tanh = _entry(
    "tanh", np.tanh, "float", "Compute the hyperbolic tangent of each element.",
    "The hyperbolic tangents.", _HALF,
    "[0.         0.46211716]")
trunc = _entry(
    "trunc", np.trunc, "real", "Round each element towards zero.",
    "The nearest integers not further from zero, in the input's type.", _MIXED,
    "[-1.  0.  2.]")
