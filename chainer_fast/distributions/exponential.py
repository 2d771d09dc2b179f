from __future__ import annotations

from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import _terms
from chainer_fast.functions.math import exponential, exponential_m1, logarithm_1p
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


class Exponential(Distribution):
    """Exponential distribution.

    .. math::

        p(x; \\lambda) = \\lambda e^{-\\lambda x}, \\quad x \\ge 0

    Parameters
    ----------
    lam : Variable or array
        Rate :math:`\\lambda`, positive.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.

    Examples
    --------
    >>> d = chainer.distributions.Exponential(np.float32([2]))
    >>> d.mean.array, d.cdf(np.float32([1])).array
    (array([0.5], dtype=float32), array([0.8647], dtype=float32))
    """

    def __init__(self, lam: VariableOrArray) -> None:
        super().__init__()
        self._lam = lam

    @cache.cached_property
    def lam(self) -> Variable:
        """Variable: Rate."""
        return as_variable(self._lam)

    @cache.cached_property
    def _log_lam(self):
        return exponential.log(self.lam)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'lam': self.lam}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.lam.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return 'positive'

    def log_prob(self, x: VariableOrArray) -> Variable:
        return _terms.where_else(
            as_array(x) >= 0, self._log_lam - self.lam * x, -float('inf'))

    def cdf(self, x: VariableOrArray) -> Variable:
        return -exponential_m1.expm1(-(self.lam * x))

    def icdf(self, x: VariableOrArray) -> Variable:
        return -logarithm_1p.log1p(-as_variable(x)) / self.lam

    def sample_n(self, n: int) -> Variable:
        shape = (n,) + self.batch_shape
        noise = self.xp.random.standard_exponential(shape).astype(self.lam.dtype)
        return as_variable(noise) / self.lam

    @cache.cached_property
    def mean(self) -> Variable:
        return 1 / self.lam

    @cache.cached_property
    def variance(self) -> Variable:
        return self.mean ** 2

    @cache.cached_property
    def entropy(self) -> Variable:
        return 1 - self._log_lam


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(dist1, dist2):
    ratio = dist2.lam / dist1.lam
    return ratio - 1 + dist1._log_lam - dist2._log_lam
