from __future__ import annotations

from collections.abc import Sequence

from chainer_fast import backend
from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.activation import _channels
from chainer_fast.functions.array import broadcast, reshape, where
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class PReLUFunction(FunctionNode):
    """Parametric rectified linear unit."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'W'))
        _channels.check(*in_types)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.prelu(*inputs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, W = self.get_retained_inputs()
        gradient = PReLUFunctionGrad(
            x.array, kernels.reduced_axes(W, x), kernels.extended_shape(W, x))
        grads = gradient.apply((x, W) + grad_outputs)
        return tuple([grads[i] for i in indexes])


class PReLUFunctionGrad(FunctionNode):
    """Gradients of :class:`PReLUFunction` with respect to ``x`` and ``W``.

    The inputs are ``x``, ``W`` and the gradient of the output.

    Parameters
    ----------
    cond : array
        Array with the sign of ``x``.
    reduce_axes : tuple of int
        Axes of ``x`` that ``W`` does not have.
    extended_shape : tuple of int
        Shape of ``W`` with length one on these axes.
    """

    def __init__(
            self, cond: NdArray, reduce_axes: tuple[int, ...],
            extended_shape: Sequence[int]) -> None:
        self.extended_shape = extended_shape
        self.reduce_axes = reduce_axes
        self.cond = cond

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats((in_types[0], in_types[2]), 'x', 'gy')
        type_check.expect(in_types[1].dtype == in_types[0].dtype)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        return kernels.prelu_grad(*inputs, self.cond)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # With b = 1 where the input is negative and 0 elsewhere, the gradients are gy
        # (1 + b (W - 1)) and the sum of b x gy.
        x, W, gy = self.get_retained_inputs()
        ggx, ggW = grad_outputs
        xp = backend.get_array_module(self.cond)
        bent = xp.logical_not(self.cond >= 0).astype(gy.dtype)
        bent_gy = bent * gy
        by_x = by_W = by_gy = None
        if ggx is not None:
            by_W = reshape.reshape(
                sum_.sum(ggx * bent_gy, axis=self.reduce_axes), W.shape)
            slopes = broadcast.broadcast_to(
                reshape.reshape(W, self.extended_shape), x.shape)
            by_gy = ggx * where.where(bent > 0, slopes, xp.ones_like(x.array))
        if ggW is not None:
            ggW = reshape.reshape(ggW, self.extended_shape)
            by_x = ggW * bent_gy
            more = ggW * (bent * x)
            by_gy = more if by_gy is None else by_gy + more
        return by_x, by_W, by_gy


def prelu(x: VariableOrArray, W: VariableOrArray) -> Variable:
    """Parametric rectified linear unit.

    .. math:: f(x) = x \\quad (x \\ge 0), \\qquad f(x) = W x \\quad (x < 0)

    See: `Delving deep into rectifiers <https://arxiv.org/abs/1502.01852>`_

    Parameters
    ----------
    x : Variable or array
        Values of a floating dtype. The first axis is that of the batch.
    W : Variable or array
        Slopes for negative inputs. The axes of ``W`` are the axes of ``x`` after the
        first one, or only the first few of those; a slope is shared along the other
        axes.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, the dtypes differ, or the shape of ``W`` does
        not match the axes of ``x`` after the first one.

    See Also
    --------
    chainer_fast.links.PReLU

    Examples
    --------
    >>> x = np.array([[-8., -8., 3.]], np.float32)
    >>> W = np.array([0.25, 0.5, 0.5], np.float32)
    >>> F.prelu(x, W).array
    array([[-2., -4.,  3.]], dtype=float32)
    """
    return PReLUFunction().apply((x, W))[0]
