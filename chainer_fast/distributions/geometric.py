from __future__ import annotations

from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import _terms
from chainer_fast.functions.math import exponential
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_variable


class Geometric(Distribution):
    """Geometric distribution: the number of trials up to the first success.

    .. math::

        p(x; p) = p (1 - p)^{x - 1}, \\quad x = 1, 2, \\ldots

    Points are not checked to be positive integers.

    Parameters
    ----------
    p : Variable or array
        Probability of success of a trial, greater than 0.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.
    ValueError
        When samples are drawn, if a parameter is out of range.

    Examples
    --------
    >>> d = chainer.distributions.Geometric(np.float32([0.5]))
    >>> d.log_prob(np.float32([[1], [2], [3]])).array[:, 0]
    array([-0.6931, -1.3863, -2.0794], dtype=float32)
    """

    def __init__(self, p: VariableOrArray) -> None:
        super().__init__()
        self._p = p

    @cache.cached_property
    def p(self) -> Variable:
        """Variable: Probability of success."""
        return as_variable(self._p)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'p': self.p}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.p.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return 'positive integer'

    def log_prob(self, x: VariableOrArray) -> Variable:
        return _terms.times_log1p(x - 1, -self.p) + exponential.log(self.p)

    def sample_n(self, n: int) -> Variable:
        p = self.p.array
        drawn = self.xp.random.geometric(p, (n,) + p.shape)
        return Variable(drawn.astype(p.dtype))

    @cache.cached_property
    def mean(self) -> Variable:
        return 1 / self.p

    @cache.cached_property
    def variance(self) -> Variable:
        return (1 - self.p) / self.p / self.p


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(dist1, dist2):
    failures = 1 / dist1.p - 1
    return (
        exponential.log(dist1.p) - exponential.log(dist2.p)
        + _terms.times_log1p(failures, -dist1.p)
        - _terms.times_log1p(failures, -dist2.p))
