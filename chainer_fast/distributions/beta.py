from __future__ import annotations

from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import _terms
from chainer_fast.functions.math.digamma import digamma
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


def _lbeta(a, b):
    """Logarithm of the beta function."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)


class Beta(Distribution):
    """Beta distribution.

    .. math::

        p(x; a, b) = \\frac{x^{a-1} (1-x)^{b-1}}{B(a, b)}, \\quad 0 \\le x \\le 1

    Parameters
    ----------
    a : Variable or array
        First shape parameter, positive.
    b : Variable or array
        Second shape parameter, positive, of the shape and dtype of ``a``.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.
    ValueError
        When samples are drawn, if a parameter is out of range.

    Examples
    --------
    >>> d = chainer.distributions.Beta(np.float32([2]), np.float32([2]))
    >>> d.mean.array, d.log_prob(np.float32([0.5])).array
    (array([0.5], dtype=float32), array([0.4055], dtype=float32))
    """

    def __init__(self, a: VariableOrArray, b: VariableOrArray) -> None:
        super().__init__()
        self._a, self._b = a, b

    @cache.cached_property
    def a(self) -> Variable:
        """Variable: First shape parameter."""
        return as_variable(self._a)

    @cache.cached_property
    def b(self) -> Variable:
        """Variable: Second shape parameter."""
        return as_variable(self._b)

    @cache.cached_property
    def _total(self):
        return self.a + self.b

    @cache.cached_property
    def _log_normalizer(self):
        return _lbeta(self.a, self.b)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'a': self.a, 'b': self.b}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.a.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return '[0, 1]'

    def log_prob(self, x: VariableOrArray) -> Variable:
        points = as_array(x)
        inside = (points >= 0) & (points <= 1)
        power = _terms.times_log(self.a - 1, x, ~inside)
        power_of_rest = _terms.times_log1p(self.b - 1, -x, ~inside)
        return _terms.where_else(
            inside, power + power_of_rest - self._log_normalizer, -float('inf'))

    def sample_n(self, n: int) -> Variable:
        a, b = self.a.array, self.b.array
        drawn = self.xp.random.beta(a, b, (n,) + a.shape)
        return Variable(drawn.astype(a.dtype))

    @cache.cached_property
    def mean(self) -> Variable:
        return self.a / self._total

    @cache.cached_property
    def variance(self) -> Variable:
        total = self._total
        return self.a * self.b / total ** 2 / (total + 1)

    @cache.cached_property
    def entropy(self) -> Variable:
        a, b, total = self.a, self.b, self._total
        shapes = (a - 1) * digamma(a) + (b - 1) * digamma(b)
        return self._log_normalizer - shapes + (total - 2) * digamma(total)


@register_kl(Beta, Beta)
def _kl_beta_beta(dist1, dist2):
    expected = [
        (dist1.a - dist2.a) * digamma(dist1.a),
        (dist1.b - dist2.b) * digamma(dist1.b),
        (dist2._total - dist1._total) * digamma(dist1._total)]
    return dist2._log_normalizer - dist1._log_normalizer + sum(expected)
