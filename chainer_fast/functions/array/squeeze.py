from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chainer_fast import backend
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import reshape
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def argone(iterable: Iterable[Any]) -> list[int]:
    """Return the positions of the ones in a sequence: 0 and 2 in ``[1, 2, 1]``."""
    return [i for i, value in enumerate(iterable) if value == 1]


def _as_axes(axis):
    if axis is None:
        return None
    axes = (axis,) if isinstance(axis, int) else axis
    if isinstance(axes, tuple) and all(isinstance(a, int) for a in axes):
        return axes
    raise TypeError('axis must be None, int or tuple of ints')


@record(compiled.SqueezeShortcut(), fields=('axis',))
class Squeeze(FunctionNode):
    """Removes axes of length one."""

    def __init__(self, axis: int | tuple[int, ...] | None = None) -> None:
        super().__init__()
        self.axis: tuple[int] | tuple[Any, ...] | None = _as_axes(axis)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        for axis in self.axis or ():
            _checks.axis(in_types[0], axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(inputs[0])
        return xp.squeeze(inputs[0], self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return reshape.reshape(grad_outputs[0], self.inputs[0].shape),


def squeeze(x: VariableOrArray, axis: int | tuple[int, ...] | None = None) -> Variable:
    """Removes axes of length one from the shape of an array.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    axis : None, int or tuple of ints
        Axes to remove, each of length one. ``None`` removes all axes of length one.

    Returns
    -------
    Variable
        The same elements, of the dtype of ``x``, with fewer axes.

    Raises
    ------
    TypeError
        If ``axis`` is of another type.
    ValueError
        If a given axis is longer than one, or is given twice.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axis.

    See Also
    --------
    chainer_fast.functions.expand_dims
    numpy.squeeze

    Examples
    --------
    >>> x = np.array([[[5.], [6.]]])
    >>> F.squeeze(x).array
    array([5., 6.])
    >>> F.squeeze(x, axis=0).shape
    (2, 1)
    """
    return Squeeze(axis).apply((x,))[0]
