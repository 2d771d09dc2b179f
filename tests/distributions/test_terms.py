import numpy as np
import pytest

import chainer_fast
from chainer_fast.distributions import _terms
from tests import compare


@pytest.mark.parametrize(
    'function, pole', [(_terms.times_log, 0), (_terms.times_log1p, -1)])
@pytest.mark.parametrize('wrap', [np.asarray, chainer_fast.Variable])
def test_times_logarithm(device, function, pole, wrap):
    factor = chainer_fast.Variable(device.send(np.array([0, 3, 2, 0], np.float32)))
    x = device.send(
        wrap(np.array([pole, pole - 1, pole + np.e, pole + 4], np.float32)))
    y = function(factor, x, device.send(np.array([False, True, False, False])))
    assert y.dtype == np.float32
    compare.assert_allclose(y.array, [0, 0, 2, 0], atol=1e-6)
    by_factor, = chainer_fast.grad([y], [factor])
    compare.assert_allclose(by_factor.array, [0, 0, 1, np.log(4)], atol=1e-6)
    if isinstance(x, chainer_fast.Variable):
        by_x, = chainer_fast.grad([y], [x])
        compare.assert_allclose(by_x.array, [0, 0, 2 / np.e, 0], rtol=1e-6)


def test_pole_is_kept_for_other_factors(device):
    with np.errstate(divide='ignore'):
        y = _terms.times_log(
            chainer_fast.Variable(device.send(np.array([2.]))),
            device.send(np.zeros(1)))
    assert y.array == -np.inf


def test_substitute_keeps_the_kind(device):
    array = device.send(np.array([1, 2], np.float32))
    mask = device.send(np.array([True, False]))
    replaced = _terms.substitute(array, mask, 5)
    assert isinstance(replaced, device.xp.ndarray)
    assert replaced.dtype == np.float32
    compare.assert_array_equal(replaced, [5, 2])
    compare.assert_array_equal(
        _terms.substitute(chainer_fast.Variable(array), mask, 5).array, [5, 2])


POSITIVE = {
    'Beta': ['a', 'b'], 'Cauchy': ['loc', 'scale'], 'Chisquare': ['k'],
    'Dirichlet': ['alpha'], 'Exponential': ['lam'], 'Gamma': ['k', 'theta'],
    'Geometric': ['p'], 'Gumbel': ['loc', 'scale'], 'Laplace': ['loc', 'scale'],
    'LogNormal': ['mu', 'sigma'], 'Normal': ['loc', 'scale'],
    'OneHotCategorical': ['p'],
    'Pareto': ['scale', 'alpha'], 'Poisson': ['lam'], 'Uniform': ['low', 'high']}


def made(name, size):
    return getattr(chainer_fast.distributions, name)(**{
        parameter: chainer_fast.Variable(np.full(size, .5 + .25 * i, 'f'))
        for i, parameter in enumerate(POSITIVE[name])})


@pytest.mark.parametrize('name', POSITIVE)
def test_points_that_do_not_fit_are_a_wrong_type(name):
    distribution = made(name, 3)
    for function in 'log_prob', 'prob', 'cdf', 'icdf', 'survival_function':
        try:
            with pytest.raises(chainer_fast.utils.type_check.InvalidType):
                getattr(distribution, function)(np.full((4, 2), .5, 'f'))
        except NotImplementedError:
            assert function != 'log_prob'


@pytest.mark.parametrize(
    'name', ['Beta', 'Chisquare', 'Dirichlet', 'Gamma', 'Pareto'])
def test_a_number_of_python_is_no_point(name):
    with pytest.raises(TypeError):
        made(name, 3).log_prob(.5)
