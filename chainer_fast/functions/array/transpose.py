from __future__ import annotations

from collections.abc import Sequence

import numpy

from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.TransposeShortcut(), fields=('axes',))
class Transpose(FunctionNode):
    """Permutes the axes of an array."""

    def __init__(self, axes: Sequence[int] | None = None) -> None:
        super().__init__()
        self.axes = axes

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return inputs[0].transpose(self.axes),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        axes = self.axes
        if axes is not None:
            # Sorting the axes returns the new position of each.
            ndim = len(axes)
            axes = tuple(numpy.argsort([a % ndim for a in axes]).tolist())
        return Transpose(axes).apply(grad_outputs)


def transpose(x: VariableOrArray, axes: Sequence[int] | None = None) -> Variable:
    """Permutes the axes of an array.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    axes : tuple of ints
        For each axis of the result, the corresponding axis of ``x``. ``None`` reverses
        the order of the axes.

    Returns
    -------
    Variable
        Array of the dtype of ``x`` with its axes permuted.

    Raises
    ------
    ValueError
        If ``axes`` has another number of axes than ``x``, or contains one twice.
    numpy.exceptions.AxisError
        If ``x`` has no such axis.

    See Also
    --------
    chainer_fast.functions.swapaxes
    chainer_fast.functions.moveaxis
    numpy.transpose

    Examples
    --------
    >>> F.transpose(np.array([[1., 2., 3.], [4., 5., 6.]])).array
    array([[1., 4.],
           [2., 5.],
           [3., 6.]])
    >>> F.transpose(np.zeros((1, 2, 3)), axes=(0, 2, 1)).shape
    (1, 3, 2)
    """
    return Transpose(axes).apply((x,))[0]
