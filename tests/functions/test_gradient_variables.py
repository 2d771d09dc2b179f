"""Gradients of functions as variables, without a graph of their own."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F

CONDITION = np.array([True, False])


@pytest.mark.parametrize('f', [
    F.sin, F.prod, F.logsumexp, F.relu, lambda x: F.where(CONDITION, x, 2 * x),
    lambda x: F.mean_squared_error(x, x * x), lambda x: F.mean_absolute_error(x, x * x),
    lambda x: F.huber_loss(x, 2 * x, 1., 'no'),
    lambda x: F.triplet(x[None], 2 * x[None], x[None] + 1),
    lambda x: F.cross_covariance(x[:, None], x[:, None] ** 2)])
def test_gradients_require_gradients(f):
    x = chainer_fast.Variable(np.array([1, 2], 'f'))
    F.sum(f(x)).backward()
    gradient = x.grad_var
    F.sum(gradient * gradient).backward()
    assert gradient.requires_grad
    np.testing.assert_allclose(gradient.grad, 2 * x.grad)
