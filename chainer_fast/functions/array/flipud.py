from __future__ import annotations

from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class FlipUD(FunctionNode):
    """Reverses the first axis."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'a')
        type_check.expect(in_types[0].ndim >= 1)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return inputs[0][::-1],

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Reversing twice restores the order.
        return type(self)().apply(grad_outputs)


def flipud(a: VariableOrArray) -> Variable:
    """Reverses an array in the up-down direction, along axis 0.

    Parameters
    ----------
    a : Variable or array
        Array of a floating dtype and at least one dimension.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or a scalar.

    See Also
    --------
    chainer_fast.functions.flip
    numpy.flipud

    Examples
    --------
    >>> F.flipud(np.array([[0., 1.], [2., 3.]])).array
    array([[2., 3.],
           [0., 1.]])
    """
    return FlipUD().apply((a,))[0]
