"""Products of many matrices on a GPU."""
import numpy as np
import pytest

from chainer_fast import testing
from chainer_fast.backends import _cublas, cuda
from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import ndarray

pytestmark = pytest.mark.gpu

LAYOUTS = {
    'plain': lambda a: a,
    'transposed': lambda a: cuda.cupy.ascontiguousarray(
        a.swapaxes(1, 2)).swapaxes(1, 2),
    'broadcast': lambda a: cuda.cupy.broadcast_to(a[:1], a.shape),
    'part of rows': lambda a: cuda.cupy.concatenate([a, a], axis=2)[:, :, :a.shape[2]],
    'batch inside': lambda a: cuda.cupy.ascontiguousarray(
        a.transpose(1, 0, 2)).transpose(1, 0, 2),
    'scattered': lambda a: cuda.cupy.repeat(
        cuda.cupy.repeat(a, 2, axis=2), 2, axis=1)[:, ::2, ::2],
    'backward': lambda a: cuda.cupy.ascontiguousarray(a[::-1])[::-1],
}


@pytest.mark.parametrize('left', LAYOUTS)
@pytest.mark.parametrize('right', LAYOUTS)
@pytest.mark.parametrize('dtypes, shape', [
    ('ff', (3, 4, 5, 2)), ('ee', (2, 3, 7, 4)), ('ef', (2, 1, 3, 4)),
    ('dd', (1, 4, 1, 3)), ('ff', (3, 2, 4, 1)), ('ff', (2, 1, 1, 1))])
def test_multiply(left, right, dtypes, shape):
    batch, m, k, n = shape
    random = np.random.RandomState(0)
    a, b = [LAYOUTS[how](cuda.to_gpu(random.uniform(-1, 1, shape).astype(dtypes[0])))
            for how, shape in ((left, (batch, m, k)), (right, (batch, k, n)))]
    out = cuda.cupy.empty((batch, m, n), dtypes[1])
    with ledger.record() as counts:
        _cublas.multiply(a, b, out)
    if cuda.ndarray is ndarray and not {left, right} & {'scattered', 'backward'}:
        assert counts.launches == ['gemmStridedBatchedEx']
    tolerance = 2e-3 if 'e' in dtypes else 1e-6
    testing.assert_allclose(
        out, np.matmul(a.get().astype('d'), b.get().astype('d')), tolerance, tolerance)


def test_no_sums():
    out = cuda.cupy.ones((2, 3, 4), 'f')
    _cublas.multiply(
        cuda.cupy.ones((2, 3, 0), 'f'), cuda.cupy.ones((2, 0, 4), 'f'), out)
    testing.assert_allclose(out, np.zeros((2, 3, 4)))


@pytest.mark.skipif(cuda.ndarray is not ndarray, reason='calls the stand-in')
@pytest.mark.parametrize('value, compute', [(None, 68), ('0', 68), ('1', 77)])
def test_tf32_is_cupys_switch(monkeypatch, value, compute):
    if value is None:
        monkeypatch.delenv('CUPY_TF32', raising=False)
    else:
        monkeypatch.setenv('CUPY_TF32', value)
    used = []
    monkeypatch.setattr(cuda.cupy.cuda.cublas, 'gemmStridedBatchedEx',
                        lambda *args: used.append(args[-2]))
    ones = cuda.cupy.ones((1, 2, 2), 'f')
    _cublas.multiply(ones, ones, cuda.cupy.empty((1, 2, 2), 'f'))
    assert used == [compute]
