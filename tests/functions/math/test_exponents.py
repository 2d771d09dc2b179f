"""Powers whose exponent is an integer of NumPy."""
import numpy as np
import pytest

import chainer_fast


@pytest.mark.parametrize('dtype', 'bBhHiIlL')
@pytest.mark.parametrize('is_least', [True, False])
def test_gradients_of_the_least_exponents_are_those_of_integers(dtype, is_least):
    exponent = np.dtype(dtype).type(np.iinfo(dtype).min if is_least else 2)
    found = []
    for each in exponent, int(exponent):
        x = chainer_fast.Variable(np.array([0.5, 1.0, 3.0], 'f'))
        with np.errstate(all='ignore'):
            (y,) = chainer_fast.grad([x ** each], [x], enable_double_backprop=True)
            (twice,) = chainer_fast.grad([y], [x])
        found.append((y.array, twice.array))
    np.testing.assert_array_equal(*found)
