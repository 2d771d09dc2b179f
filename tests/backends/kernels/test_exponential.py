"""Exponentials of floats: errors, bits, flags and strides."""
import zlib

import numpy as np
import pytest
from scipy import special

from chainer_fast.backends.kernels.common import exponential, ufuncs


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _log1p_exp(x):
    return np.log1p(np.exp(x))


def _erf(x):
    return special.erf(x.astype('d')).astype(x.dtype)


CASES = [
    (ufuncs.erf, _erf, False),
    (ufuncs.exp, np.exp, False),
    (ufuncs.tanh, np.tanh, False),
    (ufuncs.sigmoid, _sigmoid, False),
    (ufuncs.expm1_of_negative, np.expm1, True),
    (ufuncs.log1p_exp_of_negative, _log1p_exp, True),
]
functions = pytest.mark.parametrize(
    'function,exact,negative', CASES, ids=[case[0].__name__ for case in CASES])


def _arguments(negative, step=4999):
    """Floats of all sizes, and many where the functions are curved."""
    bits = np.arange(0, 2 ** 32, step, dtype=np.uint64).astype(np.uint32)
    random = np.random.RandomState(0)
    x = np.concatenate([
        bits.view(np.float32), random.uniform(-110, 95, 200000).astype(np.float32),
        random.randn(200000).astype(np.float32)])
    return np.where(np.signbit(x), x, -x) if negative else x


@functions
def test_values_are_within_one_unit_in_the_last_place(function, exact, negative):
    x = _arguments(negative)
    x = x[np.isfinite(x)]
    with np.errstate(all='ignore'):
        y = function(x)
        expected = exact(x.astype(np.longdouble))
        rounded = expected.astype(np.float32)
        # Towards zero, so that units below a power of two count as what they are.
        size = np.abs(rounded)
        below = np.nextafter(size, np.float32(0))
        size = np.where(size > np.abs(expected), below, size)
        errors = np.abs(y - expected) / np.spacing(size)
    finite = np.isfinite(rounded)
    assert (y[~finite] == rounded[~finite]).all()
    assert errors[finite].max() < 1


@functions
def test_limits(function, exact, negative):
    x = np.float32([-np.inf, np.nan, -0.0] + ([] if negative else [np.inf, 0.0]))
    with np.errstate(all='raise'):
        y = function(x)
    with np.errstate(all='ignore'):
        expected = exact(x)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(np.signbit(y[2:]), np.signbit(expected[2:]))


@functions
def test_bits_do_not_depend_on_the_place(function, exact, negative):
    x = _arguments(negative, 4999999)
    x = x[:1000 + len(x) % 16]
    with np.errstate(all='ignore'):
        whole = function(x)
        for begin in range(40):
            part = function(x[begin:-1 - begin].copy())
            np.testing.assert_array_equal(
                part.view(np.uint32), whole[begin:-1 - begin].view(np.uint32))


# By functions, of the results for a sample of all floats.
CHECKSUMS = {
    'erf': '9411f300',
    'exp': '19743030',
    'tanh': '1df6eacd',
    'sigmoid': 'e3853ef4',
    'expm1_of_negative': '81290773',
    'log1p_exp_of_negative': '179a675c',
}


@functions
def test_bits_are_the_same_on_every_processor(function, exact, negative):
    x = np.arange(0, 2 ** 32, 9973, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = x[np.signbit(x)] if negative else x
    with np.errstate(all='ignore'):
        y = function(x)
    checksum = zlib.crc32(y.astype('<f4').tobytes())
    assert '%08x' % checksum == CHECKSUMS[function.__name__]


@functions
def test_strides_and_places(function, exact, negative):
    x = -np.abs(np.random.RandomState(1).randn(7, 300).astype(np.float32))
    expected = function(x)
    for other in (np.asfortranarray(x), x[::-1, ::-1], np.repeat(x, 2, axis=1)[:, ::2]):
        got = function(other)
        order = expected[::-1, ::-1] if other.strides[0] < 0 else expected
        np.testing.assert_array_equal(got, order)
    unaligned = np.zeros(x.nbytes + 1, np.uint8)[1:].view(np.float32)
    unaligned[...] = x.ravel()
    np.testing.assert_array_equal(function(unaligned), expected.ravel())
    in_place = x.copy()
    function(in_place, out=in_place)
    np.testing.assert_array_equal(in_place, expected)
    assert function(x[:0]).shape == (0, 300)
    assert function(np.float32(-1)).dtype == np.float32


def test_overflow_is_reported_as_numpy_does():
    with np.errstate(over='raise'), pytest.raises(FloatingPointError):
        ufuncs.exp(np.float32([1, 89]))
    with np.errstate(over='raise'):
        assert ufuncs.exp(np.float32([88.72])) < np.inf
        assert ufuncs.sigmoid(np.float32([-1000, 1000])).tolist() == [0, 1]


@pytest.mark.parametrize('dtype', [np.float16, np.float64])
@pytest.mark.parametrize('name', ['exp', 'tanh'])
def test_other_types_are_numpys(name, dtype):
    x = np.random.RandomState(0).randn(100).astype(dtype)
    np.testing.assert_array_equal(
        getattr(exponential, name)(x), getattr(np, name)(x))


def test_sigmoid_of_doubles():
    x = np.random.RandomState(0).randn(100)
    np.testing.assert_allclose(exponential.sigmoid(x), _sigmoid(x), rtol=1e-14)
    np.testing.assert_allclose(
        exponential.log1p_exp_of_negative(-abs(x)), _log1p_exp(-abs(x)), rtol=1e-14)
