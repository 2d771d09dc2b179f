"""Weighted and plain averages."""
from __future__ import annotations

import numpy

from chainer_fast import utils
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.reduction import shortcuts
from chainer_fast.functions import _halves
from chainer_fast.functions.array import broadcast, reshape
from chainer_fast.functions.math import _axes
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.types import NdArray
from chainer_fast.variable import (
    GradOutputs,
    Variable,
    VariableOrArray,
    as_variable,
)


@record(shortcuts.MeanShortcut(), fields=('axis', 'keepdims', 'multiplier'))
class Mean(_axes.Reduction):
    """Average over axes."""

    multiplier: float

    def __init__(self, axis: int | tuple[int, ...] | None, keepdims: bool) -> None:
        super().__init__(axis, keepdims)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        axes = range(x.ndim) if self.axis is None else self.axis
        self.multiplier = 1. / utils.size_of_shape([x.shape[i] for i in axes])
        return utils.force_array(x.mean(axis=self.axis, keepdims=self.keepdims)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy, = grad_outputs
        return self.spread(_halves.in_single(lambda gy: gy * self.multiplier, gy)),


def _mean(x, axis, keepdims=False):
    return Mean(axis, keepdims).apply((x,))[0]


def average(
        x: VariableOrArray, axis: int | tuple[int, ...] | None = None,
        weights: Variable | NdArray | None = None, keepdims: bool = False) -> Variable:
    """Average over axes, weighted or not.

    .. math:: y = \\frac{\\sum_i w_i x_i}{\\sum_i w_i}

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None, int or tuple of int
        Axes to average over; all axes if ``None``. With weights, a tuple of several
        axes is not supported.
    weights : Variable, array or None
        Weights of the elements along ``axis``, a vector; or of the shape of ``x`` if
        ``axis`` is ``None``.
    keepdims : bool
        Whether to keep the reduced axes, with length 1.

    Returns
    -------
    Variable
        Averages, of the dtype of ``x`` and its shape without the reduced axes.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis, or the length of ``weights``
        is not that of the axis.
    TypeError
        If ``axis`` is of another type.
    ValueError
        If ``axis`` contains an axis twice, or contains several axes and weights are
        given.
    ZeroDivisionError
        If there is no element to average.

    See Also
    --------
    chainer_fast.functions.sum
    numpy.average

    Examples
    --------
    >>> x = np.array([[1., 2.], [5., 8.]], np.float32)
    >>> F.average(x, axis=0).array
    array([3., 5.], dtype=float32)
    >>> F.average(x, axis=0, weights=np.array([3., 1.], np.float32)).array
    array([2. , 3.5], dtype=float32)
    """
    if weights is None:
        return _mean(x, axis, keepdims)
    _axes.as_tuple(axis)
    if isinstance(axis, tuple) and len(axis) == 1:
        axis, = axis
    elif isinstance(axis, tuple) and axis:
        raise ValueError(
            'tuple axis is not supported when weights is given: '
            f'axis {axis}. Pass an int or None.')

    return _halves.in_single(
        lambda x, weights: _weighted_mean(x, axis, weights, keepdims), x, weights)


def _weighted_mean(x, axis, weights, keepdims):
    total = sum_mod.sum(weights)
    if axis is None:
        if not isinstance(x, Variable) and numpy.ndim(x) == 0:
            weights = as_variable(weights)  # a scalar is cast to its dtype
        y = sum_mod.sum(x * weights, keepdims=keepdims)
    else:
        column = [1] * x.ndim
        if axis != ():
            number = axis + x.ndim if axis < 0 else axis
            if 0 <= number < x.ndim:  # otherwise a type check fails
                column[number] = x.shape[number]
        weights = broadcast.broadcast_to(
            reshape.reshape(weights, tuple(column)), x.shape)
        y = sum_mod.sum(x * weights, axis=axis, keepdims=keepdims)
    return y / broadcast.broadcast_to(total, y.shape)
