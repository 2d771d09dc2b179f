"""Normalization of each sample over groups of its channels."""
from __future__ import annotations

from typing import Any

from chainer_fast import utils
from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.normalization import compiled
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import cast
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.functions.normalization import _second_order
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(
    compiled.GroupNormalizationShortcut(False),
    fields=('eps', 'mean', 'inv_std', 'groups'))
class GroupNormalization(FunctionNode):
    """Normalizes each sample over groups of its channels.

    Parameters
    ----------
    groups : int
        Number of groups.
    eps : float
        Constant added to the variance.

    Attributes
    ----------
    mean, inv_std : array
        Statistics of each sample and group, after the call; in single precision if all
        inputs are float16.
    """

    mean: Any = None
    inv_std: Any = None

    def __init__(self, groups: int, eps: float = 1e-5) -> None:
        super().__init__()
        if not isinstance(groups, int):
            raise TypeError('groups must be an int, but is %r' % (groups,))
        self.groups = groups
        self.eps: float = _checks.as_float(eps)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'gamma', 'beta'))
        x_type, gamma_type, beta_type = in_types
        for each in x_type, gamma_type:
            type_check.expect(each.dtype.kind == 'f')
        type_check.expect(x_type.ndim >= 2, gamma_type.ndim == 1)
        type_check.expect(
            x_type.shape[1] == gamma_type.shape[0],
            gamma_type.shape == beta_type.shape,
            gamma_type.dtype == beta_type.dtype)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        channels = inputs[0].shape[1]
        if self.groups < 1 or channels % self.groups != 0:
            raise ValueError(
                'groups must divide the number of channels, but is %s, and there are %s'
                % (self.groups, channels))
        y, self.mean, self.inv_std = kernels.group_forward(
            *inputs, self.groups, self.eps)
        return y,

    def forward_cudnn(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute :meth:`forward`; batch normalization by cuDNN has no advantage."""
        return self.forward(inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        grads = _GroupNormalizationGrad(
            self.groups, self.eps, self.mean, self.inv_std,
        ).apply((*self.get_retained_inputs(), *grad_outputs))
        return tuple([grads[i] for i in indexes])


class _GroupNormalizationGrad(FunctionNode):
    """Gradients of :class:`GroupNormalization`.

    Parameters
    ----------
    groups : int
        Number of groups.
    eps : float
        Constant added to the variance.
    mean, inv_std : array
        Statistics of each sample and group.
    """

    def __init__(
            self, groups: int, eps: float, mean: NdArray, inv_std: NdArray) -> None:
        super().__init__()
        self.groups = groups
        self.eps = eps
        self.mean = mean
        self.inv_std = inv_std

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        return kernels.group_backward(*inputs, self.mean, self.inv_std, self.groups)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        dtype = _dtypes.interm(*inputs[:2])
        n, channels = inputs[0].shape[:2]
        inner = utils.size_of_shape(inputs[0].shape[2:])
        size = channels // self.groups
        by_group = n, self.groups, size, inner
        of_channels = 1, self.groups, size, 1

        def prepared(v, shape):
            return _second_order.parameter_view(
                cast.as_type(v, dtype), shape)

        x, gamma, gy, ggx, gggamma, ggbeta = [
            prepared(v, of_channels if i in (1, 4, 5) else by_group)
            for i, v in enumerate(inputs + tuple(grad_outputs))]
        grads = _second_order.gradients(
            x, gamma, gy, ggx, gggamma, ggbeta, (2, 3), self.eps)
        return tuple([_second_order.fit(grads[i], inputs[i]) for i in indexes])


class _MulInvStd(FunctionNode):
    """Divides rows by the standard deviations of the rows of another matrix.

    Parameters
    ----------
    eps : float
        Constant added to the variances.
    mean, inv_std : array
        Statistics of the rows of the other matrix, which is the first input.
    dummy_gamma : array
        Not used.
    """

    def __init__(
            self, eps: float, mean: NdArray, inv_std: NdArray,
            dummy_gamma: NdArray) -> None:
        super().__init__()
        self.mean, self.inv_std, self.eps = mean, inv_std, eps

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return self.inv_std[:, None] * inputs[1],

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, y = self.get_retained_inputs()
        g, = grad_outputs
        x_hat, inv_std = _second_order.standardize(x, (1,), self.eps)
        size = sum_mod.sum(g * y, axis=1, keepdims=True) / x.shape[1]
        return -size * inv_std * inv_std * x_hat, g * inv_std


def group_normalization(
        x: VariableOrArray, groups: int, gamma: VariableOrArray, beta: VariableOrArray,
        eps: float = 1e-5) -> Variable:
    """Normalize each sample over groups of its channels, scale and shift each channel.

    The channels are divided into ``groups`` groups of adjacent channels. Each group of
    each sample is normalized by its own mean and variance,

    .. math::

        y = \\gamma \\frac{x - \\mu}{\\sqrt{\\sigma^2 + \\epsilon}} + \\beta .

    With one group, this is layer normalization over all axes except the first one; with
    as many groups as channels, it is instance normalization. The statistics of float16
    values are computed in single precision.

    See: `Group Normalization <https://arxiv.org/abs/1803.08494>`_

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype and shape ``(N, C, ...)``.
    groups : int
        Number of groups, a divisor of ``C``.
    gamma : Variable or array
        Factors of shape ``(C,)``, which may have another floating dtype.
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
        If ``x`` is not floating-point or has no second axis, or the shapes of ``gamma``
        and ``beta`` do not match it.
    TypeError
        If ``groups`` is not an int.
    ValueError
        If ``C`` cannot be divided by ``groups``.

    See Also
    --------
    chainer_fast.functions.layer_normalization
    chainer_fast.functions.batch_normalization
    chainer_fast.links.GroupNormalization

    Examples
    --------
    >>> x = np.array([[1., 3., 10., 30.]], np.float32)
    >>> gamma, beta = np.ones(4, np.float32), np.zeros(4, np.float32)
    >>> F.group_normalization(x, 2, gamma, beta).array
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    return GroupNormalization(groups, eps).apply((x, gamma, beta))[0]
