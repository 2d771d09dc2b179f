from __future__ import annotations

from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class FlipLR(FunctionNode):
    """Reverses the second axis."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'a')
        type_check.expect(in_types[0].ndim >= 2)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return inputs[0][:, ::-1],

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Reversing twice restores the order.
        return type(self)().apply(grad_outputs)


def fliplr(a: VariableOrArray) -> Variable:
    """Reverses an array in the left-right direction, along axis 1.

    Parameters
    ----------
    a : Variable or array
        Array of a floating dtype and at least two dimensions.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or has fewer dimensions.

    See Also
    --------
    chainer_fast.functions.flip
    numpy.fliplr

    Examples
    --------
    >>> F.fliplr(np.array([[0., 1.], [2., 3.]])).array
    array([[1., 0.],
           [3., 2.]])
    """
    return FlipLR().apply((a,))[0]
