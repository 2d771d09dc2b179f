"""Special functions, powers and remainders: errors, limits, strides, threads."""
import warnings

import numpy as np
import pytest
from scipy import special

from chainer_fast import configuration
from chainer_fast.backends.kernels.arithmetic import power, remainder, unary
from chainer_fast.backends.kernels.common import ufuncs
from tests.backends.kernels.declared_cases import gaps

SPECIAL = np.float32([
    0., -0., 1., -1., 2., -2., 3., -3., .5, -.5, 2.5, -2.5, 1e-45, -1e-45, 1e-38, 3e38,
    -3e38, 1e10, -1e10, 16777215., -16777217., np.inf, -np.inf, np.nan])
NAMES = [
    'digamma', 'erf', 'erfc', 'erfcx', 'erfinv', 'gammaln', 'log_ndtr', 'ndtr', 'ndtri']
# By names of functions of doubles, the relative differences from SciPy's.
DOUBLES = {'erf': 1e-15, 'erfcx': 3e-13, 'erfinv': 2e-15, 'log_ndtr': 1e-12}


def some_floats(n=300000):
    """Floats of all sizes, and many where functions are curved."""
    random = np.random.RandomState(0)
    bits = random.randint(0, 2 ** 32, n, dtype=np.uint64).astype(np.uint32)
    return np.concatenate([
        SPECIAL, bits.view('f'), random.uniform(-12, 12, n).astype('f'),
        random.randn(n).astype('f'), random.uniform(.9, 2.2, n).astype('f')])


def errors_of(found, exact):
    """Return errors in units in the last place."""
    size = np.abs(exact.astype('f'))
    size = np.where(size > np.abs(exact), np.nextafter(size, np.float32(0)), size)
    return np.abs(found - exact) / np.spacing(size)


def assert_same_signs(found, expected):
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(
        np.signbit(found[numbers]), np.signbit(expected[numbers]))


