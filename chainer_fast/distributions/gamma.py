from __future__ import annotations

from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import _terms
from chainer_fast.functions.math import exponential
from chainer_fast.functions.math.digamma import digamma
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


class Gamma(Distribution):
    """Gamma distribution.

    .. math::

        p(x; k, \\theta) = \\frac{x^{k-1} e^{-x/\\theta}}{\\theta^k \\Gamma(k)},
            \\quad x \\ge 0

    Samples are differentiable with respect to the scale only.

    Parameters
    ----------
    k : Variable or array
        Shape parameter, positive.
    theta : Variable or array
        Scale :math:`\\theta`, positive, of the shape and dtype of ``k``.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.
    ValueError
        When samples are drawn, if a parameter is out of range.

    Examples
    --------
    >>> d = chainer.distributions.Gamma(np.float32([2]), np.float32([3]))
    >>> d.mean.array, d.variance.array
    (array([6.], dtype=float32), array([18.], dtype=float32))
    """

    def __init__(self, k: VariableOrArray, theta: VariableOrArray) -> None:
        super().__init__()
        self._k, self._theta = k, theta

    @cache.cached_property
    def k(self) -> Variable:
        """Variable: Shape parameter."""
        return as_variable(self._k)

    @cache.cached_property
    def theta(self) -> Variable:
        """Variable: Scale."""
        return as_variable(self._theta)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'k': self.k, 'theta': self.theta}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.k.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return 'positive'

    def log_prob(self, x: VariableOrArray) -> Variable:
        k, theta = self.k, self.theta
        inside = as_array(x) >= 0
        log_normalizer = lgamma(k) + k * exponential.log(theta)
        power = _terms.times_log(k - 1, x, ~inside)
        return _terms.where_else(
            inside, power - log_normalizer - x / theta, -float('inf'))

    def sample_n(self, n: int) -> Variable:
        k = self.k.array
        noise = self.xp.random.gamma(k, size=(n,) + k.shape).astype(k.dtype)
        return self.theta * noise

    @cache.cached_property
    def mean(self) -> Variable:
        return self.k * self.theta

    @cache.cached_property
    def variance(self) -> Variable:
        return self.mean * self.theta

    @cache.cached_property
    def entropy(self) -> Variable:
        k = self.k
        return k + exponential.log(self.theta) + lgamma(k) + (1 - k) * digamma(k)


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(dist1, dist2):
    shapes = (
        (dist1.k - dist2.k) * digamma(dist1.k) - lgamma(dist1.k) + lgamma(dist2.k))
    log_ratio = exponential.log(dist2.theta) - exponential.log(dist1.theta)
    return (
        shapes + dist2.k * log_ratio + dist1.k * (dist1.theta / dist2.theta - 1))
