from __future__ import annotations

import math
import warnings

from chainer_fast.distributions._location_scale import LocationScale
from chainer_fast.functions.array.where import where
from chainer_fast.functions.math import exponential, logarithm_1p, trigonometric
from chainer_fast.functions.math.maximum import maximum
from chainer_fast.functions.math.minimum import minimum
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


def _log_sum_of_squares(x, y):
    """Return ``log(x**2 + y**2)``, even if the squares overflow."""
    longer, shorter = maximum(x, y), minimum(y, x)
    return (
        2 * exponential.log(longer) + logarithm_1p.log1p((shorter / longer) ** 2))


def _cauchy_icdf(x):
    """Return quantiles of the standard distribution: ``tan(pi * (x - 1 / 2))``.

    To preserve precision, the difference to the nearest of 0, 1/2 and 1 is used, with
    the cotangent near 0 and 1.
    """
    x = as_variable(x)
    below = as_array(x) < 0.5
    rest = where(below, x, 1 - x)
    in_tail = rest.array < 0.25
    angle = math.pi * where(in_tail, rest, 0.5 - rest)
    sin, cos = trigonometric.sin(angle), trigonometric.cos(angle)
    size = where(in_tail, cos, sin) / where(in_tail, sin, cos)
    return where(below, -size, size)


class Cauchy(LocationScale):
    """Cauchy distribution.

    .. math::

        p(x; x_0, \\gamma) =
            \\frac{1}{\\pi} \\frac{\\gamma}{(x - x_0)^2 + \\gamma^2}

    It has neither a mean nor a variance: both are NaN, with a warning.

    Parameters
    ----------
    loc : Variable or array
        Location :math:`x_0`, which is the median.
    scale : Variable or array
        Scale :math:`\\gamma`, positive, of the shape and dtype of ``loc``.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.

    Examples
    --------
    >>> d = chainer.distributions.Cauchy(np.float32([0]), np.float32([1]))
    >>> d.cdf(np.float32([1])).array, d.log_prob(np.float32([0])).array
    (array([0.75], dtype=float32), array([-1.1447], dtype=float32))
    """

    def log_prob(self, x: VariableOrArray) -> Variable:
        distance = abs(x - self.loc)
        return (
            exponential.log(self.scale) - math.log(math.pi)
            - _log_sum_of_squares(distance, self.scale))

    def cdf(self, x: VariableOrArray) -> Variable:
        z = self._standardize(x)
        # As the angle of the point (-z, 1), small values are precise.
        one = self.xp.ones_like(z.array)
        return trigonometric.arctan2(one, -z) * (1 / math.pi)

    def icdf(self, x: VariableOrArray) -> Variable:
        return self.loc + self.scale * _cauchy_icdf(x)

    def _noise(self, shape):
        return self.xp.random.standard_cauchy(shape)

    def _undefined(self, what):
        warnings.warn(
            '%s of the Cauchy distribution is undefined: the result is NaN.' % (what,),
            RuntimeWarning, stacklevel=4)
        return Variable(
            self.xp.full_like(self.loc.array, float('nan')), requires_grad=False)

    @cache.cached_property
    def mean(self) -> Variable:
        return self._undefined('Mean')

    @cache.cached_property
    def variance(self) -> Variable:
        return self._undefined('Variance')

    @cache.cached_property
    def entropy(self) -> Variable:
        return exponential.log(self.scale * (4 * math.pi))
