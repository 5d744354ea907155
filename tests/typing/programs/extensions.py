"""The modules `linalg`, `fft` and `random`."""

from typing import assert_type

import sharedarray as xp

a = xp.asarray([[4.0, 1.0], [1.0, 3.0]])
v = xp.asarray([1.0, 2.0])

assert_type(xp.linalg.cholesky(a, upper=True), xp.Array)
assert_type(xp.linalg.det(a), xp.Array)
assert_type(xp.linalg.eigh(a).eigenvectors, xp.Array)
assert_type(xp.linalg.eigvalsh(a, "U"), xp.Array)
q, r = xp.linalg.qr(a, mode="complete")
assert_type(q, xp.Array)
assert_type(xp.linalg.qr(a, mode="r"), xp.Array)
assert_type(xp.linalg.svd(a, full_matrices=False).S, xp.Array)
assert_type(xp.linalg.svd(a, compute_uv=False), xp.Array)
assert_type(xp.linalg.slogdet(a).logabsdet, xp.Array)
assert_type(xp.linalg.solve(a, v), xp.Array)
assert_type(xp.linalg.pinv(a, rtol=1e-6), xp.Array)
assert_type(xp.linalg.matrix_norm(a, ord="nuc"), xp.Array)
assert_type(xp.linalg.vector_norm(v, ord=float("inf")), xp.Array)
assert_type(xp.linalg.norm(a, "fro", axis=(0, 1)), xp.Array)
assert_type(xp.linalg.lstsq(a, v, rcond=None), tuple[xp.Array, xp.Array, xp.Array, xp.Array])
assert_type(xp.linalg.multi_dot([a, a, v]), xp.Array)
try:
    xp.linalg.inv(xp.zeros((2, 2)))
except xp.linalg.LinAlgError as error:
    assert_type(error, xp.linalg.LinAlgError)

assert_type(xp.fft.fft(v, n=4, norm="ortho"), xp.Array)
assert_type(xp.fft.irfftn(a, s=(2, 2), axes=(0, 1)), xp.Array)
assert_type(xp.fft.rfft2(a), xp.Array)
assert_type(xp.fft.fftfreq(4, d=0.5, dtype=xp.float32), xp.Array)
assert_type(xp.fft.fftshift(a, axes=0), xp.Array)

rng = xp.random.default_rng(1)
assert_type(rng, xp.random.Generator)
assert_type(rng.random(), float)
assert_type(rng.random(3), xp.Array)
assert_type(rng.normal(0.0, 1.0), float)
assert_type(rng.normal(v, 1.0), xp.Array)
assert_type(rng.normal(size=(2, 3)), xp.Array)
assert_type(rng.integers(10), xp.Array)
assert_type(rng.integers(0, 10, size=3, endpoint=True), xp.Array)
assert_type(rng.poisson(2.0), int)
assert_type(rng.poisson(2.0, (2, 2)), xp.Array)
assert_type(rng.choice(v, 4), xp.Array)
assert_type(rng.permutation(5), xp.Array)
assert_type(rng.bytes(3), bytes)
rng.shuffle(v)
xp.random.seed(1)
assert_type(xp.random.rand(2, 3), float | xp.Array)
assert_type(xp.random.normal(size=3), xp.Array)
assert_type(xp.random.uniform(), float)
assert_type(xp.random.randint(5), int)
assert_type(xp.random.RandomState(3).standard_normal(4), xp.Array)
assert_type(xp.random.Generator(xp.random.PCG64(3)).beta(1.0, 2.0, size=2), xp.Array)
