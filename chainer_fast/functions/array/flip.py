from __future__ import annotations

from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _flip(array, axis):
    """Return a view of an array with one axis reversed."""
    index = [slice(None)] * array.ndim
    index[axis] = slice(None, None, -1)
    return array[tuple(index)]


class Flip(FunctionNode):
    """Reverses an axis."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        if not isinstance(axis, int):
            raise TypeError(
                'axis must be int, not %s' % type(axis).__name__)
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        type_check.expect(in_types[0].ndim > 0)
        _checks.axis(in_types[0], self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return _flip(inputs[0], self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Reversing twice restores the order.
        return type(self)(self.axis).apply(grad_outputs)


def flip(x: VariableOrArray, axis: int) -> Variable:
    """Reverses the order of elements along an axis.

    .. math:: y_i = x_{n - 1 - i}

    along the axis, whose length is :math:`n`.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    axis : int
        The axis to reverse.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axis.
    TypeError
        If ``axis`` is not an int.

    See Also
    --------
    chainer_fast.functions.fliplr
    chainer_fast.functions.flipud
    numpy.flip

    Examples
    --------
    >>> F.flip(np.array([[1., 2.], [3., 4.]]), 1).array
    array([[2., 1.],
           [4., 3.]])
    """
    return Flip(axis).apply((x,))[0]
