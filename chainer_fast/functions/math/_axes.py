"""The ``axis`` argument of reductions: ``None``, an int, or a tuple of ints."""
from __future__ import annotations

from typing import Any

from chainer_fast import _numbers, configuration, function_node
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast, reshape
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable


def as_tuple(axis):
    """Return ``axis`` as ``None`` or a tuple of ints.

    Raises
    ------
    TypeError
        If ``axis`` is of another type.
    ValueError
        If an axis occurs twice.
    """
    if axis is None:
        return None
    if isinstance(axis, int):
        return axis,
    if not (isinstance(axis, tuple) and all(isinstance(a, int) for a in axis)):
        raise TypeError(
            f'axis must be None, an int or a tuple of ints, but {axis!r} was given.')
    if len(set(axis)) < len(axis):
        raise ValueError(f'axis has a duplicate value: {axis}')
    return axis


def kept_shape(shape, axis):
    """Return ``shape`` with length 1 on the reduced axes, as with ``keepdims``."""
    if axis is None:
        return (1,) * len(shape)
    reduced = {a % len(shape) for a in axis}
    return tuple([1 if i in reduced else n for i, n in enumerate(shape)])


class Reduction(function_node.FunctionNode):
    """Function that reduces axes of a floating-point array."""

    keepdims: bool = False

    def __init__(
            self, axis: int | tuple[int, ...] | None = None,
            keepdims: bool = False) -> None:
        self.axis: tuple[int] | tuple[Any, ...] | None = as_tuple(axis)
        self.keepdims = (
            keepdims if type(keepdims) is bool else _numbers.plain(keepdims))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        for number in self.axis or ():
            _checks.axis(in_types[0], number)

    def spread(self, reduced: Any) -> Variable:
        """Broadcast a variable from the shape of the output to that of the input."""
        shape = self.inputs[0].shape
        if self.axis is not None and reduced.ndim < len(shape):
            reduced = reshape.reshape(reduced, kept_shape(shape, self.axis))
        return broadcast.broadcast_to(reduced, shape)


def align(y, shape, axis):
    """Broadcast ``y``, whose axes are those of ``shape`` from ``axis``.

    In debug mode, the lengths of these axes must be equal, not only compatible.
    """
    if configuration.config.debug:
        expected = shape[axis:axis + y.ndim]
        assert y.shape == expected, (
            f'y has shape {y.shape}, but x has {expected} from axis {axis} on.')
    axis = _numbers.plain(axis)
    # An axis that is far out of range must not create a shape with so many axes.
    most = len(shape) + 1
    behind = min(len(shape) - axis - y.ndim, most)
    y = reshape.reshape(y, (1,) * min(axis, most) + y.shape + (1,) * behind)
    return broadcast.broadcast_to(y, shape)
