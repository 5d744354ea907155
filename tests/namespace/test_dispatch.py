"""What the dispatch makes of arguments and results."""

import concurrent.futures
import os
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest

import sharedarray as xp

X = xp.asarray([[1.0, 2.0], [3.0, 4.0]])


def test_out_gives_back_the_object_that_was_passed():
    out = xp.empty((2, 2))
    assert xp.add(X, X, out=out) is out
    assert xp.add(X, X, out) is out
    assert xp.add(X, X, out=(out,)) is out
    assert xp.sum(X, 0, out=out[0]).tolist() == [4.0, 6.0]
    assert xp.sum(X, 0, None, row := xp.empty(2)) is row
    assert xp.concat([X, X], out=(wide := xp.empty((4, 2)))) is wide
    assert xp.matmul(X, X, out=out) is out
    assert xp.clip(X, 0.0, 1.0, out) is out
    assert xp.einsum("ij->ji", X, out=None).shape == (2, 2)


def test_out_may_be_a_numpy_array():
    plain = np.empty((2, 2))
    assert xp.add(X, X, out=plain) is plain
    assert xp.add(X, X, plain) is plain
    assert xp.stack([X[0], X[1]], out=plain) is plain
    assert plain.tolist() == X.tolist()


def test_two_outputs():
    a, b = xp.empty(2), xp.empty(2)
    got = xp.divmod(xp.asarray([7.0, 8.0]), 3.0, out=(a, b))
    assert got[0] is a
    assert got[1] is b
    assert [v.tolist() for v in got] == [[2.0, 2.0], [1.0, 2.0]]


def test_where_and_dtype_keywords():
    out = xp.zeros(3)
    xp.add(xp.ones(3), 1, out=out, where=xp.asarray([True, False, True]))
    assert out.tolist() == [2.0, 0.0, 2.0]
    assert xp.sum(X, where=X > 2.0).item() == 7.0
    assert xp.add(xp.asarray([1]), 1, dtype=xp.float32).dtype == xp.float32


def test_an_input_that_comes_back_is_the_same_object():
    assert xp.asarray(X) is X
    assert xp.atleast_1d(X) is X
    assert xp.astype(X, xp.float64, copy=False) is X
    assert xp.ascontiguousarray(X) is X


def test_views_stay_views():
    view = xp.reshape(X, (4,))
    assert view.storage() is X.storage()
    for result in (
        xp.flip(X),
        xp.permute_dims(X, (1, 0)),
        xp.expand_dims(X, 0),
        xp.real(X),
        xp.broadcast_to(X, (3, 2, 2)),
        *xp.unstack(X),
        *xp.broadcast_arrays(X, X),
        xp.linalg.diagonal(X),
        xp.squeeze(X[None], 0),
    ):
        assert xp.shares_memory(result, X)
        assert result.is_shared()


def test_views_of_private_and_borrowed_arrays_stay_views():
    with xp.memory("private"):
        private = xp.zeros((2, 2))
    borrowed = xp.asarray(np.zeros((2, 2)), copy=False)
    for x in (private, borrowed):
        for view in (
            xp.reshape(x, (4,)),
            xp.flip(x),
            xp.unstack(x)[0],
            xp.broadcast_arrays(x, x)[0],
        ):
            assert not view.is_shared()
            assert xp.shares_memory(view, x)
        flat = xp.reshape(x, (4,))
        x.share_memory_()
        flat[0] = 5.0
        assert x[0, 0].item() == 5.0
        assert xp.add(x, 1).is_shared()


def test_numpy_arrays_are_never_aliased():
    plain = np.zeros(4)
    for result in (
        xp.reshape(plain, (2, 2)),
        xp.asarray(plain),
        xp.atleast_1d(plain),
        xp.broadcast_arrays(plain, plain)[0],
        xp.asanyarray(plain),
        xp.flip(plain),
    ):
        assert isinstance(result, xp.Array)
        assert result.is_shared()
        assert not xp.shares_memory(result, plain)


