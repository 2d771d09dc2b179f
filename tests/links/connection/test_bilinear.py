import numpy as np
import pytest

import chainer_fast
from chainer_fast import links as L
from tests import compare
from tests.functions import gradients
from tests.links.connection import checks

uniform = gradients.uniform


def test_values(device):
    np.random.seed(0)
    link = device.send(L.Bilinear(2, 3, 4))
    np.random.seed(0)
    W, V1, V2 = [checks.normal(n, *shape) for n, shape in (
        (12, (2, 3, 4)), (4, (2, 4)), (4, (3, 4)))]
    for param, value in ((link.W, W), (link.V1, V1), (link.V2, V2)):
        compare.assert_array_equal(param.array, value)
    assert (link.in_sizes, link.nobias) == ((2, 3), False)
    link.b.array[...] = device.xp.arange(4)
    x, z = uniform((5, 2), 1, 'f'), uniform((5, 3, 1), 2, 'f')
    expected = (np.einsum('nj,nk,jkl->nl', x, z[..., 0], W)
                + x @ V1 + z[..., 0] @ V2 + np.arange(4))
    compare.assert_allclose(
        link(device.send(x), device.send(z)).array, expected, 1e-4, 1e-5)


def test_products_alone(device):
    link = device.send(L.Bilinear(2, 3, 4, True, initialW=1))
    assert [name for name, _ in link.namedparams()] == ['/W']
    y = link(device.send(np.ones((1, 2), 'f')), device.send(np.ones((1, 3), 'f')))
    compare.assert_array_equal(y.array, np.full((1, 4), 6))


def test_initial_values():
    W, V1, V2, b = [uniform(s, 0, 'f') for s in ((2, 3, 4), (2, 4), (3, 4), (4,))]
    link = L.Bilinear(2, 3, 4, False, W, (V1, V2, b))
    for name, value in (('W', W), ('V1', V1), ('V2', V2), ('b', b)):
        compare.assert_array_equal(getattr(link, name).array, value)
    for values in (W[..., :3], None), (W, (V2, V2, b)), (W, (V1, V1, b)), (
            W, (V1, V2, b[1:])):
        with pytest.raises(AssertionError, match='must have the shape'):
            L.Bilinear(2, 3, 4, False, *values)
    with pytest.raises(ValueError, match='tuple'):
        L.Bilinear(2, 3, 4, initial_bias=[V1, V2, b])
    with pytest.raises(ValueError):
        L.Bilinear(2, 3, 4, initial_bias=(V1, V2))
    with pytest.raises(TypeError):
        L.Bilinear(None, 3, 4)


@pytest.mark.parametrize('nobias', [True, False])
def test_gradients_and_snapshot(device, nobias):
    x, z = uniform((3, 2), 1), uniform((3, 3), 2)
    checks.check_gradients(device, lambda: L.Bilinear(2, 3, 4, nobias), x, z)
    checks.check_snapshot(
        device, lambda: L.Bilinear(2, 3, 4, nobias), x.astype('f'), z.astype('f'))


def test_gradients_of_zeros():
    link = L.Bilinear(2, 3, 4)
    with pytest.warns(DeprecationWarning):
        link.zero_grads()
    for param in link.params():
        compare.assert_array_equal(param.grad, np.zeros(param.shape))


def test_dtypes():
    with chainer_fast.using_config('dtype', np.dtype('d')):
        assert {p.dtype for p in L.Bilinear(2, 3, 4).params()} == {np.dtype('d')}
