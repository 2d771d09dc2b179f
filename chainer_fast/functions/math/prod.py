"""Products over axes."""
from __future__ import annotations

from chainer_fast import backend, utils
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.backends.kernels import reduction
from chainer_fast.backends.kernels.common import halves
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
        # Intermediate products of many float16 numbers may be out of range.
        rest = _halves.in_single(self._others, *self.get_retained_inputs())
        return self.spread(gy[0]) * rest,

    def _others(self, x):
        """Return for each element the product of the others that it is reduced with."""
        shape = x.shape
        # The reduced axes become the first axis.
        reduced = [i for i in range(len(shape)) if self._reduces(i, len(shape))]
        others = [i for i in range(len(shape)) if i not in reduced]
        order = reduced + others
        back = [order.index(i) for i in range(len(shape))]
        rows = utils.size_of_shape([shape[i] for i in reduced])
        columns = utils.size_of_shape([shape[i] for i in others])
        if not config.enable_backprop:
            # The gradient will not be differentiated: arrays are sufficient.
            moved = x.array.transpose(order)
            rest = _products_of_others(
                moved.reshape(rows, columns), _split_rows, _join_rows)
            return Variable(rest.reshape(moved.shape).transpose(back))
        return self._rest(x, order, back, (rows, columns))

    def _rest(self, x, order, back, shape):
        """Return a variable of the products of all other elements."""
        if shape[0] < 2:
            # There are no other elements, and the gradient of the empty product is
            # zero.
            xp = backend.get_array_module(x.array)
            return where.where(
                xp.zeros(x.shape, bool), x, xp.ones(x.shape, x.dtype))
        moved = transpose.transpose(x, order)
        rest = _products_of_others(
            reshape.reshape(moved, shape), split_axis.split_axis, concat.concat)
        return transpose.transpose(reshape.reshape(rest, moved.shape), back)

    def _reduces(self, number, ndim):
        return self.axis is None or number in self.axis or number - ndim in self.axis


def _split_rows(x, places, axis=0):
    # NumPy's own function is slower.
    return [x[i:j] for i, j in zip([0, *places], [*places, len(x)], strict=True)]


def _join_rows(arrays, axis=0):
    return kernels.join(arrays[0], arrays, axis)


def _products_of_others(x, split, concat):
    """Return for each row of a matrix the product of all other rows.

    Division by the row would fail for zeros. Instead, the upper half of the rows is
    multiplied by the lower half. For the resulting rows, half as many, the products of
    all others are computed, which then lack only the row of the other half.

    ``split`` and ``concat`` are the functions for the type of ``x``, variable or array.
    """
    n = x.shape[0]
    if n < 2:
        xp = backend.get_array_module(x)
        return xp.ones(x.shape, x.dtype)
    half = n // 2
    upper, lower, *odd = split(x, [half, 2 * half] if n % 2 else [half], axis=0)
    rest = _products_of_others(
        concat([upper * lower, *odd], axis=0), split, concat)
    if odd:
        rest, last = split(rest, [half], axis=0)
        odd = [last]
    return concat([lower * rest, upper * rest, *odd], axis=0)


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
