"""The logarithm of a sum of exponentials."""
from __future__ import annotations

from chainer_fast.backend import get_array_module
from chainer_fast.backends.kernels import record, softmax
from chainer_fast.backends.kernels.declared import Declared
from chainer_fast.configuration import config
from chainer_fast.functions.array import where
from chainer_fast.functions.math import _axes, exponential
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(Declared('logsumexp', ('logsumexp_grad', 0, 'y', 'g')))
class LogSumExp(_axes.Reduction):
    """Logarithm of the sum of exponentials over axes."""

    def __init__(self, axis: int | tuple[int, ...] | None = None) -> None:
        super().__init__(axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        if not x.ndim:
            return softmax.logsumexp(x.reshape(1), None).reshape(()),
        return softmax.logsumexp(x, self.axis).squeeze(self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        if not config.enable_backprop:
            # The gradient will not be differentiated: one kernel is sufficient.
            kept = _axes.kept_shape(x.shape, self.axis)
            y, g = [v.array.reshape(kept) for v in (y, grad_outputs[0])]
            return Variable(softmax.logsumexp_grad(x.array, y, g)),
        y = self.spread(y)
        whole = softmax.infinite(x.array, y.array)
        if whole is not None:
            zeros = get_array_module(whole).zeros((), x.dtype)
            x, y = where.where(whole, zeros, x), where.where(whole, zeros, y)
        shares = exponential.exp(x - y)
        return self.spread(grad_outputs[0]) * shares,


def logsumexp(
        x: VariableOrArray, axis: int | tuple[int, ...] | None = None) -> Variable:
    """Logarithm of the sum of exponentials over axes, without overflow.

    .. math:: y = \\log \\sum_i e^{x_i}

    It is infinite if the largest element is infinite. Elements equal to this infinity
    then receive the unscaled gradient.

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None, int or tuple of int
        Axes to sum over; all axes if ``None``.

    Returns
    -------
    Variable
        Logarithms, of the dtype of ``x`` and its shape without the reduced axes.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type.
    ValueError
        If ``axis`` contains an axis twice.

    See Also
    --------
    chainer_fast.functions.log_softmax
    scipy.special.logsumexp

    Examples
    --------
    >>> x = np.array([[0., 0.], [0., 1000.]], np.float32)
    >>> F.logsumexp(x, axis=1).array    # log 2, and no infinity
    array([   0.6931, 1000.    ], dtype=float32)
    """
    return LogSumExp(axis).apply((x,))[0]
