"""The uniform distribution on an interval."""
from __future__ import annotations

import math
from typing import Any

from chainer_fast import backend
from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import utils
from chainer_fast.distributions._terms import expect_broadcast, where_else
from chainer_fast.functions.math import clip, exponential
from chainer_fast.utils import force_array
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable

# Standard deviation on an interval of length one.
_UNIT_STDDEV = 1 / math.sqrt(12)


class Uniform(Distribution):
    """Uniform distribution on an interval.

    .. math::

        p(x; l, h) = \\frac{1}{h - l} \\quad (l \\leq x \\leq h), \\qquad
        p(x; l, h) = 0 \\quad (\\text{otherwise})

    Samples are differentiable with respect to the parameters. All arguments are keyword
    arguments: ``low`` and ``high``, or ``loc`` and ``scale``.

    Parameters
    ----------
    low : Variable or array, optional
        Lower ends of the intervals. Its shape is that of the batch.
    high : Variable or array, optional
        Upper ends of the intervals.
    loc : Variable or array, optional
        Another name for the lower ends. Its shape is that of the batch.
    scale : Variable or array, optional
        Lengths of the intervals.

    Raises
    ------
    ValueError
        If not exactly one of the pairs is complete.

    Examples
    --------
    >>> d = chainer.distributions.Uniform(low=np.float32([0]), high=np.float32([4]))
    >>> d.mean.array, d.cdf(np.float32([1])).array
    (array([2.], dtype=float32), array([0.25], dtype=float32))
    """

    def __init__(
            self, *, low: VariableOrArray | None = None,
            high: VariableOrArray | None = None, loc: VariableOrArray | None = None,
            scale: VariableOrArray | None = None) -> None:
        has_ends = low is not None and high is not None
        has_length = loc is not None and scale is not None
        if has_ends == has_length:
            raise ValueError(
                'Uniform needs its interval in one form, low and high or loc and '
                'scale, got %s' % ('both' if has_ends else 'no complete pair'))
        super().__init__()
        self._use_low_high = has_ends
        self._low: Any = low
        self._high: Any = high
        self._loc: Any = loc
        self._scale: Any = scale

    @cached_property
    def low(self) -> Variable:
        """Variable: Lower ends of the intervals."""
        return as_variable(self._low if self._use_low_high else self._loc)

    @cached_property
    def high(self) -> Variable:
        """Variable: Upper ends of the intervals."""
        if self._use_low_high:
            return as_variable(self._high)
        return self.loc + self.scale

    @cached_property
    def loc(self) -> Variable:
        """Variable: Lower ends of the intervals."""
        return as_variable(self._low if self._use_low_high else self._loc)

    @cached_property
    def scale(self) -> Variable:
        """Variable: Lengths of the intervals."""
        if self._use_low_high:
            return self.high - self.low
        return as_variable(self._scale)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        names = ('low', 'high') if self._use_low_high else ('loc', 'scale')
        return {name: getattr(self, name) for name in names}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.low.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return '[low, high]'

    def log_prob(self, x: VariableOrArray) -> Variable:
        x = as_array(x)
        density = -exponential.log(self.scale)      # or bounds do not match
        expect_broadcast(low=self.low, x=x)
        inside = (self.low.array <= x) & (x <= self.high.array)
        return where_else(force_array(inside), density, -math.inf)

    def cdf(self, x: VariableOrArray) -> Variable:
        return clip.clip((x - self.loc) / self.scale, 0., 1.)

    def icdf(self, x: VariableOrArray) -> Variable:
        return x * self.scale + self.loc

    @cached_property
    def mean(self) -> Variable:
        return (self.high + self.low) / 2

    @cached_property
    def stddev(self) -> Variable:
        return self.scale * _UNIT_STDDEV

    @cached_property
    def variance(self) -> Variable:
        return self.scale ** 2 / 12

    @cached_property
    def entropy(self) -> Variable:
        return exponential.log(self.scale)

    def sample_n(self, n: int) -> Variable:
        xp = backend.get_array_module(self.low)
        noise = utils._standard_uniform(
            xp, (n,) + self.low.shape, self.low.dtype)
        return self.scale * noise + self.loc


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(dist1, dist2):
    within = ((dist1.low.array >= dist2.low.array)
              & (dist1.high.array <= dist2.high.array))
    # The ends are differentiated: the gradient of a location is zero, and a length
    # passes no gradient. The divergence is infinite where the second density is zero.
    lengths = [dist.high - dist.low for dist in (dist2, dist1)]
    return where_else(
        force_array(within), exponential.log(lengths[0]) - exponential.log(lengths[1]),
        math.inf)
