from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.backends.kernels import array as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import separate
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.StackShortcut(), fields=('axis',))
class Stack(FunctionNode):
    """Joins arrays of equal shape along a new axis."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        if getattr(axis, 'shape', ()) != ():
            raise TypeError('axis must be int, not %s%s' % (
                type(axis).__name__, _checks.advice_on_axis('stack', axis)))
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() > 0)
        first = in_types[0]
        if self.axis < 0:
            type_check.expect(-first.ndim - 1 <= self.axis)
        else:
            type_check.expect(first.ndim >= self.axis)

        for i in range(1, type_check.eval(in_types.size())):
            type_check.expect(in_types[i].dtype == first.dtype)
            type_check.expect(in_types[i].shape == first.shape)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        axis = self.axis % (inputs[0].ndim + 1)
        at = (slice(None),) * axis + (None,)
        parts = [x[at] for x in inputs]
        return kernels.join(parts[0], parts, axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return separate.separate(grad_outputs[0], self.axis)


def stack(xs: Sequence[VariableOrArray], axis: int = 0) -> Variable:
    """Joins arrays along a new axis.

    Parameters
    ----------
    xs : list of Variables or arrays
        Arrays of one dtype and one shape.
    axis : int
        Position of the new axis in the result; negative numbers count from the
        end of the result's shape.

    Returns
    -------
    Variable
        Array with one more dimension, whose length is ``len(xs)``, and of the same
        dtype.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If there is no array, dtypes or shapes differ, or the position is out of range.

    See Also
    --------
    chainer_fast.functions.concat
    chainer_fast.functions.separate
    numpy.stack

    Examples
    --------
    >>> F.stack([np.array([1., 2.]), np.array([3., 4.])], axis=1).array
    array([[1., 3.],
           [2., 4.]])
    """
    return Stack(axis).apply(xs)[0]