def test_scalars_become_0d_arrays():
    for result in (
        xp.sum(X),
        xp.add(1, 2),
        xp.max(X),
        xp.linalg.det(X),
        xp.median(X),
        xp.std(X),
        xp.count_nonzero(X),
        xp.vecdot(X[0], X[0]),
        xp.argmax(X),
    ):
        assert isinstance(result, xp.Array)
        assert result.shape == ()
        assert result.is_shared()


def test_what_is_no_array_stays_as_it_is():
    assert xp.ndim(X) == 2
    assert xp.shape(X) == (2, 2)
    assert xp.allclose(X, X) is True
    assert xp.array_equal(X, X) is True
    assert xp.result_type(X, xp.float32) == np.dtype("float64")
    assert xp.array_repr(X).startswith("array(")
    assert xp.broadcast_shapes((2, 1), (3,)) == (2, 3)


def test_containers_keep_their_kind():
    assert type(xp.nonzero(X)) is tuple
    assert type(xp.split(X, 2)) is list
    result = xp.linalg.eigh(X)
    assert type(result)._fields == ("eigenvalues", "eigenvectors")
    assert result.eigenvalues.is_shared()
    assert type(xp.unique_all(X))._fields == ("values", "indices", "inverse_indices", "counts")


def test_arguments_nested_in_containers():
    x, y = X
    assert xp.block([[x, y], [y, x]]).shape == (2, 4)
    assert xp.concat((x, np.zeros(1), [1.0])).tolist() == [1.0, 2.0, 0.0, 1.0]
    assert xp.asarray([[x[0], 5], [x[1], y[0]]]).tolist() == [[1.0, 5.0], [2.0, 3.0]]
    assert xp.select([x > 1.0, x > 0.0], [x, y], 0.0).tolist() == [3.0, 2.0]
    assert xp.lexsort((x, y)).tolist() == [0, 1]
    Pair = namedtuple("Pair", "a b")
    assert xp.concat(Pair(x, y)).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_whatever_numpy_takes():
    assert xp.sum([1, 2, 3]).item() == 6
    assert xp.sin(0.0).item() == 0.0
    assert xp.mean(np.float32(3)).item() == 3.0
    assert xp.sort([3, 1, 2]).tolist() == [1, 2, 3]
    assert xp.add([1, 2], (3, 4)).tolist() == [4, 6]
    assert xp.sum(memoryview(np.arange(3))).item() == 3
    assert xp.sum(range(4)).item() == 6


class Foreign:
    """An array of another library, which looks where its code runs."""

    def __init__(self):
        self.made = None

    def __array__(self, dtype=None, copy=None):
        self.made = np.zeros(1000)
        return np.asarray([1.0, 2.0])


def test_protocols_of_foreign_objects_run_outside_the_scope():
    foreign = Foreign()
    for call in (
        lambda: xp.sin(foreign),
        lambda: xp.sum(foreign),
        lambda: xp.concat([foreign, X[0]]),
        lambda: xp.asarray(foreign),
        lambda: xp.full(2, foreign),
    ):
        assert call().is_shared()
        assert not xp.is_shared(foreign.made)


def test_iterators_and_files_run_outside_the_scope(tmp_path):
    made = []

    def numbers():
        for i in range(3):
            made.append(np.zeros(10))
            yield float(i)

    result = xp.fromiter(numbers(), float)
    assert result.tolist() == [0.0, 1.0, 2.0]
    assert result.is_shared()
    assert not any(xp.is_shared(m) for m in made)
    with open(tmp_path / "x.npy", "wb") as file:
        xp.save(file, X)
    with open(tmp_path / "x.npy", "rb") as file:
        loaded = xp.load(file)
    assert loaded.is_shared()
    assert loaded.tolist() == X.tolist()


def callbacks():
    """Functions that take a function, and the arguments that it is given in."""
    x = xp.asarray([[3.0, 1.0], [2.0, 4.0]])
    return {
        "apply_along_axis": lambda f: xp.apply_along_axis(f, 0, x),
        "apply_over_axes": lambda f: xp.apply_over_axes(lambda a, axis: f(a), x, [0]),
        "fromfunction": lambda f: xp.fromfunction(lambda i, j: f(i), (2, 2)),
        "piecewise": lambda f: xp.piecewise(x, [x > 2.0], [f, 0.0]),
        "vectorize": lambda f: xp.vectorize(f, signature="(n)->(n)")(x),
    }


