"""Sums over axes, and the sum that reverses a broadcast."""
from __future__ import annotations

import numpy

from chainer_fast import _numbers, function_node, utils, variable
from chainer_fast.backends.kernels import record, reduction
from chainer_fast.backends.kernels.reduction import shortcuts
from chainer_fast.functions.array import broadcast
from chainer_fast.functions.math import _axes
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(shortcuts.SumShortcut(), fields=('axis', 'keepdims'))
class Sum(_axes.Reduction):
    """Sum over axes."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        return utils.force_array(reduction.total(x, self.axis, self.keepdims)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return self.spread(*grad_outputs),


def sum(
        x: VariableOrArray, axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False) -> Variable:
    """Sum of array elements over axes.

    .. math:: y = \\sum_i x_i

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None, int or tuple of int
        Axes to sum over; all axes if ``None``.
    keepdims : bool
        Whether to keep the reduced axes, with length 1.

    Returns
    -------
    Variable
        The sums, of the dtype of ``x`` and its shape without the reduced axes.

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
    chainer_fast.functions.average
    chainer_fast.functions.cumsum
    chainer_fast.functions.sum_to
    numpy.sum

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.sum(x, axis=1).array
    array([3., 7.], dtype=float32)
    >>> F.sum(x, axis=1, keepdims=True).shape
    (2, 1)
    """
    return Sum(axis, keepdims).apply((x,))[0]


class SumTo(function_node.FunctionNode):
    """Sum over the axes along which ``shape`` would be broadcast to the input."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        return utils.force_array(utils.sum_to(x, self._shape)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return broadcast.broadcast_to(grad_outputs[0], self.inputs[0].shape),


def sum_to(x: VariableOrArray, shape: tuple[int, ...]) -> Variable:
    """Sums elements so that the result has the given shape.

    This is the adjoint of broadcasting: ``shape`` must be one that broadcasts to the
    shape of ``x``.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    shape : tuple of int
        Shape of the result.

    Returns
    -------
    Variable
        The sums, of the given shape and the dtype of ``x``; ``x`` itself, as a
        variable, if it already has that shape.

    See Also
    --------
    chainer_fast.functions.sum
    chainer_fast.functions.broadcast_to

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.sum_to(x, (2, 1)).array
    array([[3.],
           [7.]], dtype=float32)
    >>> F.sum_to(x, (2,)).array
    array([4., 6.], dtype=float32)
    """
    if type(shape) is not tuple and isinstance(shape, numpy.ndarray):
        shape = _numbers.shape(shape)
    if x.shape == shape:
        return variable.as_variable(x)
    y, = SumTo(shape).apply((x,))
    return y
