"""Normalization of each sample over its features."""
from __future__ import annotations

from typing import Any

from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.normalization import compiled
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast, cast
from chainer_fast.functions.normalization import _second_order
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.GroupNormalizationShortcut(True), fields=('eps', 'mean', 'inv_std'))
class LayerNormalization(FunctionNode):
    """Normalizes the rows of a matrix, scales and shifts the columns.

    Parameters
    ----------
    eps : float
        Constant added to the variance.

    Attributes
    ----------
    mean, inv_std : array
        Statistics of the rows, after the call.
    """

    mean: Any = None
    inv_std: Any = None

    def __init__(self, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps: float = _checks.as_float(eps)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'gamma', 'beta'))
        x_type, gamma_type, beta_type = in_types
        type_check.expect(x_type.ndim == 2, x_type.dtype.kind == 'f')
        for each in gamma_type, beta_type:
            type_check.expect(
                each.ndim == 1,
                each.dtype == x_type.dtype,
                each.shape == gamma_type.shape)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, gamma, beta = inputs
        if len(gamma) != x.shape[1]:
            raise ValueError(
                'gamma and beta must have a number for each of the %d columns of x, '
                'but have shape %s' % (x.shape[1], gamma.shape))
        if x.dtype.kind != 'f':     # unchecked types: the result is floating
            x = x.astype(_dtypes.interm(x, gamma))
        y, self.mean, self.inv_std = kernels.group_forward(
            x, gamma, beta, 1, self.eps)
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        grads = _LayerNormalizationGrad(self.eps, self.mean, self.inv_std).apply(
            (*self.get_retained_inputs(), *grad_outputs))
        return tuple([grads[i] for i in indexes])


class _LayerNormalizationGrad(FunctionNode):
    """Gradients of :class:`LayerNormalization`.

    Parameters
    ----------
    eps : float
        Constant added to the variance.
    mean, inv_std : array
        Statistics of the rows.
    """

    def __init__(self, eps: float, mean: NdArray, inv_std: NdArray) -> None:
        super().__init__()
        self.eps = eps
        self.mean = mean
        self.inv_std = inv_std

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        return kernels.group_backward(*inputs, self.mean, self.inv_std, 1)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        dtype = _dtypes.interm(*inputs[:2])
        x, gamma, gy, ggx, gggamma, ggbeta = [
            cast.as_type(v, dtype)
            for v in inputs + tuple(grad_outputs)]
        row = (1, x.shape[1])
        gamma, gggamma, ggbeta = [
            _second_order.parameter_view(v, row) for v in (gamma, gggamma, ggbeta)]
        grads = _second_order.gradients(
            x, gamma, gy, ggx, gggamma, ggbeta, (1,), self.eps)
        return tuple([_second_order.fit(grads[i], inputs[i]) for i in indexes])


def layer_normalization(
        x: VariableOrArray, gamma: VariableOrArray, beta: VariableOrArray,
        eps: float = 1e-5) -> Variable:
    """Normalize each sample over its features, scale and shift each feature.

    .. math::

        y_{ij} = \\gamma_j \\frac{x_{ij} - \\mu_i}{\\sqrt{\\sigma_i^2 + \\epsilon}}
            + \\beta_j

    where :math:`\\mu_i` and :math:`\\sigma_i^2` are the mean and the variance of a row.

    See: `Layer Normalization <https://arxiv.org/abs/1607.06450>`_

    Parameters
    ----------
    x : Variable or array
        Matrix of a floating dtype, with one row for each sample.
    gamma : Variable or array
        Factors, a vector of the dtype of ``x`` with one number for each column.
    beta : Variable or array
        Offsets, like ``gamma``.
    eps : float
        Constant added to the variance to keep the quotient finite.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not a floating-point matrix.
    ValueError
        If ``gamma`` and ``beta`` do not match ``x``.

    See Also
    --------
    chainer_fast.functions.group_normalization
    chainer_fast.functions.batch_normalization
    chainer_fast.links.LayerNormalization

    Examples
    --------
    >>> x = np.array([[1., 3.], [10., 30.]], np.float32)
    >>> gamma, beta = np.array([1., 2.], np.float32), np.zeros(2, np.float32)
    >>> F.layer_normalization(x, gamma, beta).array
    array([[-1.,  2.],
           [-1.,  2.]], dtype=float32)
    """
    if (getattr(gamma, 'shape', None) == getattr(beta, 'shape', None) == (1,)
            and getattr(x, 'ndim', None) == 2 and x.shape[1] != 1):
        # A single number applies to all columns.
        gamma = broadcast.broadcast_to(gamma, x.shape[1:])
        beta = broadcast.broadcast_to(beta, x.shape[1:])
    return LayerNormalization(eps).apply((x, gamma, beta))[0]