@pytest.mark.parametrize("name", sorted(callbacks()))
def test_callbacks_get_arrays_and_run_outside_the_scope(name):
    seen = []

    def callback(a):
        seen.append((a, np.zeros(1000), xp.zeros(10)))
        return a * 2.0

    result = callbacks()[name](callback)
    assert isinstance(result, xp.Array)
    assert result.is_shared()
    assert seen
    for given, plain, own in seen:
        assert isinstance(given, xp.Array)
        assert not xp.is_shared(plain)
        assert own.is_shared()


def test_functions_of_the_namespace_as_callbacks():
    assert xp.apply_along_axis(xp.sum, 0, X).tolist() == [4.0, 6.0]
    assert xp.apply_along_axis(np.sum, 0, X).tolist() == [4.0, 6.0]
    assert xp.apply_along_axis(sum, 0, X).tolist() == [4.0, 6.0]
    assert xp.piecewise(X, [X > 2.0], [xp.negative, xp.sqrt]).shape == (2, 2)


def test_callbacks_may_fail():
    def callback(a):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        xp.apply_along_axis(callback, 0, X)
    assert not xp.is_shared(np.zeros(10))


def test_scope_is_closed_again_after_an_error():
    with pytest.raises(ValueError):
        xp.add(xp.ones(2), xp.ones(3))
    with pytest.raises(ValueError):
        xp.concat([])
    assert not xp.is_shared(np.zeros(10))


def test_finalizers_run_outside_the_scope():
    program = """
import gc
import numpy as np
import sharedarray as xp
made = []
class Cycle:
    def __init__(self):
        self.me = self
    def __del__(self):
        made.append(np.zeros(100))
gc.collect()
gc.set_threshold(1)
x = xp.ones((50, 50))
for _ in range(200):
    Cycle()
    xp.linalg.norm(x, 2)
    xp.gradient(x)
gc.collect()
assert len(made) == 200
assert not any(xp.is_shared(m) for m in made)
"""
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ, timeout=120)


def test_object_arrays_are_refused():
    objects = np.array([1, None], dtype=object)
    for call in (
        lambda: xp.asarray(objects),
        lambda: xp.asarray([1, None]),
        lambda: xp.zeros(2, dtype=object),
        lambda: xp.sum([None, None]),
        lambda: xp.astype(X, object),
        lambda: xp.full(2, None),
    ):
        with pytest.raises(TypeError):
            call()


def test_ufunc_methods():
    x = xp.asarray([1, 2, 3, 4])
    assert xp.add.reduce(x).item() == 10
    assert xp.add.accumulate(x).tolist() == [1, 3, 6, 10]
    assert xp.multiply.outer(x, x).shape == (4, 4)
    assert xp.multiply.outer(x, x).is_shared()
    assert xp.add.nin == 2
    xp.add.at(x, [0, 0], 1)
    assert x.tolist() == [3, 2, 3, 4]


def test_lost_memory_has_its_figures():
    with pytest.raises(MemoryError, match="9,007,199,254,740,992 bytes"):
        xp.ones((1 << 30, 1 << 20))


def test_scopes_belong_to_their_thread():
    x = xp.ones(100_000)

    def ours():
        return all(xp.sin(x).is_shared() and xp.sum(x).is_shared() for _ in range(50))

    def plain():
        return not any(xp.is_shared(np.zeros(100)) for _ in range(500))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = [pool.submit(f) for f in (ours, plain) * 4]
    assert all(r.result() for r in results)


def test_a_private_array_may_move_while_it_is_used():
    with xp.memory("private"):
        x = xp.ones(10_000)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        sums = pool.submit(lambda: [xp.sum(x).item() for _ in range(200)])
        x.share_memory_()
    assert set(sums.result()) == {10_000.0}
