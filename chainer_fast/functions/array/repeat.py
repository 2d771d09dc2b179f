from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast import backend, utils
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.backends.kernels import reduction
from chainer_fast.backends.kernels.common import halves
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Repeat(FunctionNode):
    """Repeats the elements of an array along an axis."""

    def __init__(
            self, repeats: int | Sequence[int], axis: int | None = None) -> None:
        super().__init__()
        counts = (repeats,) if isinstance(repeats, int) else repeats
        if not isinstance(counts, tuple) or not all(
                isinstance(n, int) for n in counts):
            raise TypeError('repeats must be int or tuple of ints')
        if any(n < 0 for n in counts):
            raise ValueError('all elements in repeats must be zero or larger')
        if axis is not None and not isinstance(axis, int):
            raise TypeError('axis must be int or None')
        self.repeats: tuple[int, ...] = tuple([int(n) for n in counts])
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(inputs[0])
        return _repeat(xp, inputs[0], self.repeats, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.inputs
        grad = RepeatGrad(self.repeats, self.axis, x.shape, x.dtype)
        return grad.apply(grad_outputs)


def _repeat(xp, x, repeats, axis):
    # A single count applies to the whole axis; CuPy requires a tuple to be as long as
    # the axis.
    counts = repeats[0] if len(repeats) == 1 else repeats
    if len(repeats) != 1 or x.size < kernels.LEAST or not counts or (
            axis is not None and not -x.ndim <= axis < x.ndim):
        return xp.repeat(x, counts, axis)
    if axis is None:
        x, axis = x.reshape(-1), 0
    before, after = x.shape[:axis % x.ndim + 1], x.shape[axis % x.ndim + 1:]
    y = xp.empty((*before, counts, *after), x.dtype)
    kernels.assign(y, xp.broadcast_to(x.reshape(*before, 1, *after), y.shape))
    return y.reshape(*before[:-1], before[-1] * counts, *after)


class RepeatGrad(FunctionNode):
    """Sums a gradient over the repetitions of each element.

    Parameters
    ----------
    repeats : tuple of ints
        Number of times each element was repeated; one number applies to all.
    axis : int or None
        The axis; ``None`` if the array was flattened.
    in_shape : tuple
        Shape of the array that was repeated.
    in_dtype
        Dtype of that array.
    """

    def __init__(
            self, repeats: Sequence[int], axis: int | None,
            in_shape: Sequence[Any], in_dtype: DTypeSpec) -> None:
        super().__init__()
        self.repeats = repeats
        self.axis = axis
        self.in_shape = in_shape
        self.in_dtype = in_dtype

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = inputs
        if gy.size and len(self.repeats) == 1:
            inner = () if self.axis is None else self.in_shape[self.axis:][1:]
            parts = gy.reshape(-1, self.repeats[0], utils.size_of_shape(inner))
            gx = reduction.sum_second_axis(parts).reshape(self.in_shape)
            return halves.cast(gx, self.in_dtype),
        xp = backend.get_array_module(gy)
        gx = xp.zeros(self.in_shape, self.in_dtype)
        if gy.size == 0:
            return gx,
        # The repeated axis comes first; with axis=None it is the only one.
        if self.axis is None:
            rows = gx.reshape(-1)
        else:
            rows = xp.moveaxis(gx, self.axis, 0)
            gy = xp.moveaxis(gy, self.axis, 0)
        start = 0
        for i, count in enumerate(self.repeats):
            rows[i] = gy[start:start + count].sum(axis=0)
            start += count
        return gx,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        again = Repeat(self.repeats, self.axis)
        return again.apply(grad_outputs)


def repeat(
        x: VariableOrArray, repeats: int | Sequence[int],
        axis: int | None = None) -> Variable:
    """Repeats the elements of an array.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    repeats : int or tuple of ints
        Number of times each element along the axis is repeated; one number applies to
        all.
    axis : int or None
        The axis. With ``None`` the array is flattened first.

    Returns
    -------
    Variable
        Array of the dtype of ``x``: of the shape of ``x`` except for the axis, or a
        vector if ``axis`` is None.

    Raises
    ------
    TypeError
        If ``repeats`` or ``axis`` is of another type.
    ValueError
        If a number is negative, or the number of counts is not the number of elements
        along the axis.
    numpy.exceptions.AxisError
        If ``x`` has no such axis.

    See Also
    --------
    chainer_fast.functions.tile
    numpy.repeat

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.]])
    >>> F.repeat(x, (2, 1), axis=0).array
    array([[1., 2.],
           [1., 2.],
           [3., 4.]])
    >>> F.repeat(x, 2).array
    array([1., 1., 2., 2., 3., 3., 4., 4.])
    """
    return Repeat(repeats, axis).apply((x,))[0]
