from __future__ import annotations

import math

import numpy

from chainer_fast.distribution import register_kl
from chainer_fast.distributions._location_scale import LocationScale
from chainer_fast.functions.math import exponential
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray

EULER = numpy.euler_gamma


class Gumbel(LocationScale):
    """Gumbel distribution: the distribution of the largest of many values.

    .. math::

        p(x; \\mu, \\eta) = \\frac{1}{\\eta} e^{-z - e^{-z}},
            \\quad z = \\frac{x - \\mu}{\\eta}

    Parameters
    ----------
    loc : Variable or array
        Location :math:`\\mu`, which is the most probable value.
    scale : Variable or array
        Scale :math:`\\eta`, positive, of the shape and dtype of ``loc``.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.

    Examples
    --------
    >>> d = chainer.distributions.Gumbel(np.float32([0]), np.float32([1]))
    >>> d.mean.array, d.variance.array
    (array([0.5772], dtype=float32), array([1.6449], dtype=float32))
    """

    @cache.cached_property
    def _log_scale(self):
        return exponential.log(self.scale)

    def log_prob(self, x: VariableOrArray) -> Variable:
        z = self._standardize(x)
        return -self._log_scale - z - exponential.exp(-z)

    def _noise(self, shape):
        return self.xp.random.gumbel(size=shape)

    @cache.cached_property
    def mean(self) -> Variable:
        return self.loc + EULER * self.scale

    @cache.cached_property
    def variance(self) -> Variable:
        return self.scale ** 2 * (math.pi ** 2 / 6)

    @cache.cached_property
    def entropy(self) -> Variable:
        return self._log_scale + (1 + EULER)


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(dist1, dist2):
    ratio = dist1.scale / dist2.scale
    shift = (dist1.loc - dist2.loc) / dist2.scale
    return (
        dist2._log_scale - dist1._log_scale + EULER * (ratio - 1) + shift
        + exponential.exp(lgamma(ratio + 1) - shift) - 1)
