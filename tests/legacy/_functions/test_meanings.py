"""Functions whose meaning depends on the version that is named."""
import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.variable import Variable


@pytest.mark.parametrize('parts, at_zero', [
    (['v4'], 1), (['v2', 'python'], 1), (['v1'], 1), (['v5'], .2), ([], .2)])
@pytest.mark.parametrize('slope', [.2, -.5])
def test_gradient_of_leaky_relu_at_zero(enable, used, parts, at_zero, slope):
    enable(*parts)
    x = Variable(np.array([[-2, 0, 3], [-0., 1, 0]], 'f'))
    y = F.leaky_relu(x, slope)
    np.testing.assert_array_equal(
        y.array, np.where(x.array < 0, slope * x.array, x.array))
    y.grad = np.full((2, 3), 2, 'f')
    y.backward(enable_double_backprop=True)
    expected = at_zero if slope > 0 or at_zero == 1 else slope
    np.testing.assert_allclose(
        x.grad, 2 * np.array([[slope, expected, 1], [expected, 1, expected]]), 1e-6)
    what = 'chainer.functions.leaky_relu with a gradient of 1 at zero'
    assert used() == ({what: 1} if at_zero == 1 else {})


def test_leaky_relu_without_zeros_is_that_of_today(enable, used):
    enable('v4')
    y = F.leaky_relu(np.array([-1, 2], 'f'))
    assert type(y.creator).__name__ == 'LeakyReLU'
    assert not used()
