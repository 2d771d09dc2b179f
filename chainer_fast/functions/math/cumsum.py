"""Running sums."""
from __future__ import annotations

from chainer_fast import function_node
from chainer_fast.backends.kernels import reduction
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Cumsum(function_node.FunctionNode):
    """Running sum along an axis, or over the flattened array."""

    def __init__(self, axis: int | None = None) -> None:
        if axis is not None and not isinstance(axis, int):
            raise TypeError(f'axis must be an int or None, but {axis!r} was given.')
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        if self.axis is not None:
            _checks.axis(in_types[0], self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        return reduction.running_sum(x, self.axis, False),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return _CumsumGrad(self.axis, self.inputs[0].shape).apply(grad_outputs)


class _CumsumGrad(function_node.FunctionNode):
    """Running sum from the end: the adjoint of :class:`Cumsum`."""

    def __init__(self, axis: int | None, shape: tuple[int, ...]) -> None:
        self.axis = axis
        self.shape = shape

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = inputs
        # With axis None gy has one axis.
        return reduction.running_sum(gy, self.axis or 0, True).reshape(self.shape),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return Cumsum(self.axis).apply(grad_outputs)


def cumsum(x: VariableOrArray, axis: int | None = None) -> Variable:
    """Running sum of array elements.

    .. math:: y_i = \\sum_{j \\le i} x_j

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : int or None
        Axis to sum along. With ``None`` the sum is over the flattened array.

    Returns
    -------
    Variable
        Sums of the dtype and shape of ``x``, or of one axis if ``axis`` is ``None``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type.

    See Also
    --------
    chainer_fast.functions.sum
    numpy.cumsum

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.cumsum(x, axis=1).array
    array([[1., 3.],
           [3., 7.]], dtype=float32)
    >>> F.cumsum(x).array
    array([ 1.,  3.,  6., 10.], dtype=float32)
    """
    return Cumsum(axis).apply((x,))[0]
