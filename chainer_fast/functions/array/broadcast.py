from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


class Broadcast(FunctionNode):
    """Broadcasts several arrays against each other."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() > 0)
        type_check.expect_broadcast_shapes(*[each.shape for each in in_types])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(*inputs)
        self._xp = xp
        self._in_shapes = [x.shape for x in inputs]
        return tuple(xp.broadcast_arrays(*inputs))

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return tuple([self._gather(i, grad_outputs[i]) for i in indexes])

    def _gather(self, index, gy):
        # An unused output has no gradient, and neither has its input.
        if gy is None:
            return None
        return sum_.sum_to(gy, self._in_shapes[index])


@record(compiled.BroadcastToShortcut(), fields=('_shape',))
class BroadcastTo(FunctionNode):
    """Broadcasts an array to a given shape."""

    def __init__(self, shape: Sequence[int]) -> None:
        super().__init__()
        self._shape = tuple(shape)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        x_type, = in_types
        target = self._shape
        ndim = type_check.make_variable(len(target), 'len(shape)')
        type_check.expect(x_type.ndim <= ndim)

        actual = type_check.eval(x_type.shape)
        for i in range(-len(actual), 0):
            if actual[i] != target[i] and actual[i] != 1:
                raise type_check.InvalidType(
                    'in_type[0].shape[%d] == %d or in_type[0].shape[%d] == 1'
                    % (i, target[i], i),
                    'in_type[0].shape: %s' % (actual,))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(inputs[0])
        if hasattr(xp, 'broadcast_to'):
            return xp.broadcast_to(inputs[0], self._shape),
        return self.broadcast_to(inputs)

    def broadcast_to(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Broadcast by means of a dummy array of the target shape."""
        xp = backend.get_array_module(*inputs)
        dummy = xp.empty(self._shape, dtype=inputs[0].dtype)
        return xp.broadcast_arrays(inputs[0], dummy)[:1]

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        source, = self.inputs
        return sum_.sum_to(grad_outputs[0], source.shape),


@overload
def broadcast(
        x0: VariableOrArray, x1: VariableOrArray, /,
        *args: VariableOrArray) -> tuple[Variable, ...]: ...
@overload
def broadcast(x: VariableOrArray, /) -> Variable: ...
def broadcast(*args: VariableOrArray) -> Variable | tuple[Variable, ...]:
    """Broadcasts arrays against each other.

    Parameters
    ----------
    *args : Variables or arrays
        Arrays of any dtypes whose shapes are compatible under NumPy's broadcasting
        rules.

    Returns
    -------
    tuple of Variables
        The arguments, all of the common shape. A single argument is returned as a
        variable rather than as a tuple.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If shapes are not compatible, or there is no argument.

    See Also
    --------
    chainer_fast.functions.broadcast_to
    numpy.broadcast_arrays

    Examples
    --------
    >>> x = np.array([0., 1., 2.], np.float32)
    >>> y = np.array([[1.], [2.]], np.float32)
    >>> a, b = F.broadcast(x, y)
    >>> b.array
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """
    if len(args) == 1:
        return as_variable(args[0])
    return Broadcast().apply(args)


def broadcast_to(x: VariableOrArray, shape: Sequence[int]) -> Variable:
    """Broadcasts an array to a given shape.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype and at most ``len(shape)`` dimensions.
    shape : tuple of ints
        The target shape.

    Returns
    -------
    Variable
        ``x`` broadcast to the shape, or the variable itself if it already has the
        shape.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the shapes are not compatible.

    See Also
    --------
    chainer_fast.functions.broadcast
    chainer_fast.functions.sum_to
    numpy.broadcast_to

    Examples
    --------
    >>> F.broadcast_to(np.array([[5.], [6.]]), (2, 3)).array
    array([[5., 5., 5.],
           [6., 6., 6.]])
    """
    if type(shape) is not tuple and isinstance(shape, numpy.ndarray):
        shape = _numbers.shape(shape)
    if x.shape == shape:
        return as_variable(x)
    return BroadcastTo(shape).apply((x,))[0]
