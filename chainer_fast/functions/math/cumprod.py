"""Running products."""
from __future__ import annotations

from chainer_fast import backend, function_node
from chainer_fast.backends.kernels import record, reduction
from chainer_fast.backends.kernels.declared import Declared
from chainer_fast.configuration import config
from chainer_fast.functions import _checks
from chainer_fast.functions.array import concat, flip, reshape
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _part(x, axis, start=None, stop=None):
    """Return a slice of a variable along a nonnegative axis."""
    return x[(slice(None),) * axis + (slice(start, stop),)]


@record(Declared('running_product', ('running_product_grad', 0, 'y', 'g')))
class Cumprod(function_node.FunctionNode):
    """Running product along an axis, or over the flattened array."""

    def __init__(self, axis: int | None = None) -> None:
        if axis is not None and not isinstance(axis, int):
            raise TypeError(f'axis must be an int or None, but {axis!r} was given.')
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        if self.axis is not None:
            _checks.axis(in_types[0], self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return reduction.running_product(x, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        gy, = grad_outputs
        if not config.enable_backprop:
            # The gradient will not be differentiated: one kernel is sufficient.
            return Variable(reduction.running_product_grad(
                x.array, y.array, gy.array, self.axis)),
        shape = x.shape
        axis = 0 if self.axis is None else self.axis % x.ndim
        if y.shape[axis] < 2:
            return reshape.reshape(gy, shape),      # The product is x itself.
        if self.axis is None:
            x = reshape.reshape(x, y.shape)
        # The gradient of an element is the product of those before it times the sum
        # over the products of those after it. There is no division, which would fail
        # for zeros.
        first = list(y.shape)
        first[axis] = 1
        ones = backend.get_array_module(x).ones(first, y.dtype)
        before = concat.concat([ones, _part(y, axis, stop=-1)], axis)
        gx = before * _flipcumprodsum(_part(x, axis, start=1), gy, axis)
        return reshape.reshape(gx, shape),


class Cumprodsum(function_node.FunctionNode):
    """The recurrence ``y[k] = y[k - 1] * xmul[k - 1] + xadd[k]`` along an axis."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xmul, xadd = inputs
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        y = xadd.copy()
        rows, factors = (v.swapaxes(self.axis, 0) for v in (y, xmul))
        for k, factor in enumerate(factors):
            rows[k + 1] += factor * rows[k]
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        xmul, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        axis = self.axis % y.ndim
        gadd = _flipcumprodsum(xmul, grad_outputs[0], axis)
        grads = []
        for i in indexes:
            if i == 0:
                grads.append(_part(y, axis, stop=-1) * _part(gadd, axis, start=1))
            else:
                grads.append(gadd)
        return tuple(grads)


def _flipcumprodsum(xmul, xadd, axis):
    """Run the recurrence of :class:`Cumprodsum` from the end."""
    flipped = [flip.flip(v, axis) for v in (xmul, xadd)]
    y, = Cumprodsum(axis).apply(flipped)
    return flip.flip(y, axis)


def cumprod(x: VariableOrArray, axis: int | None = None) -> Variable:
    """Running product of array elements.

    .. math:: y_i = \\prod_{j \\le i} x_j

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : int or None
        Axis to multiply along. With ``None`` the product is over the flattened array.

    Returns
    -------
    Variable
        Products of the dtype and shape of ``x``, or of one axis if ``axis`` is
        ``None``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type.

    See Also
    --------
    chainer_fast.functions.prod
    numpy.cumprod

    Examples
    --------
    >>> x = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.cumprod(x, axis=1).array
    array([[ 1.,  2.],
           [ 3., 12.]], dtype=float32)
    >>> F.cumprod(x).array
    array([ 1.,  2.,  6., 24.], dtype=float32)
    """
    return Cumprod(axis).apply((x,))[0]
