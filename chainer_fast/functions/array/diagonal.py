from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers, backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Diagonal(FunctionNode):
    """Extracts the diagonals of the matrices in an array."""

    def __init__(self, offset: int, axis1: int, axis2: int) -> None:
        super().__init__()
        self.offset, self.axis1, self.axis2 = _numbers.plain_all((offset, axis1, axis2))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        for axis in (self.axis1, self.axis2):
            _checks.axis(in_types[0], axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self._in_shape = x.shape
        return x.diagonal(self.offset, self.axis1, self.axis2),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        grad = DiagonalGrad(
            self._in_shape, self.offset, self.axis1, self.axis2)
        return grad.apply(grad_outputs)


class DiagonalGrad(FunctionNode):
    """Stores vectors on the diagonals of an array of zeros.

    Parameters
    ----------
    out_shape : tuple
        Shape of the array.
    offset : int
        Distance above the main diagonal.
    axis1 : int
        Axis of the rows.
    axis2 : int
        Axis of the columns.
    """

    def __init__(
            self, out_shape: Sequence[Any], offset: int, axis1: int,
            axis2: int) -> None:
        super().__init__()
        self.out_shape = out_shape
        self.offset = offset
        self.axis1 = axis1
        self.axis2 = axis2

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = inputs
        xp = backend.get_array_module(gy)
        gx = xp.zeros(self.out_shape, gy.dtype)
        matrices = xp.moveaxis(gx, (self.axis1, self.axis2), (-2, -1))
        first = matrices[..., max(-self.offset, 0):, max(self.offset, 0):]
        # NumPy's diagonals cannot be written to.
        *shape, rows, columns = first.shape
        *strides, down, across = first.strides
        diagonals = xp.lib.stride_tricks.as_strided(
            first, (*shape, min(rows, columns)), (*strides, down + across))
        diagonals[...] = gy
        return gx,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        take = Diagonal(self.offset, self.axis1, self.axis2)
        return take.apply(grad_outputs)


def diagonal(
        x: VariableOrArray, offset: int = 0, axis1: int = 0,
        axis2: int = 1) -> Variable:
    """Extracts the diagonals of the matrices in an array.

    .. math:: y_i = x_{i, i + k}

    with the offset :math:`k`.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype and at least two dimensions.
    offset : int
        Distance from the main diagonal: above it if positive, below it if negative.
    axis1 : int
        Axis of the rows of the matrices.
    axis2 : int
        Axis of the columns of the matrices.

    Returns
    -------
    Variable
        The diagonals along the last axis, of the dtype of ``x``; the axes of the
        matrices are removed.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axes.
    ValueError
        If both axes are the same.

    See Also
    --------
    numpy.diagonal

    Examples
    --------
    >>> F.diagonal(np.arange(9.).reshape(3, 3), 1).array
    array([1., 5.])
    """
    y, = Diagonal(offset, axis1, axis2).apply((x,))
    return y
