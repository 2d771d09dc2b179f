from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import stack
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.SplitShortcut(keeps_axis=False), fields=('axis',))
class Separate(FunctionNode):
    """Splits an array along an axis, which is removed."""

    # The shortcut, which handles NumPy arrays, does not change it.
    _xp: Any = numpy

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        _checks.axis(in_types[0], self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        axis = self.axis % x.ndim
        before = (slice(None),) * axis
        self._xp = backend.get_array_module(x)
        # With the ellipsis, the slices of a vector are 0-dim arrays.
        return tuple([
            x[before + (i, Ellipsis)] for i in range(x.shape[axis])])

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x = self.inputs[0]
        axis = self.axis % len(x.shape)
        shape = x.shape[:axis] + x.shape[axis + 1:]
        gys = [
            self._xp.zeros(shape, x.dtype) if gy is None else gy
            for gy in grad_outputs]
        return stack.stack(gys, self.axis),


def separate(x: VariableOrArray, axis: int = 0) -> tuple[Variable, ...]:
    """Splits an array along an axis into slices without that axis.

    This is the inverse of :func:`~chainer_fast.functions.stack`.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    axis : int
        Axis along which the array is split.

    Returns
    -------
    tuple of Variables
        One array for each element of the axis, with the dtype of ``x`` and one
        dimension less.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axis.

    See Also
    --------
    chainer_fast.functions.split_axis
    chainer_fast.functions.stack

    Examples
    --------
    >>> x = np.arange(6.).reshape(2, 3)
    >>> for y in F.separate(x, axis=0):
    ...     print(y.array)
    [0. 1. 2.]
    [3. 4. 5.]
    """
    return Separate(axis).apply((x,))
