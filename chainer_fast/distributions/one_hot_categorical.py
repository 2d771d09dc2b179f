"""The distribution over a number of categories, as one-hot vectors."""
from __future__ import annotations

from chainer_fast import backend
from chainer_fast.distribution import Distribution, kl_divergence, register_kl
from chainer_fast.distributions import _terms, utils
from chainer_fast.distributions.categorical import Categorical
from chainer_fast.functions.math import exponential
from chainer_fast.functions.math import sum as sum_
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import Variable, VariableOrArray, as_variable


class OneHotCategorical(Distribution):
    """Categorical distribution whose samples are one-hot vectors.

    .. math::

        p(x; p) = \\prod_k p_k^{x_k}

    Parameters
    ----------
    p : Variable or array
        Probabilities of the categories along the last axis. The axes before it are
        batch axes.

    Raises
    ------
    TypeError
        At construction, if a parameter is neither a variable nor an array.

    Examples
    --------
    >>> d = chainer.distributions.OneHotCategorical(np.float32([0.25, 0.25, 0.5]))
    >>> d.log_prob(np.float32([0, 0, 1])).array
    array(-0.6931, dtype=float32)
    >>> d.sample((10,)).shape
    (10, 3)
    """

    def __init__(self, p: VariableOrArray) -> None:
        super().__init__()
        self._p = p

    @cached_property
    def p(self) -> Variable:
        """Variable: Probabilities of the categories."""
        return as_variable(self._p)

    @cached_property
    def log_p(self) -> Variable:
        """Variable: Logarithms of the probabilities."""
        return exponential.log(self.p)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'p': self.p}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.p.shape[:-1]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return self.p.shape[-1:]

    def log_prob(self, x: VariableOrArray) -> Variable:
        # 0 log(0) = 0: categories that are not selected do not contribute.
        return sum_.sum(_terms.times_log(x, self.p), axis=-1)

    @cached_property
    def mean(self) -> Variable:
        return self.p

    @cached_property
    def variance(self) -> Variable:
        return self.p * (1 - self.p)

    def sample_n(self, n: int) -> Variable:
        p = self.p.array
        xp = backend.get_array_module(p)
        categories = utils._random_categories(p, n)
        ones = categories[..., None] == xp.arange(p.shape[-1])
        return Variable(ones.astype(p.dtype))


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_one_hot_categorical_one_hot_categorical(dist1, dist2):
    return kl_divergence(Categorical(dist1.p), Categorical(dist2.p))
