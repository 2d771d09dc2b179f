import numpy as np
import pytest

from chainer_fast import chainerx
from chainer_fast.chainerx import _running, linalg
from tests.chainerx.checks import array, check, same, uniform

pytestmark = pytest.mark.usefixtures('place')

SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 3), (3, 2), (3, 3)]


def _regular(n):
    return uniform(n, n) + 2 * np.eye(n)


def _definite(x):
    """Make an array symmetric and positive definite."""
    eye = x.device.xp.eye(x.shape[0], dtype=x.dtype)
    return _running.run(lambda v: (v + v.T) * .5 + 3 * eye, x)


@pytest.mark.parametrize('columns', [(), (1,), (2,)])
@pytest.mark.parametrize('n', [0, 1, 3])
def test_solve(n, columns):
    operands = _regular(n), uniform(n, *columns)
    same(linalg.solve, np.linalg.solve, *operands)
    check(linalg.solve, *operands)


@pytest.mark.parametrize('n', [0, 1, 3])
def test_inv_cholesky_and_eigh(n):
    same(linalg.inv, np.linalg.inv, _regular(n))
    check(linalg.inv, _regular(n))
    same(lambda a: linalg.cholesky(_definite(a)),
         lambda a: np.linalg.cholesky((a + a.T) * .5 + 3 * np.eye(n)), uniform(n, n))
    for routine in linalg.cholesky, linalg.eigh, linalg.eigvalsh:
        check(lambda a, routine=routine: routine(_definite(a)), uniform(n, n))


@pytest.mark.parametrize('half', ['L', 'u'])
@pytest.mark.parametrize('name', ['eigh', 'eigvalsh'])
def test_halves_of_symmetric_matrices(name, half):
    same(lambda a: getattr(linalg, name)(a, half),
         lambda a: getattr(np.linalg, name)(a, half.upper()), uniform(3, 3))


@pytest.mark.parametrize('shape', SHAPES)
def test_pinv(shape):
    same(linalg.pinv, np.linalg.pinv, uniform(*shape))
    check(linalg.pinv, uniform(*shape))


def test_pinv_without_small_singular_values():
    x = uniform(3, 4)
    s = np.linalg.svd(x, compute_uv=False)
    rcond = (s[1] + s[2]) / 2 / s[0]
    same(lambda a: linalg.pinv(a, rcond), lambda a: np.linalg.pinv(a, rcond), x)
    check(lambda a: linalg.pinv(a, rcond), x)


def test_pinv_of_equal_singular_values():
    check(linalg.pinv, 2 * np.eye(3))


@pytest.mark.parametrize('shape', SHAPES)
def test_svd(shape):
    x = uniform(*shape)
    for kwargs in ({'full_matrices': False}, {'compute_uv': False}):
        same(lambda a, kwargs=kwargs: linalg.svd(a, **kwargs),
             lambda a, kwargs=kwargs: np.linalg.svd(a, **kwargs), x)
        check(lambda a, kwargs=kwargs: linalg.svd(a, **kwargs), x)
    same(linalg.svd, np.linalg.svd, x)
    if shape[0] == shape[1]:
        check(linalg.svd, x)


@pytest.mark.parametrize('mode', ['reduced', 'complete', 'r', 'raw'])
@pytest.mark.parametrize('shape', SHAPES)
def test_qr(shape, mode):
    x = uniform(*shape)
    same(lambda a: linalg.qr(a, mode), lambda a: np.linalg.qr(a, mode), x)
    if mode in ('reduced', 'r') or mode == 'complete' and shape[0] <= shape[1]:
        check(lambda a: linalg.qr(a, mode), x)


@pytest.mark.parametrize('routine', [
    linalg.svd, lambda a: linalg.qr(a, 'complete'), lambda a: linalg.qr(a, 'raw')])
def test_what_cannot_be_differentiated_says_so(routine):
    outputs = routine(array(uniform(3, 2)).require_grad())
    with pytest.raises(chainerx.NotImplementedError, match='no gradient'):
        chainerx.backward([outputs[0]])


@pytest.mark.parametrize('routine', [
    linalg.solve, linalg.inv, linalg.pinv, linalg.svd, linalg.qr, linalg.cholesky,
    linalg.eigh, linalg.eigvalsh])
def test_shapes_and_dtypes(routine):
    operands = [np.eye(3)] * (2 if routine is linalg.solve else 1)
    for dtype in 'float16', 'int32':
        with pytest.raises(chainerx.DtypeError):
            routine(*[array(x.astype(dtype)) for x in operands])
    with pytest.raises(chainerx.DimensionError):
        routine(*[array(x[0]) for x in operands])
    if routine not in (linalg.pinv, linalg.svd, linalg.qr):
        with pytest.raises(chainerx.DimensionError):
            routine(*[array(x[:2]) for x in operands])


@pytest.mark.parametrize('connected', [False, True])
def test_singular_matrices(connected):
    x = array(np.array([[1., -2.], [-2., 1.]]) if connected else -np.eye(2))
    singular = array(np.ones((2, 2)))
    if connected:
        x.require_grad()
        singular.require_grad()
    with pytest.raises(chainerx.ChainerxError):
        linalg.cholesky(x)
    with pytest.raises(chainerx.ChainerxError):
        linalg.inv(singular)
    with pytest.raises(chainerx.ChainerxError):
        linalg.solve(singular, x)


def test_arguments():
    x = array(np.eye(2))
    with pytest.raises(ValueError, match='mode'):
        linalg.qr(x, 'full')
    for routine in linalg.eigh, linalg.eigvalsh:
        with pytest.raises(TypeError):
            routine(x, None)
        with pytest.raises(ValueError, match='UPLO'):
            routine(x, 'lower')
        with pytest.raises(chainerx.ChainerxError):
            routine(x, 'A')
