from __future__ import annotations

import math
from collections.abc import Sequence

import numpy

from chainer_fast import _numbers
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


def _count_unknown_dims(shape):
    """Return the number of dimensions that are to be inferred."""
    return sum(1 for length in shape if length < 0)


@record(compiled.ReshapeShortcut(), fields=('shape',))
class Reshape(FunctionNode):
    """Gives an array a new shape."""

    def __init__(self, shape: Sequence[int]) -> None:
        super().__init__()
        self.shape = shape
        self._cnt = _count_unknown_dims(shape)
        # One dimension can be inferred from the others, two cannot.
        assert self._cnt <= 1

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        size = type_check.prod(in_types[0].shape)
        if self._cnt == 0:
            wanted = type_check.make_variable(
                _numbers.plain_all(self.shape), str(self.shape))
            type_check.expect(size == type_check.prod(wanted))
            return
        known = math.prod([int(length) for length in self.shape if length > 0])
        divisor = type_check.make_variable(known, 'known_size(=%d)' % known)
        type_check.expect(size % divisor == 0)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return inputs[0].reshape(self.shape),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return reshape(grad_outputs[0], self.inputs[0].shape),


def reshape(x: VariableOrArray, shape: Sequence[int]) -> Variable:
    """Gives an array a new shape without changing its elements.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    shape : tuple of ints
        The new shape, with as many elements as ``x``. One dimension may be -1 and is
        then inferred.

    Returns
    -------
    Variable
        Array of the new shape and the dtype of ``x``; ``x`` itself if it already has
        the shape.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the new shape has another number of elements.
    AssertionError
        If more than one dimension is -1.
    TypeError
        If ``shape`` is an int.

    See Also
    --------
    chainer_fast.functions.flatten
    numpy.reshape

    Examples
    --------
    >>> x = np.array([[1., 2., 3.], [4., 5., 6.]])
    >>> F.reshape(x, (3, -1)).array
    array([[1., 2.],
           [3., 4.],
           [5., 6.]])
    """
    if type(shape) is not tuple and isinstance(shape, numpy.ndarray):
        shape = _numbers.shape(shape)
    if x.shape == shape:
        return as_variable(x)
    return Reshape(shape).apply((x,))[0]
