from __future__ import annotations

import math

from chainer_fast.distribution import Distribution
from chainer_fast.distributions import _terms
from chainer_fast.functions.math.digamma import digamma
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_variable


class Chisquare(Distribution):
    """Chi-square distribution: that of a sum of squares of standard normal values.

    .. math::

        p(x; k) = \\frac{x^{k/2-1} e^{-x/2}}{2^{k/2} \\Gamma(k/2)}, \\quad x > 0

    The logarithm of the density is NaN at negative points.

    Parameters
    ----------
    k : Variable or array
        Degrees of freedom, positive.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.
    ValueError
        When samples are drawn, if a parameter is out of range.

    Examples
    --------
    >>> d = chainer.distributions.Chisquare(np.float32([4]))
    >>> d.mean.array, d.variance.array
    (array([4.], dtype=float32), array([8.], dtype=float32))
    """

    def __init__(self, k: VariableOrArray) -> None:
        super().__init__()
        self._k = k

    @cache.cached_property
    def k(self) -> Variable:
        """Variable: Degrees of freedom."""
        return as_variable(self._k)

    @cache.cached_property
    def _half_k(self):
        return self.k * 0.5

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'k': self.k}

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
        shape = self._half_k
        log_normalizer = lgamma(shape) + shape * math.log(2)
        return _terms.times_log(shape - 1, x) - log_normalizer - x * 0.5

    def sample_n(self, n: int) -> Variable:
        k = self.k.array
        drawn = self.xp.random.chisquare(k, (n,) + k.shape)
        return Variable(drawn.astype(k.dtype))

    @cache.cached_property
    def mean(self) -> Variable:
        return self.k

    @cache.cached_property
    def variance(self) -> Variable:
        return self.k * 2

    @cache.cached_property
    def entropy(self) -> Variable:
        shape = self._half_k
        return shape + math.log(2) + lgamma(shape) + (1 - shape) * digamma(shape)
