from __future__ import annotations

import numpy

from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import _terms
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


class Poisson(Distribution):
    """Poisson distribution.

    .. math::

        p(x; \\lambda) = \\frac{\\lambda^x e^{-\\lambda}}{x!}, \\quad x = 0, 1, \\ldots

    Points are not checked to be integers. No gradient flows to them.

    Parameters
    ----------
    lam : Variable or array
        Expected number :math:`\\lambda`, not negative.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.
    ValueError
        When samples are drawn, if a parameter is out of range.

    Examples
    --------
    >>> d = chainer.distributions.Poisson(np.float32([2]))
    >>> d.mean.array, d.log_prob(np.float32([2])).array
    (array([2.], dtype=float32), array([-1.3069], dtype=float32))
    """

    def __init__(self, lam: VariableOrArray) -> None:
        super().__init__()
        self._lam = lam

    @cache.cached_property
    def lam(self) -> Variable:
        """Variable: Expected number."""
        return as_variable(self._lam)

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
        return 'non negative integer'

    def log_prob(self, x: VariableOrArray) -> Variable:
        x = as_variable(as_array(x).astype(self.lam.dtype))
        return _terms.times_log(x, self.lam) - lgamma(x + 1) - self.lam

    def sample_n(self, n: int) -> Variable:
        """Draw ``n`` samples, in float32 whatever the dtype of ``lam``.

        Parameters
        ----------
        n : int
            Number of samples from each distribution.

        Returns
        -------
        Variable
            Samples, of the shape ``(n,) + batch_shape``.
        """
        lam = self.lam.array
        drawn = self.xp.random.poisson(lam, (n,) + lam.shape)
        return Variable(drawn.astype(numpy.float32))

    @cache.cached_property
    def mean(self) -> Variable:
        return self.lam

    @cache.cached_property
    def variance(self) -> Variable:
        return self.lam


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(dist1, dist2):
    return (
        _terms.times_log(dist1.lam, dist1.lam) - _terms.times_log(dist1.lam, dist2.lam)
        - dist1.lam + dist2.lam)
