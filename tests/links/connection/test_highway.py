import numpy as np

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients
from tests.links.connection import checks


def test_values(device):
    link = device.send(L.Highway(
        3, activate=F.tanh, init_Wh=chainer_fast.initializers.Normal(1),
        init_Wt=chainer_fast.initializers.Normal(1), init_bh=2, init_bt=-3))
    h, t = link.plain, link.transform
    compare.assert_array_equal(h.b.array, 2)
    compare.assert_array_equal(t.b.array, -3)
    assert link.activate is F.tanh
    x = gradients.uniform((4, 3), 0, 'f')
    gate = 1 / (1 + np.exp(-x @ to_cpu(t.W.array).T + 3))
    expected = np.tanh(x @ to_cpu(h.W.array).T + 2) * gate + x * (1 - gate)
    y = link(device.send(x))
    assert y.dtype == np.float32
    compare.assert_allclose(y.array, expected, 1e-5, 1e-6)


def test_defaults():
    np.random.seed(0)
    link = L.Highway(3)
    np.random.seed(0)
    for part in link.plain, link.transform:
        compare.assert_array_equal(part.W.array, checks.normal(3, 3, 3))
    compare.assert_array_equal(link.plain.b.array, 0)
    compare.assert_array_equal(link.transform.b.array, -1)
    assert link.activate is F.relu
    link = L.Highway(3, True)
    assert link.plain.b is link.transform.b is None


def test_gradients_and_snapshot(device):
    x = gradients.uniform((4, 3))
    checks.check_gradients(device, lambda: L.Highway(3, activate=F.sigmoid), x)
    checks.check_snapshot(device, lambda: L.Highway(3), x.astype('f'))
