"""The normal distribution."""
from __future__ import annotations

import math

from chainer_fast import backend
from chainer_fast.distribution import register_kl
from chainer_fast.distributions import utils
from chainer_fast.distributions._location_scale import LocationScale
from chainer_fast.functions.math import exponential, log_ndtr, ndtr, ndtri
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import Variable, VariableOrArray, as_variable

# Density of the standard normal distribution at zero, its logarithm, and the entropy,
# which is the mean of x ** 2 / 2 - LOGPROBC.
PROBC = (2 * math.pi) ** -0.5
LOGPROBC = math.log(PROBC)
ENTROPYC = 0.5 - LOGPROBC


class Normal(LocationScale):
    """Normal (Gaussian) distribution.

    .. math::

        p(x; \\mu, \\sigma) = \\frac{1}{\\sqrt{2 \\pi} \\sigma}
            \\exp\\left(- \\frac{(x - \\mu)^2}{2 \\sigma^2}\\right)

    Samples are differentiable with respect to the parameters.

    Parameters
    ----------
    loc : Variable or array
        The mean :math:`\\mu`. Its shape is that of the batch.
    scale : Variable or array, optional
        The standard deviation :math:`\\sigma`.
    log_scale : Variable or array, optional
        Logarithm of the standard deviation, an alternative to ``scale``.

    Raises
    ------
    ValueError
        If not exactly one of ``scale`` and ``log_scale`` is given.

    Examples
    --------
    >>> d = chainer.distributions.Normal(np.float32([0, 3]), np.float32([1, 2]))
    >>> d.log_prob(np.float32([0, 3])).array
    array([-0.9189, -1.6121], dtype=float32)
    >>> d.sample((10,)).shape
    (10, 2)

    A loss that moves it towards a standard normal distribution:

    >>> standard = chainer.distributions.Normal(np.zeros(2, 'f'), np.ones(2, 'f'))
    >>> chainer.kl_divergence(d, standard).array
    array([0.    , 5.3069], dtype=float32)
    """

    def __init__(
            self, loc: VariableOrArray, scale: VariableOrArray | None = None, *,
            log_scale: VariableOrArray | None = None) -> None:
        if (scale is None) == (log_scale is None):
            raise ValueError(
                'Normal needs its width in one form: give scale or log_scale, %s'
                % ('not both' if log_scale is not None else 'neither is given'))
        super().__init__(loc, scale)  # type: ignore[arg-type]
        self._log_scale = log_scale

    @cached_property
    def scale(self) -> Variable:
        """Variable: The standard deviation."""
        if self._scale is None:
            return exponential.exp(self.log_scale)
        return as_variable(self._scale)

    @cached_property
    def log_scale(self) -> Variable:
        """Variable: Logarithm of the standard deviation."""
        if self._log_scale is None:
            return exponential.log(self.scale)
        return as_variable(self._log_scale)

    def prob(self, x: VariableOrArray) -> Variable:
        z = self._standardize(x)
        return PROBC / self.scale * exponential.exp(-0.5 * z ** 2)

    def log_prob(self, x: VariableOrArray) -> Variable:
        return LOGPROBC - self.log_scale - 0.5 * self._standardize(x) ** 2

    def cdf(self, x: VariableOrArray) -> Variable:
        return ndtr.ndtr(self._standardize(x))

    def log_cdf(self, x: VariableOrArray) -> Variable:
        return log_ndtr.log_ndtr(self._standardize(x))

    def icdf(self, x: VariableOrArray) -> Variable:
        return self.loc + self.scale * ndtri.ndtri(x)

    def survival_function(self, x: VariableOrArray) -> Variable:
        # By symmetry, without the cancellation of 1 - cdf(x).
        return ndtr.ndtr(-self._standardize(x))

    def log_survival_function(self, x: VariableOrArray) -> Variable:
        return log_ndtr.log_ndtr(-self._standardize(x))

    @cached_property
    def mean(self) -> Variable:
        return self.loc

    @cached_property
    def stddev(self) -> Variable:
        return self.scale

    @cached_property
    def variance(self) -> Variable:
        return self.scale ** 2

    @cached_property
    def entropy(self) -> Variable:
        return ENTROPYC + self.log_scale

    def _noise(self, shape):
        xp = backend.get_array_module(self.loc)
        return utils._standard_normal(xp, shape, self.loc.dtype)


@register_kl(Normal, Normal)
def _kl_normal_normal(dist1, dist2):
    spread = (dist1.scale / dist2.scale) ** 2
    shift = ((dist1.loc - dist2.loc) / dist2.scale) ** 2
    return dist2.log_scale - dist1.log_scale + 0.5 * (spread + shift - 1)
