"""Products, ``linalg`` and ``fft``."""

from ._forms import below, each, joined

PRODUCTS = joined(
    each(
        "dot inner",
        "np.{}(v, w)",
        "np.{}(m, v)",
        "np.{}(q, q)",
        "np.{}([1, 2], [3, 4])",
        "np.{}(m, 2.0)",
    ),
    {
        "dot": ["np.dot(q, q, out=np.zeros((3, 3)))", "np.dot(cube, m.T)", "np.dot(z, z)"],
        "matmul": [
            "np.matmul(q, q)",
            "np.matmul(m, v)",
            "np.matmul(stack, stack)",
            "np.matmul(q, q, out=np.zeros((3, 3)))",
            "np.matmul([[1, 2]], [[3], [4]])",
        ],
        "matvec": ["np.matvec(m, v)", "np.matvec(stack, [1.0, 2.0])"],
        "vecmat": ["np.vecmat(v, m.T)", "np.vecmat([1.0, 2.0], stack)"],
        "vecdot": ["np.vecdot(m, v)", "np.vecdot(z, z)", "np.vecdot(cube, cube, axis=1)"],
        "vdot": ["np.vdot(z, z)", "np.vdot(m, m)"],
        "outer": ["np.outer(v, w)", "np.outer(m, [1, 2])", "np.outer(v, w, out=np.zeros((4, 4)))"],
        "tensordot": ["np.tensordot(cube, m, axes=([2], [1]))", "np.tensordot(q, q, 1)"],
        "einsum": [
            "np.einsum('ij,j->i', m, v)",
            "np.einsum('ii', q)",
            "np.einsum('ij->ji', m)",
            "np.einsum(m, [0, 1], v, [1], [0])",
            "np.einsum('ij,jk,kl->il', q, q, q, optimize=True)",
            "np.einsum('ij->j', m, out=np.zeros(4))",
            "np.einsum('i,i->i', v, [1, 2, 3, 4], dtype=np.float32, casting='unsafe')",
        ],
        "einsum_path": ["np.einsum_path('ij,jk,kl->il', q, q, q, optimize='greedy')"],
        "cross": ["np.cross(q, [0, 1, 0])", "np.cross(v[:3], q, axisa=0)"],
        "kron": ["np.kron(v, w)", "np.kron(q, [[1, 2]])"],
        "trace": ["np.trace(m)", "np.trace(cube, 1, 1, 2)", "np.trace(i, dtype=float)"],
    },
)

LINALG = {
    "cholesky": ["np.linalg.cholesky(q)", "np.linalg.cholesky(q, upper=True)"],
    "cond": ["np.linalg.cond(q)", "np.linalg.cond(stack, p=1)"],
    "cross": ["np.linalg.cross(q, q[::-1])"],
    "det": ["np.linalg.det(q)", "np.linalg.det(stack)"],
    "diagonal": ["np.linalg.diagonal(stack)", "np.linalg.diagonal(m, offset=1)"],
    "eig": ["tuple(a.astype(complex) for a in np.linalg.eig(q))", "np.linalg.eig(zq)"],
    "eigh": ["np.linalg.eigh(q)", "np.linalg.eigh(zq, UPLO='U')"],
    "eigvals": ["np.linalg.eigvals(q).astype(complex)", "np.linalg.eigvals(zq)"],
    "eigvalsh": ["np.linalg.eigvalsh(q)"],
    "inv": ["np.linalg.inv(q)", "np.linalg.inv(stack)", "np.linalg.inv([[2, 1], [1, 1]])"],
    "lstsq": ["np.linalg.lstsq(q, v[:3])", "np.linalg.lstsq(m, q, rcond=None)"],
    "matmul": ["np.linalg.matmul(q, q)"],
    "matrix_norm": ["np.linalg.matrix_norm(stack)", "np.linalg.matrix_norm(q, ord=2)"],
    "matrix_power": ["np.linalg.matrix_power(q, 3)", "np.linalg.matrix_power(q, -1)"],
    "matrix_rank": ["np.linalg.matrix_rank(q)", "np.linalg.matrix_rank(stack)"],
    "matrix_transpose": ["np.linalg.matrix_transpose(cube)"],
    "multi_dot": [
        "np.linalg.multi_dot([q, q, v[:3]])",
        "np.linalg.multi_dot((q, q, q), out=np.zeros((3, 3)))",
    ],
    "norm": [
        "np.linalg.norm(m)",
        "np.linalg.norm(m, axis=1)",
        "np.linalg.norm(m, 'nuc')",
        "np.linalg.norm(v, ord=np.inf)",
        "np.linalg.norm(cube, ord=1, axis=(0, 2), keepdims=True)",
        "np.linalg.norm([3, 4])",
    ],
    "outer": ["np.linalg.outer(v, w)"],
    "pinv": [
        "np.round(np.linalg.pinv(i), 9)",
        "np.linalg.pinv(h)",
        "np.linalg.pinv(none)",
        "np.linalg.pinv(m, rcond=1e-12)",
        "np.linalg.pinv(stack, rtol=1e-9)",
    ],
    "qr": ["np.linalg.qr(m)", "np.linalg.qr(m, mode='r')", "np.linalg.qr(stack, 'complete')"],
    "slogdet": ["np.linalg.slogdet(q)", "np.linalg.slogdet(stack)"],
    "solve": ["np.linalg.solve(q, v[:3])", "np.linalg.solve(stack, stack)"],
    "svd": [
        "np.linalg.svd(m)",
        "np.linalg.svd(m, full_matrices=False)",
        "np.linalg.svd(m, compute_uv=False)",
    ],
    "svdvals": ["np.linalg.svdvals(m)"],
    "tensordot": ["np.linalg.tensordot(cube, m, axes=([2], [1]))"],
    "tensorinv": ["np.linalg.tensorinv(np.eye(6).reshape(2, 3, 6), ind=2)"],
    "tensorsolve": ["np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 2, 3) * 2, np.ones((2, 3)))"],
    "trace": ["np.linalg.trace(stack)", "np.linalg.trace(m, offset=1)"],
    "vecdot": ["np.linalg.vecdot(m, v)", "np.linalg.vecdot(cube, cube, axis=1)"],
    "vector_norm": ["np.linalg.vector_norm(m, axis=0)", "np.linalg.vector_norm(m, ord=1)"],
    "LinAlgError": ["issubclass(np.linalg.LinAlgError, ValueError)"],
}

FFT = joined(
    each(
        "fft ifft ihfft rfft hfft irfft",
        "np.fft.{}(v)",
        "np.fft.{}(m, 3, axis=0)",
        "np.fft.{}(v, norm='ortho')",
        "np.fft.{}(h)",
        "np.fft.{}([1.0, 2.0, 3.0])",
    ),
    each("fft ifft hfft irfft", "np.fft.{}(z)"),
    each("fft ifft", "np.fft.{}(v, out=np.zeros(4, dtype=complex))"),
    each("fft2 ifft2 rfft2 irfft2", "np.fft.{}(m)", "np.fft.{}(cube, s=(2, 2), axes=(0, 1))"),
    each("fftn ifftn rfftn irfftn", "np.fft.{}(m)", "np.fft.{}(cube, axes=(0, 2), norm='forward')"),
    each("fftshift ifftshift", "np.fft.{}(v)", "np.fft.{}(m, axes=0)"),
    each("fftfreq rfftfreq", "np.fft.{}(5)", "np.fft.{}(4, d=0.5)"),
)

CALLS = joined(PRODUCTS, below("linalg", LINALG), below("fft", FFT))
