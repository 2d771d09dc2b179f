from __future__ import annotations

from chainer_fast import backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Rollaxis(FunctionNode):
    """Moves one axis before another."""

    def __init__(self, axis: int, start: int) -> None:
        super().__init__()
        for name, value in (('axis', axis), ('start', start)):
            if not isinstance(value, int):
                raise TypeError(
                    '%s must be int, not %s' % (name, type(value).__name__))
        self.axis = axis
        self.start = start

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        x_type, = in_types
        _checks.axis(x_type, self.axis)
        if self.start >= 0:
            # One past the last axis means the end.
            type_check.expect(x_type.ndim >= self.start)
        else:
            _checks.axis(x_type, self.start)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        x, = inputs
        self._in_ndim = x.ndim
        return backend.get_array_module(x).rollaxis(x, self.axis, self.start),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        ndim = self._in_ndim
        source = self.axis % ndim
        start = self.start + ndim if self.start < 0 else self.start
        # Removing the axis shifts those after it by one.
        landed = start - 1 if start > source else start
        # The axis moves back before the one that is now at its old position.
        target = source + 1 if source > landed else source
        return rollaxis(grad_outputs[0], landed, target),


def rollaxis(x: VariableOrArray, axis: int, start: int = 0) -> Variable:
    """Moves an axis before another one.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    axis : int
        The axis to move.
    start : int
        The axis is placed before this one; ``x.ndim`` places it at the end.

    Returns
    -------
    Variable
        Array of the dtype of ``x`` with its axes in the new order.

    Raises
    ------
    TypeError
        If ``axis`` or ``start`` is not an integer.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axis.

    See Also
    --------
    chainer_fast.functions.moveaxis
    numpy.rollaxis

    Examples
    --------
    >>> x = np.zeros((2, 5, 7), np.float32)
    >>> F.rollaxis(x, 2).shape
    (7, 2, 5)
    >>> F.rollaxis(x, 0, start=3).shape
    (5, 7, 2)
    """
    return Rollaxis(axis, start).apply((x,))[0]
