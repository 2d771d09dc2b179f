import unittest

import numpy
import pytest
from scipy import stats

import chainer_fast
from chainer_fast import testing
from chainer_fast.testing import distribution_test

EVERY_TARGET = {
    'batch_shape', 'cdf', 'entropy', 'event_shape', 'icdf', 'log_cdf', 'log_prob',
    'log_survival', 'mean', 'prob', 'sample', 'stddev', 'support', 'survival',
    'variance'}


def array_of(x):
    return x.array if isinstance(x, chainer_fast.Variable) else x


class Normal:
    """A normal distribution, no more than is tested."""

    support = 'real'
    event_shape = ()
    error = 0

    def __init__(self, loc, scale):
        self.scipy_dist = stats.norm(array_of(loc), array_of(scale))
        self.batch_shape = loc.shape

    def sample(self, sample_shape):
        return chainer_fast.Variable(
            self.error + self.scipy_dist.rvs(size=sample_shape + self.batch_shape))


class Wrong(Normal):
    """A distribution with everything wrong."""

    error = 1
    support = 'positive'
    event_shape = (7,)
    batch_shape = property(lambda self: self._batch_shape + (7,))

    @batch_shape.setter
    def batch_shape(self, value):
        self._batch_shape = value

    def sample(self, sample_shape):
        samples = self.scipy_dist.rvs(size=sample_shape + self._batch_shape)
        return chainer_fast.Variable(samples + 1)


for _name, _scipy_name in [
        ('entropy', 'entropy'), ('mean', 'mean'), ('stddev', 'std'),
        ('variance', 'var')]:
    setattr(Normal, _name, property(
        lambda self, name=_scipy_name: chainer_fast.Variable(
            numpy.asarray(self.error + getattr(self.scipy_dist, name)()))))
for _name, _scipy_name in [
        ('cdf', 'cdf'), ('icdf', 'ppf'), ('log_cdf', 'logcdf'), ('log_prob', 'logpdf'),
        ('log_survival_function', 'logsf'), ('prob', 'pdf'),
        ('survival_function', 'sf')]:
    setattr(Normal, _name, lambda self, x, name=_scipy_name: chainer_fast.Variable(
        numpy.asarray(self.error + getattr(self.scipy_dist, name)(x))))


class NormalTest(testing.distribution_unittest):
    # Run by the tests below only.
    __test__ = False

    shape = (2, 3)
    sample_shape = (2,)
    is_variable = False
    dist_class = Normal

    def setUp_configure(self):
        self.dist = self.dist_class
        self.scipy_dist = stats.norm
        self.test_targets = EVERY_TARGET
        loc = numpy.random.uniform(-1, 1, self.shape).astype('f')
        scale = numpy.random.uniform(0.5, 2, self.shape).astype('f')
        self.params = {'loc': loc, 'scale': scale}
        self.scipy_params = self.params

    def sample_for_test(self):
        return numpy.random.normal(size=self.sample_shape + self.shape).astype('f')


def run(klass, target):
    result = unittest.TestResult()
    klass('test_%s_cpu' % target).run(result)
    return result


@pytest.mark.parametrize('target', sorted(EVERY_TARGET))
@pytest.mark.parametrize('onebyone', [True, False])
def test_right(target, onebyone):
    class Test(NormalTest):
        scipy_onebyone = onebyone
        is_variable = onebyone

    numpy.random.seed(0)
    result = run(Test, target)
    assert result.wasSuccessful(), result.failures + result.errors
    assert result.skipped == []


@pytest.mark.parametrize('target', sorted(EVERY_TARGET))
def test_wrong(target):
    class Test(NormalTest):
        dist_class = Wrong

    numpy.random.seed(0)
    assert len(run(Test, target).failures) == 1


def test_not_a_target():
    class Test(NormalTest):
        def setUp_configure(self):
            super().setUp_configure()
            self.test_targets = {'mean'}

    assert run(Test, 'mean').skipped == []
    (_, reason), = run(Test, 'cdf').skipped
    assert 'cdf' in reason


