"""Distributions of a batch treated as one distribution of several variables."""
from __future__ import annotations

import math

from chainer_fast import _numbers
from chainer_fast.distribution import Distribution, kl_divergence, register_kl
from chainer_fast.functions.array import reshape, where
from chainer_fast.functions.math import prod
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import Xp
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import Variable, VariableOrArray


class Independent(Distribution):
    """Turns the last batch axes of a distribution into event axes.

    The distributions along these axes are independent, so that probabilities are
    multiplied and logarithms of probabilities are added.

    Parameters
    ----------
    distribution : Distribution
        The distribution whose batch axes are used.
    reinterpreted_batch_ndims : int, optional
        Number of batch axes that become event axes; all except the first one if
        ``None``.

    Raises
    ------
    ValueError
        If there are fewer batch axes.

    Examples
    --------
    >>> import chainer_fast.distributions as D
    >>> loc, scale = np.zeros((3, 2), np.float32), np.ones((3, 2), np.float32)
    >>> dist = D.Independent(D.Normal(loc, scale))
    >>> dist.batch_shape, dist.event_shape
    ((3,), (2,))
    >>> dist.log_prob(np.zeros((3, 2), np.float32)).shape
    (3,)
    """

    def __init__(
            self, distribution: Distribution,
            reinterpreted_batch_ndims: int | None = None) -> None:
        shape = distribution.batch_shape
        if reinterpreted_batch_ndims is None:
            reinterpreted_batch_ndims = max(0, len(shape) - 1)
        reinterpreted_batch_ndims = _numbers.plain(reinterpreted_batch_ndims)
        if reinterpreted_batch_ndims > len(shape):
            raise ValueError(
                'reinterpreted_batch_ndims must not exceed the number of axes of '
                'distribution.batch_shape, %s, but is %s'
                % (shape, reinterpreted_batch_ndims))
        super().__init__()
        self._distribution = distribution
        self._reinterpreted_batch_ndims = reinterpreted_batch_ndims
        n_kept = len(shape) - reinterpreted_batch_ndims
        self._batch_shape = shape[:n_kept]
        self._event_shape = shape[n_kept:] + distribution.event_shape

    @property
    def distribution(self) -> Distribution:
        """Distribution: The distribution whose batch axes are used."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """int: Number of batch axes that have become event axes."""
        return self._reinterpreted_batch_ndims

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self._event_shape

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return self.distribution.params

    @property
    def support(self) -> str:
        return self.distribution.support

    @property
    def xp(self) -> Xp:
        return self.distribution.xp

    def _reduced(self, reduce, values):
        """Apply a reduction to the batch axes that have become event axes."""
        if self.reinterpreted_batch_ndims == 0:
            return values
        axes = tuple(range(values.ndim - self.reinterpreted_batch_ndims, values.ndim))
        return reduce(values, axis=axes)

    def prob(self, x: VariableOrArray) -> Variable:
        return self._reduced(prod.prod, self.distribution.prob(x))

    def log_prob(self, x: VariableOrArray) -> Variable:
        return self._reduced(sum_.sum, self.distribution.log_prob(x))

    def cdf(self, x: VariableOrArray) -> Variable:
        return self._reduced(prod.prod, self.distribution.cdf(x))

    def log_cdf(self, x: VariableOrArray) -> Variable:
        return self._reduced(sum_.sum, self.distribution.log_cdf(x))

    def icdf(self, x: VariableOrArray) -> Variable:
        """Raise ``RuntimeError``: there is no inverse for several variables."""
        raise RuntimeError(
            'Independent.icdf: the cumulative distribution function of several '
            'variables has no inverse; call icdf of the inner distribution')

    def survival_function(self, x: VariableOrArray) -> Variable:
        """Return the probability that every variable is greater than ``x``."""
        return self._reduced(prod.prod, self.distribution.survival_function(x))

    def log_survival_function(self, x: VariableOrArray) -> Variable:
        """Return the logarithm of :meth:`survival_function`."""
        return self._reduced(
            sum_.sum, self.distribution.log_survival_function(x))

    def perplexity(self, x: VariableOrArray) -> Variable:
        return self._reduced(prod.prod, self.distribution.perplexity(x))

    @property
    def mean(self) -> Variable:
        return self.distribution.mean

    @property
    def mode(self) -> Variable:
        return self.distribution.mode

    @property
    def stddev(self) -> Variable:
        return self.distribution.stddev

    @property
    def variance(self) -> Variable:
        return self.distribution.variance

    @cached_property
    def covariance(self) -> Variable:
        # Each independent distribution contributes a block on the diagonal.
        blocks = self.distribution.covariance
        n_blocks = math.prod(self.event_shape[:self.reinterpreted_batch_ndims])
        size = blocks.shape[-1]
        blocks = reshape.reshape(
            blocks, self.batch_shape + (n_blocks, size, 1, size))
        xp = self.xp
        same = xp.eye(n_blocks, dtype=bool)[:, None, :, None]
        matrix = where.where(same, blocks, xp.zeros((), blocks.dtype))
        return reshape.reshape(
            matrix, self.batch_shape + (n_blocks * size, n_blocks * size))

    @property
    def entropy(self) -> Variable:
        return self._reduced(sum_.sum, self.distribution.entropy)

    def sample_n(self, n: int) -> Variable:
        return self.distribution.sample_n(n)


@register_kl(Independent, Independent)
def _kl_independent_independent(dist1, dist2):
    if dist1.event_shape != dist2.event_shape:
        raise ValueError(
            'the events of two distributions must have the same shape to be compared, '
            'got %s and %s; reinterpreted_batch_ndims of Independent is the number of '
            'last axes that belong to an event' % (
                dist1.event_shape, dist2.event_shape))
    return dist1._reduced(
        sum_.sum, kl_divergence(dist1.distribution, dist2.distribution))
