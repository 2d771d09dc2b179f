from __future__ import annotations

import operator

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import reshape
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class _Maxout(FunctionNode):
    """Largest of each group of adjacent elements along a nonnegative axis."""

    label = 'Maxout'

    def __init__(self, pool_size: int, axis: int) -> None:
        self.axis = axis
        self.pool_size = pool_size

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return kernels.maxout(inputs[0], self.pool_size, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        gradient = _MaxoutGrad(x.array, y.array, self.pool_size, self.axis)
        return gradient.apply(grad_outputs)


class _MaxoutGrad(FunctionNode):
    """Gradient of :class:`_Maxout`."""

    def __init__(self, x: NdArray, y: NdArray, pool_size: int, axis: int) -> None:
        self.x = x
        self.y = y
        self.pool_size = pool_size
        self.axis = axis

    def _to_largest(self, gy):
        return kernels.maxout_grad(self.x, self.y, gy, self.pool_size, self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return self._to_largest(inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        ggx, = grad_outputs
        xp = backend.get_array_module(self.y)
        chosen = ggx * self._to_largest(xp.ones_like(self.y, dtype=ggx.dtype))
        shape = kernels.grouped_shape(self.x.shape, self.pool_size, self.axis)
        return sum_.sum(reshape.reshape(chosen, shape), axis=self.axis + 1),


def maxout(x: VariableOrArray, pool_size: int, axis: int = 1) -> Variable:
    """Largest of each group of adjacent elements along an axis.

    .. math:: y_{i, j} = \\max_{k < p} x_{i, jp + k}

    where :math:`p` is the size of a group. If the largest value occurs more than once,
    each occurrence receives the gradient.

    See: `Maxout networks <https://arxiv.org/abs/1302.4389>`_

    Parameters
    ----------
    x : Variable or array
        Values of a floating dtype.
    pool_size : int
        Number of elements in a group. It must divide the length of the axis.
    axis : int
        Axis that is divided into groups.

    Returns
    -------
    Variable
        Array of the dtype of ``x`` and of its shape except for the axis. The axis has
        one element for each group.

    Raises
    ------
    ValueError
        If ``pool_size`` is not positive.
    IndexError
        If ``x`` has no such axis.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or ``pool_size`` does not divide the length of
        the axis.

    See Also
    --------
    chainer_fast.links.Maxout

    Examples
    --------
    >>> x = np.array([[1., 4., 6., 2., 0., -3.]], np.float32)
    >>> F.maxout(x, 2).array
    array([[4., 6., 0.]], dtype=float32)
    """
    if type(pool_size) is not int or type(axis) is not int:
        pool_size, axis = _numbers.plain_all((pool_size, axis))
        axis = operator.index(axis)
    if pool_size <= 0:
        raise ValueError('pool_size must be a positive integer, not %s' % (pool_size,))
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(
            'maxout along axis %s of an array of shape %s' % (axis, x.shape))
    axis = axis % x.ndim    # an array of the caller must not be changed
    length = x.shape[axis]
    if length % pool_size:
        raise type_check.InvalidType(
            'x.shape[axis] % pool_size == 0',
            'x.shape[axis]=%s, pool_size=%s' % (length, pool_size),
            'pool_size must divide the length of axis %s of x' % (axis,))
    return _Maxout(pool_size, axis).apply((x,))[0]
