from __future__ import annotations

from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import _terms
from chainer_fast.functions.math import exponential
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


class Pareto(Distribution):
    """Pareto distribution.

    .. math::

        p(x; x_m, \\alpha) = \\frac{\\alpha x_m^\\alpha}{x^{\\alpha + 1}},
            \\quad x \\ge x_m

    Its mean is infinite for :math:`\\alpha \\le 1`, its variance for
    :math:`\\alpha \\le 2`. Samples are differentiable with respect to the scale only.

    Parameters
    ----------
    scale : Variable or array
        Smallest value :math:`x_m`, positive.
    alpha : Variable or array
        Exponent of the tail, positive, of the shape and dtype of ``scale``.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.
    ValueError
        When samples are drawn, if a parameter is out of range.

    Examples
    --------
    >>> d = chainer.distributions.Pareto(np.float32([1]), np.float32([3]))
    >>> d.mean.array, d.log_prob(np.float32([1])).array
    (array([1.5], dtype=float32), array([1.0986], dtype=float32))
    """

    def __init__(self, scale: VariableOrArray, alpha: VariableOrArray) -> None:
        super().__init__()
        self._scale, self._alpha = scale, alpha

    @cache.cached_property
    def scale(self) -> Variable:
        """Variable: Smallest value."""
        return as_variable(self._scale)

    @cache.cached_property
    def alpha(self) -> Variable:
        """Variable: Exponent of the tail."""
        return as_variable(self._alpha)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'scale': self.scale, 'alpha': self.alpha}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.scale.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return '[scale, inf]'

    def log_prob(self, x: VariableOrArray) -> Variable:
        _terms.expect_broadcast(scale=self.scale, x=x)
        inside = as_array(x) >= self.scale.array
        log_x = exponential.log(_terms.substitute(x, ~inside, 1))
        log_normalizer = self.alpha * exponential.log(self.scale)
        log_density = (
            exponential.log(self.alpha) + log_normalizer - (self.alpha + 1) * log_x)
        return _terms.where_else(inside, log_density, -float('inf'))

    def sample_n(self, n: int) -> Variable:
        alpha = self.alpha.array
        # NumPy's Pareto distribution starts at zero.
        excess = self.xp.random.pareto(alpha, (n,) + self.batch_shape)
        return self.scale * (excess.astype(alpha.dtype) + 1)

    def _above(self, order):
        """Return a mask of tails with a moment of an order, and valid exponents."""
        finite = self.alpha.array > order
        return finite, _terms.substitute(self.alpha, ~finite, order + 1)

    @cache.cached_property
    def mean(self) -> Variable:
        finite, alpha = self._above(1)
        return _terms.where_else(
            finite, alpha * self.scale / (alpha - 1), float('inf'))

    @cache.cached_property
    def variance(self) -> Variable:
        finite, alpha = self._above(2)
        variance = self.scale ** 2 * alpha / (alpha - 1) ** 2 / (alpha - 2)
        return _terms.where_else(finite, variance, float('inf'))

    @cache.cached_property
    def entropy(self) -> Variable:
        return exponential.log(self.scale / self.alpha) + (1 + 1 / self.alpha)


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(dist1, dist2):
    _terms.expect_broadcast(scale1=dist1.scale, scale2=dist2.scale)
    covered = dist1.scale.array >= dist2.scale.array
    tails = dist2.alpha / dist1.alpha
    divergence = (
        tails - 1 - exponential.log(tails)
        + dist2.alpha * exponential.log(dist1.scale / dist2.scale))
    return _terms.where_else(covered, divergence, float('inf'))
