"""Loops that let other threads run give what the short ones give."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F


@pytest.mark.parametrize('function', [
    F.tanh, F.exp, F.relu, F.sigmoid, lambda x: x + x, lambda x: x * 2.5,
    lambda x: x * x - x])
@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_long_and_short(function, dtype):
    x = np.random.RandomState(0).randn(20000).astype(dtype)

    def run(part):
        v = chainer_fast.Variable(part)
        y = function(v)
        y.grad = part
        y.backward()
        return y.array, v.grad

    y, gx = run(x)
    for part, start in ((x[:100], 0), (x[-100:].copy(), 19900)):
        short_y, short_gx = run(part)
        np.testing.assert_array_equal(y[start:start + 100], short_y)
        np.testing.assert_array_equal(gx[start:start + 100], short_gx)
