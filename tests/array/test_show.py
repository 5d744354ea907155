"""What Arrays look like."""

import numpy as np
import pytest

import sharedarray as xp


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: xp.asarray([1.0, 2.0]), "Array([1., 2.], dtype=float64, device='cpu', shared)"),
        (lambda: xp.asarray(3), "Array(3, dtype=int64, device='cpu', shared)"),
        (lambda: xp.zeros((0, 3)), "Array([], shape=(0, 3), dtype=float64, device='cpu', shared)"),
        (lambda: xp.zeros(0, dtype=xp.int8), "Array([], dtype=int8, device='cpu', shared)"),
        (
            lambda: xp.asarray([[1, 2], [3, 4]]),
            "Array([[1, 2],\n       [3, 4]], dtype=int64, device='cpu', shared)",
        ),
        (lambda: xp.asarray([True]), "Array([ True], dtype=bool, device='cpu', shared)"),
        (lambda: xp.asarray([1 + 2j]), "Array([1.+2.j], dtype=complex128, device='cpu', shared)"),
        (
            lambda: xp.asarray(np.array(["ab"]), dtype="U2"),
            "Array(['ab'], dtype=<U2, device='cpu', shared)",
        ),
        (lambda: xp.asarray(np.array([1], ">i4")), "Array([1], dtype=>i4, device='cpu', shared)"),
        (
            lambda: xp.ones(5000),
            "Array([1., 1., 1., ..., 1., 1., 1.],\n      shape=(5000,), dtype=float64, "
            "device='cpu', shared)",
        ),
    ],
)
def test_repr(make, text):
    """As NumPy's, with dtype, device and kind of memory."""
    assert repr(make()) == text


def test_repr_tells_the_kind_of_memory(mode):
    """``shared`` or ``private``."""
    assert repr(xp.ones(1)) == f"Array([1.], dtype=float64, device='cpu', {mode})"
    assert mode in xp.ones(1)._repr_html_()


def test_long_lines_are_broken():
    """No line is longer than NumPy's line width."""
    for n in range(1, 60):
        lines = repr(xp.arange(n, dtype=xp.float64)).splitlines()
        assert max(map(len, lines)) <= 75
        first = repr(np.arange(n, dtype=float)).splitlines()[0]
        assert lines[0][6:].startswith(first[6:].rstrip(")"))


def test_print_options_are_obeyed():
    """NumPy's options, the formatter among them."""
    x = xp.asarray([1.23456])
    with np.printoptions(precision=2):
        assert repr(x).startswith("Array([1.23]")
        assert str(x) == "[1.23]"
    with np.printoptions(formatter={"float": "{:.1f}!".format}):
        assert str(x) == "[1.2!]"


@pytest.mark.parametrize("a", [np.arange(3.0), np.asarray(2.5), np.arange(6).reshape(2, 3)])
def test_str_is_numpys(a):
    """``print(x)`` shows what NumPy shows."""
    assert str(xp.asarray(a)) == str(a)
    assert f"{xp.asarray(a)}" == f"{a}"


def test_html():
    """A table above the elements; text is escaped."""
    text = xp.asarray(np.array(["<b>"]), dtype="U3")._repr_html_()
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "12 B" in text
    assert "4 KiB" in xp.zeros(512)._repr_html_()
    assert "(1, 512)" in xp.zeros((1, 512))._repr_html_()
