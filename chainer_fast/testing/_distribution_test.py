"""Tests that compare a distribution with SciPy's."""
import functools
import unittest

import numpy

from chainer_fast.backends import cuda
from chainer_fast.testing import array, attr
from chainer_fast.variable import Variable

# Number of samples whose mean and standard deviation are compared, and tolerances.
_N_SAMPLES = 100000
_SAMPLE_OPTIONS = {'atol': 3e-2, 'rtol': 3e-2}


def skip_not_in_test_target(test_target):
    """Return a decorator that skips a test if its target is not to be tested."""
    def decorate(method):
        @functools.wraps(method)
        def tested(self, *args, **kwargs):
            if test_target not in self.test_targets:
                self.skipTest('%r is not in test_targets' % test_target)
            return method(self, *args, **kwargs)

        return tested

    return decorate


class distribution_unittest(unittest.TestCase):
    """Base of test cases that compare a distribution with SciPy's.

    A subclass defines a method ``setUp_configure`` that sets these attributes:

    - ``dist``: class of the distribution, or a function that creates one.
    - ``params``: parameters of the distribution, a dict of arrays; ``options``: its
      other arguments.
    - ``scipy_dist``: distribution of :mod:`scipy.stats`; ``scipy_params``: its
      parameters.
    - ``test_targets``: set of the members to test, among ``'batch_shape'``, ``'cdf'``,
      ``'entropy'``, ``'event_shape'``, ``'icdf'``, ``'log_cdf'``, ``'log_prob'``,
      ``'log_survival'``, ``'mean'``, ``'prob'``, ``'sample'``, ``'stddev'``,
      ``'support'``, ``'survival'``, ``'variance'``.
    - ``support`` (default: ``'real'``), ``event_shape`` (``()``).
    - ``continuous`` (``True``): whether SciPy defines a density rather than a mass.

    The parameters of the subclass, for example by
    :func:`~chainer_fast.testing.parameterize`, are ``shape`` and ``sample_shape``, the
    shapes of a batch and of samples, and ``is_variable``, whether the parameters are
    variables. Its method ``sample_for_test`` returns points at which probabilities are
    compared.
    """

    # Attributes of the class, so that parameters of a test case may set them, too.
    #

    support = 'real'
    event_shape = ()
    continuous = True

    #: Whether SciPy's distribution accepts the parameters of only one element of the
    #: batch at a time.
    scipy_onebyone = False

    def setUp(self):
        self.test_targets = set()
        self.options = {}
        self.setUp_configure()

    @property
    def cpu_dist(self):
        """The distribution with NumPy arrays."""
        return self._make_dist(self.params)

    @property
    def gpu_dist(self):
        """The distribution with CuPy arrays."""
        return self._make_dist(
            {name: cuda.to_gpu(param) for name, param in self.params.items()})

    def _make_dist(self, params):
        if self.is_variable:
            params = {
                name: Variable(param) for name, param in params.items()}
        return self.dist(**params, **self.options)

    def scipy_onebyone_params_iter(self):
        """Yield SciPy's parameters of each element of the batch."""
        for index in numpy.ndindex(self.shape):
            yield {name: param[index] for name, param in self.scipy_params.items()}

    # Properties of the distribution
    #

    def _check_property(self, is_gpu, name, scipy_name):
        """Compare a property with a value for each element of the batch."""
        dist = self.gpu_dist if is_gpu else self.cpu_dist
        actual = getattr(dist, name).array
        expected = getattr(self.scipy_dist, scipy_name)
        if self.scipy_onebyone:
            each = [expected(**params) for params in self.scipy_onebyone_params_iter()]
            value_shape = () if name == 'entropy' else tuple(dist.event_shape)
            expected = numpy.array(each).reshape(self.shape + value_shape)
        else:
            expected = expected(**self.scipy_params)
        array.assert_allclose(actual, expected)

    def check_entropy(self, is_gpu):
        self._check_property(is_gpu, 'entropy', 'entropy')

    def check_mean(self, is_gpu):
        self._check_property(is_gpu, 'mean', 'mean')

    def check_stddev(self, is_gpu):
        self._check_property(is_gpu, 'stddev', 'std')

    def check_variance(self, is_gpu):
        self._check_property(is_gpu, 'variance', 'var')

    # Functions of points
    #

    def _check_at(self, is_gpu, points, name, scipy_name):
        """Compare values of a function of points."""
        if is_gpu:
            actual = getattr(self.gpu_dist, name)(cuda.to_gpu(points)).array
        else:
            actual = getattr(self.cpu_dist, name)(points).array
        expected = getattr(self.scipy_dist, scipy_name)(points, **self.scipy_params)
        array.assert_allclose(actual, expected)

    def check_cdf(self, is_gpu):
        self._check_at(is_gpu, self.sample_for_test(), 'cdf', 'cdf')

    def check_icdf(self, is_gpu):
        # Without 0 and 1, where it may be infinite.
        points = numpy.random.uniform(
            1e-5, 1 - 1e-5, self.sample_shape + self.shape).astype(numpy.float32)
        self._check_at(is_gpu, points, 'icdf', 'ppf')

    def check_log_cdf(self, is_gpu):
        self._check_at(is_gpu, self.sample_for_test(), 'log_cdf', 'logcdf')

    def check_log_survival(self, is_gpu):
        self._check_at(
            is_gpu, self.sample_for_test(), 'log_survival_function', 'logsf')

    def check_prob(self, is_gpu):
        self._check_at(
            is_gpu, self.sample_for_test(), 'prob', 'pdf' if self.continuous else 'pmf')

    def check_survival(self, is_gpu):
        self._check_at(is_gpu, self.sample_for_test(), 'survival_function', 'sf')

    def check_log_prob(self, is_gpu):
        points = self.sample_for_test()
        scipy_name = 'logpdf' if self.continuous else 'logpmf'
        if not self.scipy_onebyone:
            self._check_at(is_gpu, points, 'log_prob', scipy_name)
            return
        if is_gpu:
            actual = self.gpu_dist.log_prob(cuda.to_gpu(points)).array
        else:
            actual = self.cpu_dist.log_prob(points).array
        log_prob = getattr(self.scipy_dist, scipy_name)
        # One axis replaces the batch axes.
        n_sample_axes = len(self.sample_shape)
        flat = points.reshape(self.sample_shape + (-1,) + self.event_shape)
        each = [
            log_prob(numpy.take(flat, i, axis=n_sample_axes), **params)
            for i, params in enumerate(self.scipy_onebyone_params_iter())]
        expected = numpy.stack(each, axis=-1).reshape(self.sample_shape + self.shape)
        array.assert_allclose(actual, expected)

    # Samples
    #

    def check_sample(self, is_gpu):
        dist = self.gpu_dist if is_gpu else self.cpu_dist
        size = (_N_SAMPLES,) + self.sample_shape
        actual = dist.sample(sample_shape=size).array
        if self.scipy_onebyone:
            each = [self.scipy_dist.rvs(size=size, **params)
                    for params in self.scipy_onebyone_params_iter()]
            expected = numpy.stack(each, axis=len(size)).reshape(
                size + self.shape + tuple(dist.event_shape))
        else:
            expected = self.scipy_dist.rvs(size=size + self.shape, **self.scipy_params)
        for moment in ('mean', 'std'):
            array.assert_allclose(
                getattr(actual, moment)(axis=0), getattr(expected, moment)(axis=0),
                **_SAMPLE_OPTIONS)

    # Shapes and support
    #

    def _check_attribute(self, is_gpu, name, expected):
        dist = self.gpu_dist if is_gpu else self.cpu_dist
        self.assertEqual(getattr(dist, name), expected)

    def _check_batch_shape(self, is_gpu):
        self._check_attribute(is_gpu, 'batch_shape', self.shape)

    def _check_event_shape(self, is_gpu):
        self._check_attribute(is_gpu, 'event_shape', self.event_shape)

    def _check_support(self, is_gpu):
        self._check_attribute(is_gpu, 'support', self.support)


def _add_tests(target, prefix='check_'):
    """Add the tests that call ``check_TARGET``, for the CPU and for the GPU."""
    @skip_not_in_test_target(target)
    def test_cpu(self):
        getattr(self, prefix + target)(False)

    @attr.gpu
    @skip_not_in_test_target(target)
    def test_gpu(self):
        getattr(self, prefix + target)(True)

    for test in (test_cpu, test_gpu):
        # e.g. 'test_log_prob_cpu'
        test.__name__ = test.__name__.replace('test', 'test_' + target)
        test.__qualname__ = 'distribution_unittest.' + test.__name__
        setattr(distribution_unittest, test.__name__, test)


for _target in ('cdf', 'entropy', 'icdf', 'log_cdf', 'log_prob', 'log_survival', 'mean',
                'prob', 'sample', 'stddev', 'survival', 'variance'):
    _add_tests(_target)
for _target in ('batch_shape', 'event_shape', 'support'):
    _add_tests(_target, '_check_')
