from __future__ import annotations

import numpy

from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import _terms, utils
from chainer_fast.functions.array.expand_dims import expand_dims
from chainer_fast.functions.math.digamma import digamma
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.functions.math.sum import sum as sum_
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_variable


def _draw(xp, alpha, n):
    """Draw ``n`` samples of each row of an array of concentrations."""
    utils._expect_last_axis(alpha, 'alpha')
    if xp is not numpy:
        drawn = xp.random.standard_gamma(alpha, (n,) + alpha.shape)
        return drawn / drawn.sum(axis=-1, keepdims=True)
    # Row by row, since the samples depend on the order of draws.
    drawn = numpy.empty((n,) + alpha.shape)
    for row in numpy.ndindex(alpha.shape[:-1]):
        drawn[(slice(None), *row)] = numpy.random.dirichlet(alpha[row], n)
    return drawn


class Dirichlet(Distribution):
    """Dirichlet distribution.

    .. math::

        p(x; \\alpha) = \\frac{\\Gamma(\\sum_i \\alpha_i)}{\\prod_i \\Gamma(\\alpha_i)}
            \\prod_i x_i^{\\alpha_i - 1}, \\quad x_i \\ge 0, \\quad \\sum_i x_i = 1

    Points are not checked to sum to one. The logarithm of the density is NaN at points
    with a negative element.

    Parameters
    ----------
    alpha : Variable or array
        Concentrations, positive. The last axis is the event axis.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.

    Examples
    --------
    >>> d = chainer.distributions.Dirichlet(np.float32([1, 2, 1]))
    >>> d.mean.array
    array([0.25, 0.5 , 0.25], dtype=float32)
    >>> x = d.sample((10,))
    >>> x.shape, np.allclose(x.array.sum(axis=1), 1)
    ((10, 3), True)
    """

    def __init__(self, alpha: VariableOrArray) -> None:
        super().__init__()
        self._alpha = alpha

    @cache.cached_property
    def alpha(self) -> Variable:
        """Variable: Concentrations."""
        return as_variable(self._alpha)

    @cache.cached_property
    def alpha0(self) -> Variable:
        """Variable: Sums of the concentrations, in the batch shape."""
        return sum_(self.alpha, axis=-1)

    @cache.cached_property
    def _log_normalizer(self):
        return sum_(lgamma(self.alpha), axis=-1) - lgamma(self.alpha0)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'alpha': self.alpha}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.alpha.shape[:-1]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self.alpha.shape[-1:]

    @property
    def support(self) -> str:
        return '[0, 1]'

    def log_prob(self, x: VariableOrArray) -> Variable:
        powers = _terms.times_log(self.alpha - 1, x)
        return sum_(powers, axis=-1) - self._log_normalizer

    def sample_n(self, n: int) -> Variable:
        """Draw ``n`` samples, in float32 whatever the dtype of ``alpha``.

        Parameters
        ----------
        n : int
            Number of samples from each distribution.

        Returns
        -------
        Variable
            Samples, of the shape ``(n,) + batch_shape + event_shape``.
        """
        drawn = _draw(self.xp, self.alpha.array, n)
        return Variable(drawn.astype(numpy.float32))

    @cache.cached_property
    def mean(self) -> Variable:
        return self.alpha / expand_dims(self.alpha0, axis=-1)

    @cache.cached_property
    def variance(self) -> Variable:
        total = expand_dims(self.alpha0, axis=-1)
        return self.alpha * (total - self.alpha) / total ** 2 / (total + 1)

    @cache.cached_property
    def entropy(self) -> Variable:
        parts = sum_((self.alpha - 1) * digamma(self.alpha), axis=-1)
        size, = self.event_shape
        whole = (self.alpha0 - size) * digamma(self.alpha0)
        return self._log_normalizer + whole - parts


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(dist1, dist2):
    mean_log = digamma(dist1.alpha) - expand_dims(digamma(dist1.alpha0), axis=-1)
    expected = sum_((dist1.alpha - dist2.alpha) * mean_log, axis=-1)
    return dist2._log_normalizer - dist1._log_normalizer + expected