def outcome(function, *args):
    """Return a result and the texts of warnings, without the names of functions."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        result = function(*args)
    return result, sorted(
        {str(each.message).split(' encountered')[0] for each in caught})


@pytest.mark.parametrize('name', NAMES)
def test_special_functions(name):
    x = some_floats()
    found, warned = outcome(getattr(ufuncs, name), x)
    assert not warned
    with np.errstate(all='ignore'):
        exact = getattr(special, name)(x.astype('d'))
        rounded = exact.astype('f')
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(found[~finite], rounded[~finite])
    # Near the roots of negative numbers logarithms of gamma cancel each other.
    some = finite & ((x > 0) | (np.abs(exact) > .1)) if name in (
        'digamma', 'gammaln') else finite
    assert errors_of(found[some], exact[some]).max() < 3
    np.testing.assert_allclose(found[finite], rounded[finite], 1e-6, 1e-7)


def some_doubles():
    """Doubles of all sizes, and many where functions are curved."""
    random = np.random.RandomState(0)
    sizes = 10 ** random.uniform(-310, 300, 5000)
    return np.concatenate([
        SPECIAL, sizes, -sizes, random.uniform(-40, 40, 20000),
        random.uniform(-1, 1, 20000), 1 - 10 ** random.uniform(-16, 0, 5000)])


@pytest.mark.parametrize('name', DOUBLES)
def test_special_functions_of_doubles(name):
    x = some_doubles()
    found, warned = outcome(getattr(ufuncs, name), x)
    assert not warned and found.dtype == 'd'
    np.testing.assert_allclose(found, getattr(special, name)(x), DOUBLES[name], 1e-307)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('name', NAMES)
def test_special_functions_of_other_arrays(name, dtype):
    function = getattr(ufuncs, name)
    if dtype == 'd' and name not in DOUBLES:
        assert function.types == ['f->f']
        return
    with np.errstate(invalid='ignore'):
        x = some_floats(3000).astype(dtype)
    whole = function(x)
    np.testing.assert_array_equal(function(gaps(x)), whole)
    np.testing.assert_array_equal(function(x[::-1]), whole[::-1])
    np.testing.assert_array_equal(function(x[7:600].copy()), whole[7:600])
    assert function(x[:0]).shape == (0,)
    assert function(x[:1])[0].dtype == dtype


SINES = {'sin': np.sin, 'cos': np.cos}


@pytest.mark.parametrize('name', SINES)
def test_sines_of_doubles(name):
    x = some_doubles()
    multiples = np.arange(1, 200000) * (np.pi / 2)
    x = np.concatenate([x[abs(x) < 2 ** 30], multiples, -4000 * multiples])
    found, warned = outcome(getattr(ufuncs, name), x)
    exact = SINES[name](x.astype('g'))
    assert not warned
    assert (abs(found - exact) / np.spacing(abs(exact).astype('d'))).max() < (
        1 if np.finfo('g').nmant > 52 else 2)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('name', SINES)
def test_sines_of_other_arrays(name, dtype):
    function = getattr(ufuncs, name)
    with np.errstate(over='ignore'):
        x = np.concatenate([[5e-324, -5e-324], some_doubles()[::3]]).astype(dtype)
    expected, warned = outcome(SINES[name], x)
    found, warned_here = outcome(function, x)
    assert found.dtype == dtype and warned_here == warned == [
        'invalid value']
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    np.testing.assert_allclose(found, expected, 2 * np.finfo(dtype).eps, 0)
    assert_same_signs(found, expected)
    if dtype == 'd':
        large = abs(x) >= 2 ** 30
        np.testing.assert_array_equal(found[large], expected[large])
    with np.errstate(invalid='ignore'):
        for begin in (0, 1, 7):
            np.testing.assert_array_equal(function(x[begin:].copy()), found[begin:])
        np.testing.assert_array_equal(function(gaps(x)), found)
        np.testing.assert_array_equal(function(x[::-1]), found[::-1])
        in_place = x.copy()
        function(in_place, out=in_place)
    np.testing.assert_array_equal(in_place, found)


def test_sines_do_not_underflow():
    with np.errstate(all='raise'):
        assert ufuncs.sin(np.array([1e-310, -1e-200])).tolist() == [1e-310, -1e-200]
        assert ufuncs.cos(np.array([1e-310, np.nan]))[0] == 1


EXPONENTS = [2, .5, -1, 1, 0, 3, 4, -2, -3, 5, -.5, 1.7, 2.5, 100., -0., np.inf,
             -np.inf, np.nan, 1e10, 16777215.]


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('value', EXPONENTS)
def test_powers_by_constants(value, dtype):
    some = np.random.RandomState(1).uniform(-3, 3, 2000)
    x = np.concatenate([SPECIAL, some]).astype(dtype)
    value = float(value)
    expected, warned = outcome(lambda: x ** value)
    for array in (x, gaps(x)):
        found, warned_here = outcome(power, array, value)
        assert warned_here == warned
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, 4 * np.finfo(dtype).eps, 0)
        assert_same_signs(found, expected)
        if value in (2, .5, -1, 1, 0):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize('dtype', 'fd')
def test_powers_by_arrays(dtype):
    x, y = [each.astype(dtype).ravel() for each in np.meshgrid(SPECIAL, SPECIAL)]
    expected, warned = outcome(lambda: x ** y)
    for arrays in ((x, y), (gaps(x), gaps(y))):
        found, warned_here = outcome(power, *arrays)
        assert warned_here == warned
        np.testing.assert_allclose(found, expected, 4 * np.finfo(dtype).eps, 0)
        assert_same_signs(found, expected)


@pytest.mark.parametrize('dtype', 'fd')
def test_remainders(dtype):
    random = np.random.RandomState(0)
    x, y = [each.astype(dtype).ravel() for each in np.meshgrid(SPECIAL, SPECIAL)]
    bits = random.randint(0, 2 ** 32, (2, 20000), dtype=np.uint64).astype(np.uint32)
    plain = random.uniform(-100, 100, (2, 20000))
    with np.errstate(invalid='ignore'):
        wild = bits.view('f').astype(dtype)
    for a, b in ((x, y), wild, plain.astype(dtype)):
        expected, warned = outcome(np.fmod, a, b)
        for arrays in ((a, b), (gaps(a), gaps(b))):
            found, warned_here = outcome(remainder, *arrays)
            assert warned_here == warned
            np.testing.assert_array_equal(found, expected)
            assert_same_signs(found, expected)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('order', 'CF')
def test_threads_share_what_is_large(dtype, order):
    x = np.random.RandomState(0).uniform(-3, 3, (500, 400)).astype(dtype, order)
    functions = [np.sin, special.erf, special.gammaln, ufuncs.power, np.fmod]
    functions += [ufuncs.erf] if dtype == 'f' else []
    for function in functions:
        others = [()] if function.nin == 1 else [(x[::-1, ::-1].copy(order),), (3.,)]
        for second in others:
            with np.errstate(invalid='ignore'):
                expected = function(x, *second)
                results = []
                for threads in (1, 2):
                    with configuration.using_config('num_threads', threads):
                        results.append(unary.apply(function, x, *second))
            for found in results:
                assert found.strides == expected.strides and found.dtype == dtype
                np.testing.assert_array_equal(found, expected)


def test_threads_warn_as_one_does():
    x = np.full(100000, -1, 'f')
    for function, args in ((np.log, (x,)), (ufuncs.power, (x, .3)), (np.fmod, (x, 0.))):
        expected = outcome(function, *args)
        found = outcome(unary.apply, function, *args)
        assert found[1] == expected[1] and found[1]
        np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize('x', [
    np.ones((300, 300), 'e'), np.ones((300, 300), 'i'), np.ones(300000, '>f4'),
    np.ones((600, 300), 'f')[::2], [1., 2.], 3.])
def test_arrays_that_are_not_shared(x):
    found = ufuncs.shared(np.sqrt, x)
    np.testing.assert_array_equal(found, np.sqrt(x))
