"""The Bernoulli distribution, of a possibly unfair coin."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.backends.kernels.common import exponential as exponentials
from chainer_fast.distribution import Distribution, register_kl
from chainer_fast.distributions import utils
from chainer_fast.distributions._terms import substitute
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.activation import sigmoid, softplus
from chainer_fast.functions.array import cast
from chainer_fast.functions.math import exponential, logarithm_1p, sqrt
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import force_array
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


def _is_not_binary(x):
    return (x != 0) & (x != 1)


class BernoulliLogProb(FunctionNode):
    """Logarithms of the probabilities of outcomes, as a function of log-odds.

    .. math::

        \\log p(x; a) = a x - \\log(1 + e^a)

    Parameters
    ----------
    binary_check : bool
        Whether the result is minus infinity for an ``x`` that is neither 0 nor 1.
    """

    invalid: Any

    def __init__(self, binary_check: bool = False) -> None:
        super().__init__()
        self.binary_check = binary_check

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        logit, x = inputs
        xp = backend.get_array_module(logit)
        if xp is numpy and ((x < 0) | (x > 1)).any():
            raise FloatingPointError(
                'Bernoulli: x must be from 0 to 1, got an x with a value outside')
        self.retain_inputs((0, 1))
        x = x.astype(logit.dtype, copy=False)
        infinite = xp.isinf(logit)
        any_is_infinite = bool(infinite.any())
        a = logit
        if any_is_infinite:
            a = xp.where(infinite, 0, logit).astype(logit.dtype, copy=False)
        # This form of log(1 + exp(a)) cannot overflow.
        y = a * x - (
            xp.maximum(a, 0) + exponentials.log1p_exp_of_negative(-xp.abs(a)))
        if any_is_infinite:
            # One outcome is certain in this case.
            with numpy.errstate(divide='ignore', invalid='ignore'):
                certain = xp.log(xp.where(logit > 0, x, 1 - x))
            y = xp.where(infinite, certain, y)
        self.invalid = infinite
        if self.binary_check:
            not_binary = _is_not_binary(x)
            y = xp.where(not_binary, -xp.inf, y)
            self.invalid = infinite | not_binary
        return force_array(y, logit.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy, = grad_outputs
        logit, x = self.get_retained_inputs()
        if x.dtype != logit.dtype:
            x = cast.cast(x, logit.dtype)
        slope = x - sigmoid.sigmoid(logit)
        if self.invalid.any():
            slope = substitute(slope, force_array(self.invalid), numpy.nan)
        return sum_.sum_to(gy * slope, logit.shape), None


def _bernoulli_log_prob(logit, x, binary_check=False):
    """Return logarithms of probabilities of ``x``; see :class:`BernoulliLogProb`.

    Parameters
    ----------
    logit : Variable or array
        Log-odds.
    x : Variable or array
        Outcomes. No gradient flows to them.
    binary_check : bool
        Whether values other than 0 and 1 have the probability zero.

    Returns
    -------
    Variable
        Array of the dtype of ``logit``, which is broadcast against ``x``.
    """
    return BernoulliLogProb(binary_check).apply((logit, x))[0]


class Bernoulli(Distribution):
    """Bernoulli distribution.

    .. math::

        p(x; p) = p^x (1 - p)^{1 - x} \\quad (x \\in \\{0, 1\\})

    Parameters
    ----------
    p : Variable or array, optional
        Probabilities of the outcome 1. Its shape is that of the batch.
    logit : Variable or array, optional
        Log-odds :math:`\\log (p / (1 - p))`, an alternative to ``p``.
    binary_check : bool
        If ``True``, values other than 0 and 1 have the probability zero. Otherwise a
        formula that is meaningful only for 0 and 1 is evaluated: the one above for
        :meth:`log_prob`, :math:`x p + (1 - x) (1 - p)` for :meth:`prob`.

    Raises
    ------
    ValueError
        If not exactly one of ``p`` and ``logit`` is given.

    Examples
    --------
    >>> d = chainer.distributions.Bernoulli(np.array([0.25, 0.5], np.float32))
    >>> d.prob(np.float32([1, 0])).array, d.mean.array
    (array([0.25, 0.5 ], dtype=float32), array([0.25, 0.5 ], dtype=float32))
    >>> d.sample((10,)).shape
    (10, 2)
    """

    # Subclasses in programs may define these properties and not call the constructor.
    _p: Any = None
    _logit: Any = None

    def __init__(
            self, p: VariableOrArray | None = None,
            logit: VariableOrArray | None = None, binary_check: bool = False) -> None:
        if (p is None) == (logit is None):
            raise ValueError(
                'Bernoulli needs its probabilities in one form: give p or logit, %s'
                % ('not both' if p is not None else 'neither is given'))
        super().__init__()
        self._p = p
        self._logit = logit
        self.binary_check = binary_check

    @cached_property
    def p(self) -> Variable:
        """Variable: Probabilities of the outcome 1."""
        if self._p is None:
            return sigmoid.sigmoid(self.logit)
        return as_variable(self._p)

    @cached_property
    def logit(self) -> Variable:
        """Variable: Log-odds of the outcome 1."""
        if self._logit is None:
            return exponential.log(self.p) - logarithm_1p.log1p(-self.p)
        return as_variable(self._logit)

    @cached_property
    def _q(self):
        """Probabilities of the outcome 0."""
        if self._logit is None:
            return 1 - self.p
        return sigmoid.sigmoid(-self.logit)

    def _log_probs_except(self, no_ones, no_zeros):
        """Return the logarithms of the probabilities of 1 and of 0.

        They are zero where ``no_ones`` and ``no_zeros`` are true. No gradient flows
        there, where it might be infinite.
        """
        if self._p is None:
            log_p = substitute(-softplus.softplus(-self.logit), no_ones, 0)
            log_q = substitute(-softplus.softplus(self.logit), no_zeros, 0)
        else:
            log_p = exponential.log(substitute(self.p, no_ones, 1))
            log_q = logarithm_1p.log1p(-substitute(self.p, no_zeros, 0))
        return log_p, log_q

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'logit': self.logit}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return (self.p if self._logit is None else self.logit).shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return '{0, 1}'

    def prob(self, x: VariableOrArray) -> Variable:
        x = as_variable(x)
        prob = x * self.p + (1 - x) * self._q
        if self.binary_check:
            prob = substitute(prob, force_array(_is_not_binary(x.array)), 0)
        return prob

    def log_prob(self, x: VariableOrArray) -> Variable:
        return _bernoulli_log_prob(self.logit, x, self.binary_check)

    @cached_property
    def mean(self) -> Variable:
        return self.p

    @cached_property
    def stddev(self) -> Variable:
        return sqrt.sqrt(self.variance)

    @cached_property
    def variance(self) -> Variable:
        return self.p * self._q

    @property
    def entropy(self) -> Variable:
        return -utils._modified_xlogx(self.p) - utils._modified_xlogx(self._q)

    def sample_n(self, n: int) -> Variable:
        p = self.p.array
        xp = backend.get_array_module(p)
        if xp is numpy:
            outcomes = numpy.random.binomial(1, p, (n,) + p.shape)
        else:
            outcomes = xp.random.random_sample((n,) + p.shape) < p
        return Variable(outcomes.astype(numpy.int64, copy=False))


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(dist1, dist2):
    p, q = dist1.p, dist1._q
    log_p2, log_q2 = dist2._log_probs_except(
        force_array(p.array == 0), force_array(q.array == 0))
    return -dist1.entropy - (p * log_p2 + q * log_q2)
