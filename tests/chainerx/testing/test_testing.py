import inspect

import numpy as np
import pytest

from chainer_fast import chainerx
from chainer_fast.chainerx import testing

X = np.arange(6, dtype='float32').reshape(2, 3)


def test_dtypes():
    assert len(testing.all_dtypes) == len(set(testing.all_dtypes)) == 9
    for names, kinds in (
            (testing.float_dtypes, 'f'), (testing.signed_dtypes, 'if'),
            (testing.unsigned_dtypes, 'u'), (testing.integral_dtypes, 'iu'),
            (testing.signed_integral_dtypes, 'i'), (testing.nonfloat_dtypes, 'biu'),
            (testing.numeric_dtypes, 'iuf')):
        assert names == tuple([
            name for name in testing.all_dtypes if np.dtype(name).kind in kinds])


def test_specifiers():
    decorate = testing.parametrize_dtype_specifier(
        'd', ['int64', 'float16'], ('more',))
    name, found = decorate.mark.args
    assert name == 'd'
    assert found == ['int64', np.int64, np.dtype('int64'), int,
                     'float16', np.float16, np.dtype('float16'), 'more']


def test_assertions():
    x = chainerx.array(X)
    for y in X, x, X.astype('int32'):
        testing.assert_array_equal(x, y)
        testing.assert_allclose(y, x)
    testing.assert_array_equal_ex(x, X)
    for compare in testing.assert_array_equal_ex, testing.assert_allclose_ex:
        for other in X + 1, X.astype('float64'), np.asfortranarray(X):
            with pytest.raises(AssertionError):
                compare(x, other)
        compare(x, X.astype('float64'), dtype_check=False)
        compare(x, np.asfortranarray(X), strides_check=False)
    with pytest.raises(AssertionError):
        testing.assert_allclose(x, X + 1e-3)
    half = X.astype('float16')
    testing.assert_allclose_ex(half, half + half.dtype.type(.01), float16_atol=.1)
    with pytest.raises(AssertionError):
        testing.assert_allclose_ex(x, X + .01, float16_atol=.1)


def outcome(decorator, of_numpy, of_chainerx):
    """Run a test that returns, or raises, one thing for each module."""
    @decorator
    def test(other, xp):
        assert other == 5
        found = of_numpy if xp is np else of_chainerx
        if isinstance(found, Exception):
            raise found
        return found

    assert list(inspect.signature(test).parameters) == ['other']
    test(other=5)


@pytest.mark.parametrize('make', [
    testing.numpy_chainerx_array_equal, testing.numpy_chainerx_allclose])
def test_both_modules(make):
    x = chainerx.array(X)
    for pair in ((X, x), ((X, X), [x, x]), (1., 1.), (X[0, 1], x[0, 1]),
                 (testing.ignore(), testing.ignore()), (KeyError(), KeyError())):
        outcome(make(accept_error=KeyError), *pair)
    for pair in ((X, x + 1), (X, X), (x, x), (x, X), (None, None), (X, None), (1., 1),
                 (np.float64(1), np.float64(1)), (X.astype('float64'), x),
                 ((X, X), (x,)), (X, testing.ignore()), (testing.ignore(), x),
                 (KeyError(), x), (X, KeyError())):
        with pytest.raises(AssertionError):
            outcome(make(accept_error=KeyError), *pair)
    with pytest.raises(KeyError):
        outcome(make(), KeyError(), KeyError())


@pytest.mark.usefixtures('place')
def test_arrays_with_strides():
    for given in X.T, X[:, ::-2], X[:0], X[1, 1:]:
        found = testing._fromnumpy(given, keepstrides=True)
        testing.assert_array_equal_ex(found, given)
        assert testing._fromnumpy(given).is_contiguous
    assert testing._fromnumpy(X, device='native:1').device.name == 'native:1'
    buffer = testing._DeviceBuffer([1, 2, 3, 4], (2, 2), 'int16')
    assert buffer.shape == (2, 2)
    testing.assert_array_equal_ex(
        chainerx.frombuffer(buffer, 'int16'), np.arange(1, 5, dtype='int16'))
