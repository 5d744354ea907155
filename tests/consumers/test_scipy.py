"""SciPy with ``SCIPY_ARRAY_API=1``: Arrays in, Arrays out, in shared memory, NumPy's values."""

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.spatial.transform
import scipy.special

import sharedarray as xp

from .common import check
from .scipy_calls import CALLS, QUATERNIONS, V

# What SciPy itself says it does for NumPy alone: it takes Arrays, and gives NumPy's.
NUMPY_ONLY = ("signal.welch", "integrate.simpson")


@pytest.mark.parametrize("name", NUMPY_ONLY)
def test_call_of_what_is_for_numpy_alone(name):
    got, want = CALLS[name](xp.asarray), CALLS[name](np.asarray)
    assert type(got) is type(want)
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("name", sorted(CALLS.keys() - set(NUMPY_ONLY)))
def test_call(name):
    got, want = CALLS[name](xp.asarray), CALLS[name](np.asarray)
    check(got, want, rtol=1e-9, atol=1e-9, where=name)


def test_input_is_left_alone():
    x = xp.asarray(V)
    scipy.special.erf(x)
    assert x.tolist() == V.tolist()


def test_callbacks_of_optimize_and_integrate():
    """Those that work on NumPy's arrays inside take Arrays to start from, and results of them."""
    start = xp.asarray([3.0, -2.0])
    found = scipy.optimize.minimize(lambda p: xp.sum((xp.asarray(p) - 1.0) ** 2), start)
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-5)
    fitted, _ = scipy.optimize.curve_fit(
        lambda x, a, b: a * x + b, xp.arange(5.0), xp.arange(5.0) * 2 + 1
    )
    np.testing.assert_allclose(fitted, [2.0, 1.0], atol=1e-6)
    solved = scipy.integrate.solve_ivp(lambda t, y: -xp.asarray(y), (0, 1), xp.ones(2))
    np.testing.assert_allclose(solved.y[:, -1], np.exp(-1.0), rtol=1e-3)
    assert abs(scipy.optimize.brentq(lambda x: xp.asarray(x) ** 2 - 2, 0, 2) - 2**0.5) < 1e-9


def test_a_rotation_travels(worker):
    """A Rotation keeps Arrays, and goes to another process with them."""
    turn = scipy.spatial.transform.Rotation.from_quat(xp.asarray(QUATERNIONS))
    got = worker.get("turn.as_matrix()", turn=turn)
    check(got, scipy.spatial.transform.Rotation.from_quat(QUATERNIONS).as_matrix())
