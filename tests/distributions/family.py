"""Tests shared by all families of distributions."""
import copy
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate

import chainer_fast
from chainer_fast import gradient_check
from tests import compare
from tests.devices import to_cpu

# By our names: those of SciPy.
FUNCTIONS = {
    'log_prob': 'logpdf', 'prob': 'pdf', 'cdf': 'cdf', 'icdf': 'ppf'}
STATISTICS = {
    'mean': 'mean', 'variance': 'var', 'stddev': 'std', 'entropy': 'entropy'}
TOLERANCE = {np.float16: 3e-2, np.float32: 1e-4, np.float64: 1e-9}
dtypes = pytest.mark.parametrize('dtype', [np.float16, np.float32, np.float64])


class Family:
    """Tests of one family, which subclasses describe."""

    dist = None
    parameters = {}
    """Lowest and highest value of each parameter."""
    points = 0.1, 5
    """Lowest and highest point at which functions are evaluated."""
    discrete = False
    functions = ('log_prob',)
    statistics = ('mean', 'variance', 'entropy')
    missing = ('mode', 'covariance', 'stddev')
    support = 'real'
    reparameterized = True
    noise_has = ()
    """Parameters that the noise depends on: no gradients of samples flow to them."""
    has_divergence = True
    sample_dtype = None
    """Of the samples, where it is not that of the parameters."""

    def frozen(self, **params):
        """Return the distribution of SciPy."""
        raise NotImplementedError

    def drawn(self, size, **params):
        """Draw by NumPy what ``sample_n`` is to return."""
        raise NotImplementedError

    # Material
    #

    def params(self, shape, dtype=np.float64, seed=0):
        rs = np.random.RandomState(seed)
        return {
            name: np.asarray(rs.uniform(*ends, shape)).astype(dtype)
            for name, ends in self.parameters.items()}

    def at(self, shape, dtype=np.float64):
        rs = np.random.RandomState(7)
        if self.discrete:
            low, high = self.points
            return rs.randint(low, high + 1, shape).astype(dtype)
        return np.asarray(rs.uniform(*self.points, shape)).astype(dtype)

    def probabilities(self, x):
        """Return points for ``icdf`` in the place of others."""
        return (x - self.points[0] + 0.3) / (self.points[1] - self.points[0] + 0.6)

    def expected(self, name, x, **params):
        function = FUNCTIONS[name]
        if self.discrete:
            function = function.replace('pdf', 'pmf')
        return getattr(self.frozen(**params), function)(x)

    # Values
    #

    @settings(
        max_examples=25, suppress_health_check=[HealthCheck.differing_executors])
    @given(data=st.data())
    def test_functions_are_those_of_scipy(self, device, data):
        shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
        params = {
            name: data.draw(hnp.arrays(np.float64, shape, elements=st.floats(*ends)))
            for name, ends in self.parameters.items()}
        elements = st.integers(*self.points).map(float) if self.discrete else (
            st.floats(*self.points))
        x = data.draw(hnp.arrays(np.float64, (2,) + shape, elements=elements))
        dist = self.dist(**device.send(params))
        for name in self.functions:
            at = self.probabilities(x) if name == 'icdf' else x
            compare.assert_allclose(
                getattr(dist, name)(device.send(at)).array,
                self.expected(name, at, **params), rtol=1e-8, atol=1e-8, err_msg=name)

    @dtypes
    @pytest.mark.parametrize('variables', [True, False])
    def test_dtypes_are_kept(self, device, dtype, variables):
        params = self.params((2, 3), dtype)
        exact = {name: each.astype(float) for name, each in params.items()}
        x = self.at((4, 2, 3), dtype)
        wrap = chainer_fast.Variable if variables else device.xp.asarray
        dist = self.dist(**{
            name: wrap(each) for name, each in device.send(params).items()})
        for name in self.functions:
            at = self.probabilities(x).astype(dtype) if name == 'icdf' else x
            y = getattr(dist, name)(wrap(device.send(at)))
            assert y.dtype == dtype
            compare.assert_allclose(
                y.array, self.expected(name, at.astype(float), **exact),
                rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype], err_msg=name)
        for name in self.statistics:
            y = getattr(dist, name)
            assert y.dtype == dtype
            compare.assert_allclose(
                y.array, getattr(self.frozen(**exact), STATISTICS[name])(),
                rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype], err_msg=name)

    @pytest.mark.parametrize('shape', [(), (0,), (2, 3)])
    def test_shapes(self, device, shape):
        dist = self.dist(**device.send(self.params(shape, np.float32)))
        assert dist.batch_shape == shape
        assert dist.event_shape == ()
        assert dist.support == self.support
        assert dist.xp is device.xp
        assert list(dist.params) == list(self.parameters)
        for name in self.statistics:
            assert getattr(dist, name).shape == shape
        assert dist.sample().shape == shape
        assert dist.sample((4, 2)).shape == (4, 2) + shape
        assert dist.sample_n(5).shape == (5,) + shape

    def test_points_broadcast_with_the_batch(self, device):
        dist = self.dist(**device.send(self.params((3,))))
        x = device.send(self.at((2, 1)))
        compare.assert_array_equal(
            dist.log_prob(x).array,
            dist.log_prob(np.broadcast_to(x, (2, 3)).copy()).array)

    def test_what_has_no_formula(self, device):
        dist = self.dist(**device.send(self.params(())))
        for name in self.missing:
            with pytest.raises(NotImplementedError):
                getattr(dist, name)
        for name in set(FUNCTIONS) - set(self.functions) | {'log_cdf', 'perplexity'}:
            with pytest.raises(NotImplementedError):
                getattr(dist, name)(device.send(self.at(())))

    def test_parameters_are_the_variables_given_and_fixed(self, device):
        params = {
            name: chainer_fast.Variable(each)
            for name, each in device.send(self.params((3,))).items()}
        dist = self.dist(**params)
        for name, param in params.items():
            assert dist.params[name] is param
            assert getattr(dist, name) is param
            with pytest.raises(AttributeError):
                setattr(dist, name, param)
        with pytest.raises(TypeError):
            self.dist(*params.values(), 1)
        with pytest.raises(TypeError):
            self.dist(*[[0.5]] * len(params)).params  # noqa: B018

    def test_copies(self, device):
        dist = self.dist(**device.send(self.params((3,))))
        x = device.send(self.at((3,)))
        expected = dist.log_prob(x).array
        for other in (copy.copy(dist), pickle.loads(pickle.dumps(dist))):
            compare.assert_array_equal(other.log_prob(x).array, expected)

    # Gradients
    #

    def test_gradients_of_functions(self, device):
        params = self.params((2, 3))
        x = self.at((2, 3))
        for name in self.functions:
            at = device.send(self.probabilities(x) if name == 'icdf' else x)
            # A discrete point is not a place to take steps at.
            inputs = list(params.values()) + ([] if self.discrete else [at])

            def function(*inputs, name=name, at=at):
                n = len(params)
                return getattr(self.dist(*inputs[:n]), name)(*inputs[n:] or (at,))

            self._check_gradients(device, function, inputs)

    def test_gradients_of_statistics(self, device):
        inputs = list(self.params((2, 3)).values())
        for name in self.statistics:
            # The squares are there for statistics that have nothing to do with one of
            # the parameters, or are linear in them.
            self._check_gradients(
                device, lambda *params, name=name: getattr(self.dist(*params), name)
                + sum([param ** 2 for param in params]), inputs)

    @staticmethod
    def _check_gradients(device, function, inputs):
        inputs = device.send(inputs)
        gy = device.send(np.random.RandomState(1).uniform(0.5, 1, (2, 3)))
        ggs = device.send([
            np.random.RandomState(2).uniform(-1, 1, x.shape) for x in inputs])
        options = {'dtype': np.float64, 'atol': 1e-4, 'rtol': 1e-3}
        gradient_check.check_backward(function, inputs, gy, **options)
        gradient_check.check_double_backward(
            function, inputs, gy, ggs, **options)

    # Samples
    #

    @dtypes
    def test_stream_of_samples(self, dtype):
        params = self.params((2, 3), dtype)
        np.random.seed(5)
        expected = self.drawn((4, 2, 3), **params)
        np.random.seed(5)
        sample = self.dist(**params).sample_n(4)
        assert sample.dtype == (self.sample_dtype or dtype)
        assert expected.dtype == sample.dtype
        compare.assert_array_equal(sample.array, expected)

    def test_moments_of_samples(self, device):
        params = self.params((3,))
        frozen = self.frozen(**params)
        device.seed(0)
        sample = to_cpu(self.dist(**device.send(params)).sample_n(20000).array)
        compare.assert_allclose(
            sample.mean(axis=0), frozen.mean(), atol=4 * frozen.std().max() / 141)
        compare.assert_allclose(sample.var(axis=0), frozen.var(), rtol=0.15)

    def test_gradients_of_samples(self, device):
        params = [
            chainer_fast.Variable(device.send(each))
            for each in self.params((3,)).values()]
        device.seed(0)
        sample = self.dist(*params).sample_n(2)
        if not self.reparameterized:
            assert sample.creator is None
            return
        grads = chainer_fast.grad([sample], params, [device.xp.ones((2, 3))])
        step = 1e-6
        for i, grad in enumerate(grads):
            if grad is None:
                assert list(self.parameters)[i] in self.noise_has
                continue
            assert list(self.parameters)[i] not in self.noise_has
            moved = [each.array + step * (j == i) for j, each in enumerate(params)]
            device.seed(0)
            there = self.dist(*moved).sample_n(2).array
            slope = (there - sample.array).sum(axis=0) / step
            compare.assert_allclose(grad.array, slope, rtol=1e-4, atol=1e-4)

    # Divergences
    #

    def test_divergence_is_the_integral(self, device):
        first, second = self.params((2,), seed=1), self.params((2,), seed=2)
        dists = self.dist(**device.send(first)), self.dist(**device.send(second))
        if not self.has_divergence:
            with pytest.raises(KeyError):
                chainer_fast.kl_divergence(*dists)
            return
        self._fit_for_divergence(first, second)
        dists = self.dist(**device.send(first)), self.dist(**device.send(second))
        actual = to_cpu(chainer_fast.kl_divergence(*dists).array)
        for i in range(2):
            p, q = [
                self.frozen(**{name: each[i] for name, each in params.items()})
                for params in (first, second)]
            if self.discrete:
                x = np.arange(400)
                mass = p.pmf(x)
                x = x[mass > 0]
                expected = (p.pmf(x) * (p.logpmf(x) - q.logpmf(x))).sum()
            else:
                ends = p.ppf(1e-11), p.ppf(1 - 1e-11)
                expected, _ = integrate.quad(
                    lambda x, p=p, q=q: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)),
                    *ends, limit=400, points=p.ppf([1e-4, 0.1, 0.5, 0.9, 1 - 1e-4]))
            compare.assert_allclose(actual[i], expected, rtol=1e-5)

    def _fit_for_divergence(self, first, second):
        """Change parameters for which the divergence or the integral is not finite."""

    def test_divergence_from_itself_is_zero(self, device):
        if not self.has_divergence:
            return
        dist = self.dist(**device.send(self.params((2, 3))))
        compare.assert_allclose(
            chainer_fast.kl_divergence(dist, dist).array, 0, atol=1e-12)

    def test_gradients_of_divergence(self, device):
        if not self.has_divergence:
            return
        first, second = self.params((2, 3), seed=1), self.params((2, 3), seed=2)
        self._fit_for_divergence(first, second)
        n = len(first)
        self._check_gradients(
            device, lambda *params: chainer_fast.kl_divergence(
                self.dist(*params[:n]), self.dist(*params[n:])),
            [*first.values(), *second.values()])
