import copy
import math

import numpy as np
import pytest

import chainer_fast
from chainer_fast import distributions

PROPERTIES = [
    'batch_shape', 'event_shape', 'params', 'support', 'xp', 'mean', 'mode', 'variance',
    'stddev', 'covariance', 'entropy']
FUNCTIONS = [
    'prob', 'log_prob', 'cdf', 'log_cdf', 'icdf', 'survival_function',
    'log_survival_function', 'perplexity', 'sample_n']


class Counting(chainer_fast.Distribution):
    """Its samples are consecutive numbers."""

    batch_shape = 2,
    event_shape = 3,

    def sample_n(self, n):
        assert type(n) is int
        return chainer_fast.Variable(np.arange(n * 6.).reshape(n, 2, 3))


def normal(shape=(2,), cls=distributions.Normal, scale=1):
    return cls(np.zeros(shape), np.full(shape, float(scale)))


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(
        chainer_fast.distribution, '_KLDIVERGENCE',
        chainer_fast.distribution._KLDIVERGENCE.copy())


@pytest.mark.parametrize('name', PROPERTIES)
def test_properties_are_not_implemented(name):
    with pytest.raises(NotImplementedError):
        getattr(chainer_fast.Distribution(), name)


@pytest.mark.parametrize('name', FUNCTIONS)
def test_functions_are_not_implemented(name):
    with pytest.raises(NotImplementedError):
        getattr(chainer_fast.Distribution(), name)(np.zeros(2))


def test_one_formula_does_not_stand_for_another():
    class Half(chainer_fast.Distribution):
        variance = chainer_fast.Variable(np.ones(2))

        def log_prob(self, x):
            return chainer_fast.Variable(np.zeros(2))

    with pytest.raises(NotImplementedError):
        Half().stddev  # noqa: B018
    with pytest.raises(NotImplementedError):
        Half().prob(0)


@pytest.mark.parametrize('shape', [(), (1,), (2, 3), (0,), (4, 0, 2)])
def test_sample_shape(shape):
    sample = Counting().sample(shape)
    np.testing.assert_array_equal(
        sample.array, np.arange(6. * math.prod(shape)).reshape(shape + (2, 3)))


def test_sample_shape_of_other_types():
    assert Counting().sample().shape == (2, 3)
    assert Counting().sample(4).shape == (4, 2, 3)
    assert Counting().sample([4, 5]).shape == (4, 5, 2, 3)
    with pytest.raises(TypeError):
        Counting().sample(None)


def test_array_module():
    class Params(chainer_fast.Distribution):
        params = {'a': chainer_fast.Variable(np.ones(2)), 'b': np.ones(2)}

    assert Params().xp is np


def test_divergence_goes_by_exact_classes(registry):
    class Mine(distributions.Normal):
        pass

    mine, other = normal(cls=Mine), normal()
    for pair in ((mine, other), (other, mine), (mine, mine), (other, 3)):
        with pytest.raises(KeyError):
            chainer_fast.kl_divergence(*pair)

    @chainer_fast.register_kl(Mine, distributions.Normal)
    def formula(dist1, dist2):
        return dist1, dist2

    assert formula is None
    assert chainer_fast.kl_divergence(mine, other) == (mine, other)
    with pytest.raises(KeyError):
        chainer_fast.kl_divergence(other, mine)

    chainer_fast.register_kl(Mine, distributions.Normal)(lambda dist1, dist2: 'latest')
    assert chainer_fast.kl_divergence(mine, other) == 'latest'


def test_cross_entropy():
    p, q = normal(), normal(scale=3)
    expected = 0.5 * np.log(2 * np.pi * 9) + 0.5 / 9
    np.testing.assert_allclose(
        chainer_fast.cross_entropy(p, q).array, [expected, expected])
    np.testing.assert_allclose(
        chainer_fast.cross_entropy(p, p).array, p.entropy.array)


def test_cross_entropy_of_a_method(registry):
    class Mine(chainer_fast.Distribution):
        def entropy(self):
            return 2

    chainer_fast.register_kl(Mine, Mine)(lambda dist1, dist2: 3)
    assert chainer_fast.cross_entropy(Mine(), Mine()) == 5


def test_cached_values_know_of_graphs():
    scale = chainer_fast.Variable(np.ones(2))
    dist = distributions.Normal(np.zeros(2), scale)
    with chainer_fast.no_backprop_mode():
        assert dist.entropy.creator is None
    assert dist.entropy.creator is not None
    assert dist.entropy is dist.entropy
    assert copy.copy(dist).entropy is dist.entropy


def test_exports():
    module = chainer_fast.distribution
    for name in ('Distribution', 'cross_entropy', 'kl_divergence', 'register_kl'):
        assert getattr(chainer_fast, name) is getattr(module, name)