def test_is_variable_and_options():
    class Test(NormalTest):
        is_variable = True

        def setUp_configure(self):
            super().setUp_configure()
            self.dist = lambda **kwargs: kwargs
            self.options = {'option': 3}

    test = Test('test_mean_cpu')
    test.setUp()
    made = test.cpu_dist
    assert made['option'] == 3
    assert isinstance(made['loc'], chainer_fast.Variable)
    assert made['loc'].array is test.params['loc']


def test_discrete():
    names = []

    class Recorder:
        def __getattr__(self, name):
            names.append(name)
            return lambda *args, **kwargs: numpy.zeros(3)

    class Dist:
        def __getattr__(self, name):
            return lambda x: chainer_fast.Variable(numpy.zeros(3))

    class Test(NormalTest):
        shape = (3,)
        sample_shape = ()

        def setUp_configure(self):
            super().setUp_configure()
            self.continuous = False
            self.dist = lambda **kwargs: Dist()
            self.scipy_dist = Recorder()

    assert run(Test, 'prob').wasSuccessful()
    assert run(Test, 'log_prob').wasSuccessful()
    assert names == ['pmf', 'logpmf']


class Vector:
    """Two independent normal distributions, as one of vectors."""

    support = 'real'
    event_shape = (2,)

    def __init__(self, mean):
        self.mean = chainer_fast.Variable(mean)
        self.batch_shape = mean.shape[:-1]
        self.entropy = chainer_fast.Variable(
            numpy.full(self.batch_shape, 2 * stats.norm.entropy()))

    def log_prob(self, x):
        return chainer_fast.Variable(
            stats.norm.logpdf(x, self.mean.array).sum(axis=-1))

    def sample(self, sample_shape):
        return chainer_fast.Variable(numpy.random.normal(
            self.mean.array, size=sample_shape + self.mean.shape))


class ScipyVector:
    def __getattr__(self, name):
        return getattr(stats.multivariate_normal, name)

    def mean(self, mean):
        return mean


@pytest.mark.parametrize(
    'target', ['log_prob', 'entropy', 'event_shape', 'batch_shape', 'mean', 'sample'])
def test_event_shape_onebyone(target):
    class Test(NormalTest):
        scipy_onebyone = True

        def setUp_configure(self):
            self.test_targets = EVERY_TARGET
            self.dist = Vector
            self.scipy_dist = ScipyVector()
            self.event_shape = 2,
            mean = numpy.random.uniform(-1, 1, (*self.shape, 2))
            self.params = self.scipy_params = {'mean': mean}

        def sample_for_test(self):
            return numpy.random.normal(size=(*self.sample_shape, *self.shape, 2))

    numpy.random.seed(0)
    result = run(Test, target)
    assert result.wasSuccessful(), result.failures + result.errors


@pytest.mark.parametrize('target', ['log_prob', 'entropy', 'event_shape'])
def test_event_shape_as_a_parameter(target):
    class Test(NormalTest):
        scipy_onebyone = True
        event_shape = 2,

        def setUp_configure(self):
            self.test_targets = EVERY_TARGET
            self.dist = Vector
            self.scipy_dist = ScipyVector()
            mean = numpy.zeros((*self.shape, *self.event_shape))
            self.params = self.scipy_params = {'mean': mean}

        def sample_for_test(self):
            return numpy.zeros(self.sample_shape + self.shape + self.event_shape)

    result = run(Test, target)
    assert result.wasSuccessful(), result.failures + result.errors


def test_gpu_tests_are_marked():
    for target in EVERY_TARGET:
        test = getattr(testing.distribution_unittest, 'test_%s_gpu' % target)
        assert [m.name for m in test.pytestmark] == ['gpu']
        assert test.__name__ == 'test_%s_gpu' % target


def test_module_alias():
    assert distribution_test.distribution_unittest is testing.distribution_unittest
