"""The logarithm of a sum of exponentials."""
from __future__ import annotations

import typing as tp

from chainer_fast import backend, utils
from chainer_fast.functions.math import _axes, exponential
from chainer_fast.types import VariableOrArray

if tp.TYPE_CHECKING:
    from chainer_fast.variable import Variable


class LogSumExp(_axes.Reduction):
    """Logarithm of the sum of exponentials over axes."""

    def __init__(self, axis=None):
        super().__init__(axis)

    def forward(self, inputs):
        x, = inputs
        xp = backend.get_array_module(x)
        # Relative to the largest element no exponential overflows.
        peak = x.max(axis=self.axis, keepdims=True)
        total = xp.exp(x - peak).sum(axis=self.axis)
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return utils.force_array(xp.log(total) + peak.reshape(total.shape)),

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        shares = exponential.exp(x - self.spread(y))
        return self.spread(grad_outputs[0]) * shares,


def logsumexp(
        x: VariableOrArray, axis: int | tuple[int, ...] | None = None) -> Variable:
    """Logarithm of the sum of exponentials over axes, without overflow.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None, int or tuple of int
        Axes to sum over; all of them when ``None``.

    Returns
    -------
    Variable
        ``log(sum(exp(x)))`` in the dtype of ``x``, without the reduced axes.
    """
    return LogSumExp(axis).apply((x,))[0]
