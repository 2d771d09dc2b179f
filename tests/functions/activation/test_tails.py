"""Derivatives where they are tiny, which must not be lost to a difference from one."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from tests import compare


def _derivatives(f, x, n):
    x = chainer.Variable(x)
    found = [f(x)]
    for _ in range(n):
        g, = chainer.grad(
            [found[-1]], [x], [chainer.Variable(x.xp.ones_like(x.array))],
            enable_double_backprop=True)
        found.append(g)
    return [y.array for y in found]


@pytest.mark.parametrize('dtype,rtol', [('f', 2e-6), ('d', 1e-14)])
@pytest.mark.parametrize('beta', [1., 2., .5, -1.])
def test_softplus(device, dtype, rtol, beta):
    z = np.array([-80, -40, -20, -3, -.5, 0, .5, 3, 20, 40, 80], 'd')
    x = (z / beta).astype(dtype)
    _, first, second, third = _derivatives(
        lambda x: F.softplus(x, beta), device.send(x), 3)
    s, other = 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(z))
    compare.assert_allclose(first, s, rtol)
    compare.assert_allclose(second, beta * s * other, rtol)
    compare.assert_allclose(third, beta ** 2 * s * other * (other - s), rtol, 1e-300)


def test_the_second_derivative_that_was_zero():
    assert _derivatives(F.softplus, np.array([-40.]), 2)[2][0] == pytest.approx(
        4.248354255291589e-18)
