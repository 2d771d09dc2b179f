"""Powers of integers of NumPy, and of constants with halves."""
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


@pytest.mark.parametrize('value', [2, .1, 1, 0, 3.3, np.float16(.7), np.float64(1.9)])
def test_powers_of_constants_with_halves_are_rounded_once(value):
    x = np.random.RandomState(0).uniform(-9, 9, (40, 50)).astype('e')
    for array in (x, x.T, x[:, ::2], x[::-1], x[0, :0], x[0, 0:1].reshape(())):
        with np.errstate(all='ignore'):
            y = value ** chainer_fast.Variable(array)
        with np.errstate(all='ignore'):
            powers = np.float32(np.float16(value)) ** array.astype('f')
            expected = powers.astype('e')
        assert y.dtype == 'e'
        np.testing.assert_array_equal(y.array, expected)


@pytest.mark.parametrize('value, power, message', [
    (2, 17, 'overflow'), (-2, .5, 'invalid'), (0, -1, 'divide by zero')])
def test_powers_of_constants_with_halves_warn_as_numpy_does(value, power, message):
    x = np.array([1, power], 'e')
    with pytest.warns(RuntimeWarning, match=message):
        expected = np.float16(value) ** x
    with pytest.warns(RuntimeWarning, match=message):
        found = value ** chainer_fast.Variable(x)
    np.testing.assert_array_equal(found.array, expected)
