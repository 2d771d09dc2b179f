from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers, backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Moveaxis(FunctionNode):
    """Moves axes to other positions."""

    def __init__(
            self, source: int | Sequence[int],
            destination: int | Sequence[int]) -> None:
        super().__init__()
        self.source: tuple[int] | tuple[Any, ...] = self._as_axes(source)
        self.destination: tuple[int] | tuple[Any, ...] = self._as_axes(destination)
        if len(self.source) != len(self.destination):
            raise ValueError(
                'source and destination must have the same number of axes, but have %d '
                'and %d' % (len(self.source), len(self.destination)))

    @staticmethod
    def _as_axes(value):
        if isinstance(value, int):
            return value,
        axes = _numbers.plain_all(value)
        for axis in axes:
            if not isinstance(axis, int):
                raise TypeError(
                    'axes must be int, not %s' % type(axis).__name__)
        return axes

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        for axis in self.source + self.destination:
            _checks.axis(in_types[0], axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        x, = inputs
        self._in_ndim = x.ndim
        xp = backend.get_array_module(x)
        return xp.moveaxis(x, self.source, self.destination),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return moveaxis(grad_outputs[0], self.destination, self.source),


def moveaxis(
        x: VariableOrArray, source: int | Sequence[int],
        destination: int | Sequence[int]) -> Variable:
    """Moves axes to other positions; the others keep their order.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    source : int or tuple of ints
        The axes to move, each at most once.
    destination : int or tuple of ints
        Position of each of them in the result.

    Returns
    -------
    Variable
        Array of the dtype of ``x`` with its axes in the new order.

    Raises
    ------
    ValueError
        If their numbers of axes differ, or one of them contains an axis twice.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axis.
    TypeError
        If an axis is not an int.

    See Also
    --------
    chainer_fast.functions.rollaxis
    chainer_fast.functions.swapaxes
    chainer_fast.functions.transpose
    numpy.moveaxis

    Examples
    --------
    >>> x = np.zeros((2, 7, 5), np.float32)
    >>> F.moveaxis(x, 0, -1).shape
    (7, 5, 2)
    >>> F.moveaxis(x, source=(0, 1), destination=(2, 0)).shape
    (7, 5, 2)
    """
    return Moveaxis(source, destination).apply((x,))[0]
