import numpy as np
import pytest

import chainer_fast


@pytest.mark.parametrize('shape', [
    (), (0,), (3,), (1, 2, 3, 4), (1, 2, 3, 4, 1), (2, 1, 1, 1, 1, 1, 1, 3),
    (2 ** 31 + 5,), (2, 2 ** 31)])
def test_shape_of_a_node(shape):
    array = np.broadcast_to(np.float32(1), shape)
    node = chainer_fast.Variable(array).node
    assert node.shape == shape
    assert all(type(n) is int for n in node.shape)
    assert node.dtype == np.float32


def test_shape_follows_the_array():
    x = chainer_fast.Variable()
    assert x.node.shape is None
    for shape in [(2,), (1, 1, 1, 1, 2), (), (3, 4)]:
        x.array = np.zeros(shape, np.float64)
        assert x.node.shape == shape
        assert x.node.dtype == np.float64
    x.array = None
    assert x.node.shape is None
    assert x.node.dtype is None


@pytest.mark.parametrize('shape', [(2, 3), (1, 1, 2, 1, 3)])
def test_gradient_of_another_shape_is_refused(shape):
    class Wrong(chainer_fast.FunctionNode):
        def forward(self, inputs):
            return inputs[0].sum(keepdims=True).reshape(()),

        def backward(self, indexes, grad_outputs):
            return chainer_fast.Variable(np.zeros(shape[::-1], np.float32)),

    x = chainer_fast.Variable(np.zeros(shape, np.float32))
    y, = Wrong().apply((x,))
    with pytest.raises(ValueError, match='Shape of data and grad mismatch'):
        y.backward()
    assert x.grad is None
