"""The distribution of numbers whose logarithms are normally distributed."""
from __future__ import annotations

from chainer_fast import backend
from chainer_fast.distribution import Distribution, kl_divergence, register_kl
from chainer_fast.distributions import utils
from chainer_fast.distributions.normal import ENTROPYC, LOGPROBC, Normal
from chainer_fast.functions.math import exponential, exponential_m1
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import Variable, VariableOrArray, as_variable


class LogNormal(Distribution):
    """Log-normal distribution.

    .. math::

        p(x; \\mu, \\sigma) = \\frac{1}{\\sqrt{2 \\pi} \\sigma x}
            \\exp\\left(- \\frac{(\\log x - \\mu)^2}{2 \\sigma^2}\\right)

    Samples are differentiable with respect to the parameters.

    Parameters
    ----------
    mu : Variable or array
        Mean of the logarithm. Its shape is that of the batch.
    sigma : Variable or array
        Standard deviation of the logarithm.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.

    Examples
    --------
    >>> d = chainer.distributions.LogNormal(np.float32([0]), np.float32([1]))
    >>> d.mean.array, d.log_prob(np.float32([1])).array
    (array([1.6487], dtype=float32), array([-0.9189], dtype=float32))
    """

    def __init__(self, mu: VariableOrArray, sigma: VariableOrArray) -> None:
        super().__init__()
        self._mu = mu
        self._sigma = sigma

    @cached_property
    def mu(self) -> Variable:
        """Variable: Mean of the logarithm."""
        return as_variable(self._mu)

    @cached_property
    def sigma(self) -> Variable:
        """Variable: Standard deviation of the logarithm."""
        return as_variable(self._sigma)

    @cached_property
    def _log_sigma(self):
        return exponential.log(self.sigma)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'mu': self.mu, 'sigma': self.sigma}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.mu.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return 'positive'

    def log_prob(self, x: VariableOrArray) -> Variable:
        log_x = exponential.log(x)
        z = (log_x - self.mu) / self.sigma
        return LOGPROBC - self._log_sigma - log_x - 0.5 * z ** 2

    @cached_property
    def mean(self) -> Variable:
        return exponential.exp(self.mu + 0.5 * self.sigma ** 2)

    @cached_property
    def variance(self) -> Variable:
        square = self.sigma ** 2
        return exponential.exp(2 * self.mu + square) * exponential_m1.expm1(square)

    @cached_property
    def entropy(self) -> Variable:
        return ENTROPYC + self.mu + self._log_sigma

    def sample_n(self, n: int) -> Variable:
        xp = backend.get_array_module(self.mu)
        noise = utils._standard_normal(
            xp, (n,) + self.mu.shape, self.mu.dtype)
        return exponential.exp(self.mu + self.sigma * noise)


@register_kl(LogNormal, LogNormal)
def _kl_log_normal_log_normal(dist1, dist2):
    # Bijections such as the logarithm do not change divergences.
    return kl_divergence(
        Normal(dist1.mu, dist1.sigma), Normal(dist2.mu, dist2.sigma))
