import numpy as np
import pytest

import chainer_fast
from chainer_fast import links
from tests import compare

X = np.arange(12, dtype='f').reshape(2, 2, 3)
V = np.array([2, 3], 'f')


class TestBias:

    def test_own_bias(self, device):
        link = device.send(links.Bias(1, (2,)))
        compare.assert_array_equal(link.b.array, 0)
        link.b.array = device.send(V)
        compare.assert_array_equal(link(device.send(X)).array, X + V[:, None])

    def test_given_bias(self, device):
        link = device.send(links.Bias(0))
        assert not hasattr(link, 'b')
        compare.assert_array_equal(
            link(device.send(X), device.send(V)).array, X + V[:, None, None])


class TestScale:

    def test_own_weight(self, device):
        link = device.send(links.Scale(1, (2,), bias_term=True))
        compare.assert_array_equal(link.W.array, 1)
        link.W.array, link.bias.b.array = device.send(V), device.send(V)
        compare.assert_array_equal(
            link(device.send(X)).array, X * V[:, None] + V[:, None])
        assert [path for path, _ in link.namedparams()] == ['/W', '/bias/b']

    def test_given_weight(self, device):
        link = device.send(links.Scale())
        assert not hasattr(link, 'W')
        assert not hasattr(link, 'bias')
        compare.assert_array_equal(
            link(device.send(X), device.send(V)).array, X * V[:, None])
        link = device.send(links.Scale(bias_term=True, bias_shape=(2,)))
        link.bias.b.array = device.send(V)
        compare.assert_array_equal(
            link(device.send(X), device.send(V)).array, X * V[:, None] + V[:, None])

    def test_shape_of_the_bias(self):
        assert links.Scale(1, (2,), True, (5,)).bias.b.shape == (2,)
        with pytest.raises(ValueError, match='bias_shape'):
            links.Scale(1, None, True)


@pytest.mark.parametrize('link, args', [
    (links.Bias(), (X,)), (links.Bias(shape=(2,)), (X, V)),
    (links.Scale(), (X,)), (links.Scale(W_shape=(2,)), (X, V))])
def test_number_of_arguments(device, link, args):
    link, args = device.send((link.copy(), args))
    with pytest.raises(ValueError, match='unpack'):
        link(*args)
    with chainer_fast.using_config('debug', True), pytest.raises(
            AssertionError, match='argument'):
        link(*args)


def test_parameter(device):
    array = device.send(np.ones(3))
    link = links.Parameter(array)
    assert link.W.array is array
    for y in (link(), link('on'), link(volatile='off')):
        compare.assert_array_equal(y.array, array)
        assert y is not link.W
        assert y.creator_node.inputs == (link.W.node,)
