from __future__ import annotations

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.SwapaxesShortcut(), fields=('axis1', 'axis2'))
class Swapaxes(FunctionNode):
    """Exchanges two axes."""

    def __init__(self, axis1: int, axis2: int) -> None:
        super().__init__()
        self.axis1 = axis1
        self.axis2 = axis2

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(inputs[0])
        return xp.swapaxes(
            inputs[0], *_numbers.plain_all((self.axis1, self.axis2))),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # An exchange undoes itself.
        return swapaxes(grad_outputs[0], self.axis1, self.axis2),


def swapaxes(x: VariableOrArray, axis1: int, axis2: int) -> Variable:
    """Exchanges two axes of an array.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    axis1 : int
        The first axis.
    axis2 : int
        The second axis.

    Returns
    -------
    Variable
        Array of the dtype of ``x`` with the two axes exchanged.

    Raises
    ------
    numpy.exceptions.AxisError
        If ``x`` has no such axis.
    TypeError
        If an axis is not an int.

    See Also
    --------
    chainer_fast.functions.transpose
    chainer_fast.functions.moveaxis
    numpy.swapaxes

    Examples
    --------
    >>> F.swapaxes(np.array([[1., 2.], [3., 4.]]), 0, 1).array
    array([[1., 3.],
           [2., 4.]])
    """
    return Swapaxes(axis1, axis2).apply((x,))[0]
