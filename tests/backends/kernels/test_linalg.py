"""Kernels of linear algebra."""
import pathlib
import re

import numpy as np
import pytest
import threadpoolctl

import chainer_fast
from chainer_fast.backends.kernels import linalg
from tests.compare import assert_allclose

SINGULAR = np.ones((2, 2), 'f')


@pytest.mark.parametrize('check', [False, True])
def test_inverse(device, check):
    x = np.array([[[2, 1], [1, 1]], [[0, 1], [2, 0]]], 'f')
    y = linalg.inverse(device.send(x), check)
    assert_allclose(y, linalg.inverse.reference(x, check), rtol=1e-6)


def positive(dtype, *shape):
    x = np.random.RandomState(0).uniform(-1, 1, shape).astype(dtype)
    return x @ x.swapaxes(-1, -2) + np.eye(shape[-1], dtype=dtype)


def check(kernel, x, *args):
    """Compare a compiled form with the reference in double precision."""
    compare(x, kernel.compiled(x, *args), kernel.reference(x.astype('d'), *args))


def compare(x, y, expected):
    assert y.dtype == x.dtype and y.flags.c_contiguous
    tolerance = 1e-4 if x.dtype == 'f' else 1e-11
    assert_allclose(y, expected, tolerance, tolerance)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('how', [lambda x: x, lambda x: x.swapaxes(-1, -2),
                                 lambda x: x[..., ::-1]])
def test_inverses_of_long_matrices(dtype, how):
    x = positive(dtype, 2, 70, 70)
    x[:, 0] += 1
    check(linalg.inverse, how(x), False)
    check(linalg.inverse, how(x)[0], False)


@pytest.mark.parametrize('dtype', 'fd')
def test_half_of_a_long_matrix_is_factorized(dtype):
    x = positive(dtype, 70, 70)
    check(linalg.cholesky, x)
    y = linalg.cholesky(x)
    x[np.triu_indices(70, 1)] = np.nan
    np.testing.assert_array_equal(linalg.cholesky(x), y)
    np.testing.assert_array_equal(np.triu(y, 1), 0)


@pytest.mark.parametrize('x', [
    np.eye(63), np.eye(64, dtype='e'), np.ones((64, 65)), np.eye(64, dtype='>f4'),
    np.ones(64)])
def test_other_matrices_are_left_to_numpy(x):
    assert linalg.inverse.compiled(x, False) is NotImplemented
    assert linalg.cholesky.compiled(x) is NotImplemented


@pytest.mark.parametrize('dtype', 'fd')
def test_determinants(dtype):
    x = positive(dtype, 2, 70, 70) / 20
    x[1, [0, 1]] = x[1, [1, 0]]
    y, factors = linalg.determinant.compiled(x)
    assert y.dtype == dtype and y[0] > 0 > y[1]
    assert_allclose(y, np.linalg.det(x.astype('d')), 1e-7 if dtype == 'f' else 1e-12, 0)
    for _ in range(2):
        check(linalg.inverse, x, False, factors)
    assert linalg.determinant.compiled(x[:, :63, :63]) is NotImplemented


@pytest.mark.parametrize('x', [np.zeros((1, 64, 64)), np.full((1, 64, 64), np.nan)])
def test_determinants_without_an_inverse(x):
    y, factors = linalg.determinant(x)
    np.testing.assert_array_equal(y, x[:, 0, 0])
    if not np.isnan(y):
        with pytest.raises(np.linalg.LinAlgError, match='Singular matrix'):
            linalg.inverse(x, False, factors)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('n', [64, 65, 130, 200])
def test_inverses_of_lower_matrices(n, dtype):
    x = np.linalg.cholesky(positive(dtype, n, n))
    y = linalg.inverse_of_lower(x)
    compare(x, y, np.linalg.inv(x.astype('d')))
    np.testing.assert_array_equal(np.triu(y, 1), 0)
    x[np.triu_indices(n, 1)] = np.nan
    np.testing.assert_array_equal(linalg.inverse_of_lower(x), y)
    x[-1, -1] = 0
    with pytest.raises(np.linalg.LinAlgError, match='Singular matrix'):
        linalg.inverse_of_lower(x)


def test_factors_do_not_depend_on_the_number_of_threads():
    x = positive('f', 300, 300) / 80
    kernels = [lambda x: linalg.inverse(x, False), linalg.cholesky,
               lambda x: linalg.determinant(x)[0], linalg.inverse_of_lower]
    with threadpoolctl.threadpool_limits(1):
        expected = [kernel(x) for kernel in kernels]
    with threadpoolctl.threadpool_limits(2):
        for kernel, y in zip(kernels, expected, strict=True):
            np.testing.assert_array_equal(kernel(x), y)


@pytest.mark.parametrize('n', [2, 64])
def test_no_factor_in_host_memory(n):
    with pytest.raises(np.linalg.LinAlgError, match='Matrix is not positive definite'):
        linalg.cholesky(-np.eye(n))


@pytest.mark.parametrize('check', [False, True])
@pytest.mark.parametrize('n', [2, 64])
def test_no_inverse_in_host_memory(check, n):
    with pytest.raises(np.linalg.LinAlgError, match='Singular matrix'):
        linalg.inverse(np.ones((n, n), 'f'), check)


@pytest.mark.gpu
def test_no_inverse_on_a_gpu(device):
    x = device.send(SINGULAR)
    assert not np.isfinite(linalg.inverse(x, False).get()).all()
    with pytest.raises(np.linalg.LinAlgError):
        linalg.inverse(x, True)
    with pytest.raises(np.linalg.LinAlgError):
        linalg.inverse(device.send(np.stack([np.eye(2, dtype='f'), SINGULAR])), True)


def test_call_limits_the_threads_of_lapack(monkeypatch):
    limited = []

    def without_threads(function, *arguments):
        limited.append(arguments[0].shape)
        return function(*arguments)

    monkeypatch.setattr(linalg.blas, 'without_threads', without_threads)
    shapes = [
        (63, 63), (64, 64), (3, 100, 5), (2, 511, 511), (512, 512), (512, 3), (70,)]
    for shape in shapes:
        assert linalg.call(np.add, np.ones(shape), 2).shape == shape
    assert limited == shapes[1:4]


def test_no_other_module_calls_lapack_with_all_threads():
    """Functions of matrices are called by `linalg.call`, which chooses the threads."""
    direct = re.compile(
        r'\.linalg\.(cholesky|det|eig|eigh|eigvals|eigvalsh|inv|lstsq|pinv|qr|slogdet'
        r'|solve|svd)\(')
    root = pathlib.Path(chainer_fast.__file__).parent
    found = set()
    for file in root.rglob('*.py'):
        code = re.sub(r'"""(?s:.*?)"""', '', file.read_text())
        if direct.search(code):
            found.add(file.relative_to(root).as_posix())
    # The references of kernels, for devices as well; and matrices of tests.
    assert found == {'backends/kernels/linalg/__init__.py', 'testing/matrix.py'}
