"""Products over axes."""
from __future__ import annotations

from chainer_fast import backend, utils
from chainer_fast.backends.kernels import reduction
from chainer_fast.backends.kernels.common import halves
from chainer_fast.backends.kernels.reduction import products
from chainer_fast.configuration import config
from chainer_fast.functions import _halves
from chainer_fast.functions.array import concat, reshape, split_axis, transpose, where
from chainer_fast.functions.math import _axes
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Prod(_axes.Reduction):
    """Product over axes."""

    @halves.forward_in_single
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        factors, = x
        self.retain_inputs((0,))
        y = reduction.product(factors, self.axis, self.keepdims)
        return utils.force_array(y),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        if not config.enable_backprop:
            # The gradient will not be differentiated: one kernel is sufficient.
            g = gy[0].array.reshape(_axes.kept_shape(x.shape, self.axis))
            return Variable(reduction.product_grad(x.array, g, self.axis)),
        # Intermediate products of many float16 numbers may be out of range.
        return self.spread(gy[0]) * _halves.in_single(self._others, x),

    def _others(self, x):
        """Return for each element the product of the others that it is reduced with."""
        order, back, shape = products.in_rows(x.shape, self.axis)
        if shape[0] < 2:
            # There are no other elements, and the gradient of the empty product is
            # zero.
            xp = backend.get_array_module(x.array)
            return where.where(
                xp.zeros(x.shape, bool), x, xp.ones(x.shape, x.dtype))
        moved = transpose.transpose(x, order)
        rest = products.of_other_rows(
            reshape.reshape(moved, shape), split_axis.split_axis, concat.concat)
        return transpose.transpose(reshape.reshape(rest, moved.shape), back)


def prod(
        x: VariableOrArray, axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False) -> Variable:
    """Product of array elements over axes.

    .. math:: y = \\prod_i x_i

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None, int or tuple of int
        Axes to multiply over; all axes if ``None``.
    keepdims : bool
        Whether to keep the reduced axes, with length 1.

    Returns
    -------
    Variable
        Products, of the dtype of ``x`` and its shape without the reduced axes.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type.
    ValueError
        If ``axis`` contains an axis twice.

    See Also
    --------
    chainer_fast.functions.sum
    chainer_fast.functions.cumprod
    numpy.prod

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.prod(x, axis=1).array
    array([ 2., 12.], dtype=float32)
    >>> F.prod(x, axis=1, keepdims=True).shape
    (2, 1)
    """
    return Prod(axis, keepdims).apply((x,))[0]
