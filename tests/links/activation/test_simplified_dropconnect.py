import numpy as np
import pytest

import chainer_fast
from chainer_fast import links as L
from chainer_fast.utils import type_check
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients
from tests.links.connection import checks

uniform = gradients.uniform
X = uniform((4, 3), 0, 'f')


@pytest.mark.parametrize('in_size', [3, None])
@pytest.mark.parametrize('shape', [(4, 3), (4, 3, 1)])
def test_random_masks(in_size, shape):
    np.random.seed(0)
    link = L.SimplifiedDropconnect(in_size, 2, .25, initial_bias=np.arange(2.))
    y = link(X.reshape(shape))
    np.random.seed(0)
    W = checks.normal(3, 2, 3)
    compare.assert_array_equal(link.W.array, W)
    mask = np.random.rand(4, 2, 3) >= .25
    compare.assert_allclose(
        y.array, np.einsum('ni,noi->no', X, W * mask / .75) + np.arange(2), 1e-5, 1e-6)
    assert (link.out_size, link.ratio) == (2, .25)


@pytest.mark.parametrize('batchwise', [True, False])
def test_given_masks(device, batchwise):
    mask = uniform((4, 2, 3) if batchwise else (2, 3), 1) > 0
    link = device.send(L.SimplifiedDropconnect(3, 2, nobias=True))
    assert link.b is None
    y = link(device.send(X), mask=device.send(mask), use_batchwise_mask=batchwise)
    compare.assert_allclose(
        y.array, np.einsum('ni,noi->no', X, np.broadcast_to(
            to_cpu(link.W.array) * mask * 2, (4, 2, 3))), 1e-5, 1e-6)


def test_testing(device):
    link = device.send(L.SimplifiedDropconnect(3, 2))
    compare.assert_allclose(
        link(device.send(X), train=False).array, X @ to_cpu(link.W.array).T, 1e-5, 1e-6)
    # The argument alone tells.
    with chainer_fast.using_config('train', False):
        assert not np.allclose(
            to_cpu(link(device.send(X)).array), X @ to_cpu(link.W.array).T)


def test_one_mask_for_all(device):
    link = device.send(L.SimplifiedDropconnect(3, 2))
    y = link(device.send(np.ones((4, 3), 'f')), use_batchwise_mask=False).array
    compare.assert_array_equal(y, np.broadcast_to(y[0], y.shape))


def test_wrong_shapes(device):
    link = device.send(L.SimplifiedDropconnect(3, 2))
    with pytest.raises(type_check.InvalidType):
        link(device.send(np.ones((4, 2), 'f')))
    with pytest.raises(type_check.InvalidType):
        link(device.send(X), mask=device.send(np.ones((2, 3), 'f')))


def test_gradients_and_snapshot(device):
    x = X.astype('d')
    mask = device.send(uniform((4, 2, 3), 1) > 0)

    class Masked(L.SimplifiedDropconnect):

        def forward(self, x):
            return super().forward(x, mask=mask)

    checks.check_gradients(device, lambda: Masked(None, 2), x)
    checks.check_snapshot(device, lambda: Masked(None, 2), X)


def test_initial_values():
    link = L.SimplifiedDropconnect(3, 2, .5, False, 2, 3)
    compare.assert_array_equal(link.W.array, np.full((2, 3), 2))
    compare.assert_array_equal(link.b.array, np.full(2, 3))
    with chainer_fast.using_config('dtype', np.dtype('e')):
        assert L.SimplifiedDropconnect(3, 2).W.dtype == np.float16
