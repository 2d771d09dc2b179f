from __future__ import annotations

import math

import numpy

from chainer_fast import backend, utils
from chainer_fast.distribution import register_kl
from chainer_fast.distributions._location_scale import LocationScale
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.math import exponential
from chainer_fast.functions.math.minimum import minimum
from chainer_fast.types import NdArray
from chainer_fast.utils import cache
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class LaplaceCDF(FunctionNode):
    """Distribution function of the standard Laplace distribution."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_inputs((0,))
        xp = backend.get_array_module(x)
        tail = xp.exp(-abs(x)) * 0.5
        return utils.force_array(xp.where(x < 0, tail, 1 - tail), x.dtype),

    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return exponential.exp(-abs(x)) * 0.5 * grad_outputs[0],


def _laplace_cdf(x):
    """Apply :class:`LaplaceCDF`."""
    return LaplaceCDF().apply((x,))[0]


class LaplaceICDF(FunctionNode):
    """Quantiles of the standard Laplace distribution.

    They are plus or minus ``log(2 * min(x, 1 - x))``, which is precise in both tails
    and at the median.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        x, = inputs
        xp = backend.get_array_module(x)
        below = x < 0.5
        log = xp.log(xp.where(below, x, 1 - x) * 2)
        return utils.force_array(xp.where(below, log, -log), x.dtype),

    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return grad_outputs[0] / minimum(1 - x, x),


def _laplace_icdf(x):
    """Apply :class:`LaplaceICDF`."""
    return LaplaceICDF().apply((x,))[0]


class Laplace(LocationScale):
    """Laplace distribution.

    .. math::

        p(x; \\mu, b) = \\frac{1}{2 b} e^{-|x - \\mu| / b}

    Parameters
    ----------
    loc : Variable or array
        Location :math:`\\mu`.
    scale : Variable or array
        Scale :math:`b`, positive, of the shape and dtype of ``loc``.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.

    Examples
    --------
    >>> d = chainer.distributions.Laplace(np.float32([0]), np.float32([1]))
    >>> d.prob(np.float32([0])).array, d.variance.array
    (array([0.5], dtype=float32), array([2.], dtype=float32))
    """

    def _distance(self, x):
        return abs(x - self.loc) / self.scale

    def log_prob(self, x: VariableOrArray) -> Variable:
        return -self._distance(x) - exponential.log(self.scale * 2)

    def prob(self, x: VariableOrArray) -> Variable:
        return exponential.exp(-self._distance(x)) * (0.5 / self.scale)

    def cdf(self, x: VariableOrArray) -> Variable:
        return _laplace_cdf(self._standardize(x))

    def icdf(self, x: VariableOrArray) -> Variable:
        return self.loc + self.scale * _laplace_icdf(x)

    def _noise(self, shape):
        # In float32, even if the parameters are in float64.
        return self.xp.random.laplace(size=shape).astype(numpy.float32)

    @cache.cached_property
    def mode(self) -> Variable:
        """Variable: Most probable value, which is also the mean and the median."""
        return self.loc

    mean = mode

    @cache.cached_property
    def variance(self) -> Variable:
        return self.scale ** 2 * 2

    @cache.cached_property
    def stddev(self) -> Variable:
        return self.scale * math.sqrt(2)

    @cache.cached_property
    def entropy(self) -> Variable:
        return exponential.log(self.scale * 2) + 1


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(dist1, dist2):
    distance = abs(dist1.loc - dist2.loc)
    ratio = dist1.scale / dist2.scale
    return (
        exponential.log(dist2.scale) - exponential.log(dist1.scale)
        + distance / dist2.scale
        + ratio * exponential.exp(-distance / dist1.scale) - 1)
