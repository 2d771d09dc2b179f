from __future__ import annotations

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import reshape
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.ExpandDimsShortcut(), fields=('axis',))
class ExpandDims(FunctionNode):
    """Inserts an axis of length one."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis: int = axis if type(axis) is int else int(_numbers.plain(axis))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        # Counted from either end, the position of the new axis requires this many
        # existing axes.
        others = self.axis if self.axis >= 0 else -(self.axis + 1)
        type_check.expect(in_types[0].ndim >= others)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(inputs[0])
        return xp.expand_dims(inputs[0], self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return reshape.reshape(grad_outputs[0], self.inputs[0].shape),


def expand_dims(x: VariableOrArray, axis: int) -> Variable:
    """Inserts an axis of length one into the shape of an array.

    Parameters
    ----------
    x : Variable or array
        Array of any shape and dtype.
    axis : int
        Position of the new axis; negative numbers count from the end of the new
        shape.

    Returns
    -------
    Variable
        Array with one more dimension and the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the position is beyond the end or the start.

    See Also
    --------
    chainer_fast.functions.squeeze
    numpy.expand_dims

    Examples
    --------
    >>> x = np.array([4., 5.])
    >>> F.expand_dims(x, axis=0).array
    array([[4., 5.]])
    >>> F.expand_dims(x, axis=-1).array
    array([[4.],
           [5.]])
    """
    return ExpandDims(axis).apply((x,))[0]
