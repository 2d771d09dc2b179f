import math
import warnings

from chainer_fast.distribution import Distribution
from chainer_fast.functions.array.where import where
from chainer_fast.functions.math import exponential, logarithm_1p, trigonometric
from chainer_fast.functions.math.maximum import maximum
from chainer_fast.functions.math.minimum import minimum
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, as_array, as_variable


def _log_sum_of_squares(x, y):
    """``log(x**2 + y**2)`` of two sides, whose squares need not be representable."""
    longer, shorter = maximum(x, y), minimum(y, x)
    return (
        2 * exponential.log(longer) + logarithm_1p.log1p((shorter / longer) ** 2))


def _cauchy_icdf(x):
    """Quantiles of the standard distribution: ``tan(pi * (x - 1 / 2))``.

    They are computed from the distance to the nearer of 0 and 1, which subtracting one
    half would round away in the tails.
    """
    x = as_variable(x)
    below = as_array(x) < 0.5
    angle = math.pi * where(below, x, 1 - x)
    size = trigonometric.cos(angle) / trigonometric.sin(angle)
    return where(below, -size, size)


class Cauchy(Distribution):
    """Cauchy distribution.

    .. math::

        p(x; x_0, \\gamma) =
            \\frac{1}{\\pi} \\frac{\\gamma}{(x - x_0)^2 + \\gamma^2}

    It has neither mean nor variance: they are NaN, with a warning.

    Parameters
    ----------
    loc : Variable or array
        Location :math:`x_0`, which is the median.
    scale : Variable or array
        Scale :math:`\\gamma`, positive, of the shape and dtype of ``loc``.
    """

    def __init__(self, loc, scale):
        super().__init__()
        self._loc, self._scale = loc, scale

    @cache.cached_property
    def loc(self):
        """Variable: Location."""
        return as_variable(self._loc)

    @cache.cached_property
    def scale(self):
        """Variable: Scale."""
        return as_variable(self._scale)

    @property
    def params(self):
        return {'loc': self.loc, 'scale': self.scale}

    @property
    def batch_shape(self):
        return self.loc.shape

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return 'real'

    def log_prob(self, x):
        distance = abs(x - self.loc)
        return (
            exponential.log(self.scale) - math.log(math.pi)
            - _log_sum_of_squares(distance, self.scale))

    def cdf(self, x):
        z = (x - self.loc) / self.scale
        # As an angle, of the point (-z, 1), it keeps its digits where it is small.
        one = self.xp.ones_like(z.array)
        return trigonometric.arctan2(one, -z) * (1 / math.pi)

    def icdf(self, x):
        return self.loc + self.scale * _cauchy_icdf(x)

    def sample_n(self, n):
        shape = (n,) + self.batch_shape
        noise = self.xp.random.standard_cauchy(shape).astype(self.loc.dtype)
        return self.loc + self.scale * as_variable(noise)

    def _undefined(self, what):
        warnings.warn(
            '%s of the Cauchy distribution is undefined: it is given as NaN.' % what,
            RuntimeWarning, stacklevel=4)
        return Variable(
            self.xp.full_like(self.loc.array, float('nan')), requires_grad=False)

    @cache.cached_property
    def mean(self):
        return self._undefined('Mean')

    @cache.cached_property
    def variance(self):
        return self._undefined('Variance')

    @cache.cached_property
    def entropy(self):
        return exponential.log(self.scale * (4 * math.pi))
