"""The distribution over a number of categories."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import utils
from chainer_fast.distributions._terms import substitute
from chainer_fast.functions.activation import log_softmax
from chainer_fast.functions.array import get_item
from chainer_fast.functions.math import exponential
from chainer_fast.functions.math import sum as sum_
from chainer_fast.utils import _labels
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import Variable, VariableOrArray, as_array, as_variable


def _at(x, categories):
    """Select an element of each vector along the last axis."""
    xp = backend.get_array_module(x)
    utils._expect_last_axis(x, 'p')
    batch = numpy.ogrid[tuple([slice(size) for size in x.shape[:-1]])]
    index = tuple([xp.asarray(each) for each in batch])
    try:
        return get_item.get_item(x, index + (categories,))
    except IndexError as error:
        raise _labels.explain(
            error, x.shape[-1], 'categories', x=categories) from None


class Categorical(Distribution):
    """Categorical distribution.

    .. math::

        P(X = k; p) = p_k \\quad (0 \\leq k < K)

    Parameters
    ----------
    p : Variable or array, optional
        Probabilities of the categories along the last axis. The axes before it are
        batch axes.
    logit : Variable or array, optional
        Logarithms of the probabilities, up to a constant for each vector; an
        alternative to ``p``.

    Raises
    ------
    ValueError
        If not exactly one of ``p`` and ``logit`` is given.

    Examples
    --------
    >>> d = chainer.distributions.Categorical(np.float32([[0.25, 0.75], [0.5, 0.5]]))
    >>> d.log_prob(np.array([1, 0])).array
    array([-0.2877, -0.6931], dtype=float32)
    >>> d.sample().shape
    (2,)
    """

    # Subclasses in programs may define these properties and not call the constructor.
    _p: Any = None
    _logit: Any = None

    def __init__(
            self, p: VariableOrArray | None = None, *,
            logit: VariableOrArray | None = None) -> None:
        if (p is None) == (logit is None):
            raise ValueError(
                'Categorical needs its probabilities in one form: give p or logit, %s'
                % ('not both' if p is not None else 'neither is given'))
        super().__init__()
        self._p, self._logit = p, logit

    @cached_property
    def p(self) -> Variable:
        """Variable: Probabilities of the categories."""
        if self._p is None:
            return exponential.exp(self.log_p)
        return as_variable(self._p)

    @cached_property
    def log_p(self) -> Variable:
        """Variable: Logarithms of the probabilities."""
        if self._logit is None:
            return exponential.log(self.p)
        return log_softmax.log_softmax(self._logit, axis=-1)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'p': self.p}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        given = self.p if self._logit is None else as_variable(self._logit)
        return given.shape[:-1]

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    def _log_p_except(self, unused):
        """Return the logarithms of the probabilities, with zeros at unused positions.

        No gradient flows to those positions, where it might be infinite.
        """
        if self._p is None:
            return substitute(self.log_p, unused, 0)
        return exponential.log(substitute(self.p, unused, 1))

    def log_prob(self, x: VariableOrArray) -> Variable:
        xp = backend.get_array_module(self.p)
        categories = xp.asarray(as_array(x)).astype(numpy.int64)
        if self._p is None:
            return _at(self.log_p, categories)
        # The logarithm is computed last, so that categories of probability zero do not
        # matter unless they are selected.
        return exponential.log(_at(self.p, categories))

    @cached_property
    def entropy(self) -> Variable:
        return -sum_.sum(utils._modified_xlogx(self.p), axis=-1)

    def sample_n(self, n: int) -> Variable:
        return Variable(utils._random_categories(self.p.array, n))


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(dist1, dist2):
    impossible = dist1.p.array == 0
    if impossible.any():
        log_p1 = dist1._log_p_except(impossible)
        log_p2 = dist2._log_p_except(impossible)
    else:
        log_p1, log_p2 = dist1.log_p, dist2.log_p
    return sum_.sum(dist1.p * (log_p1 - log_p2), axis=-1)
