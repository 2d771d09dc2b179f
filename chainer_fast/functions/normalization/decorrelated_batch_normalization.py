"""Whitening of batches: normalization that removes correlations between channels."""
from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy

from chainer_fast import _numbers, backend
from chainer_fast.backends import arrays
from chainer_fast.backends.kernels import linalg
from chainer_fast.backends.kernels.matmul import matmul
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray, Xp
from chainer_fast.utils import argument, type_check
from chainer_fast.utils import array as array_utils
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

# In this module, each group is a matrix whose rows are the channels and whose columns
# are all positions of all samples. The matrices of all groups are stacked.


def _to_matrices(x, groups):
    """Reshape ``(N, C, ...)`` to ``(groups, C / groups, columns)``."""
    n, channels = x.shape[:2]
    pixels = math.prod(x.shape[2:])
    by_channel = x.reshape(n, channels, pixels).swapaxes(0, 1)
    return by_channel.reshape(groups, channels // groups, n * pixels)


def _from_matrices(matrices, shape):
    """Invert :func:`_to_matrices`."""
    n, channels = shape[:2]
    return matrices.reshape(channels, n, *shape[2:]).swapaxes(0, 1)


def _transposed(matrices):
    return matrices.swapaxes(1, 2)


def _computed_in(x):
    """Return the dtype to compute in: NumPy has no eigenvalues of float16 matrices."""
    return numpy.promote_types(x.dtype, numpy.float32)


def _result(xp, matrices, shape, dtype):
    return arrays.floating(
        xp.ascontiguousarray(_from_matrices(matrices, shape)), dtype)


def _check_channels(x_type, groups):
    """Expect values whose channels can be divided into groups."""
    type_check.expect(x_type.ndim >= 2, x_type.dtype.kind == 'f')
    type_check.expect(x_type.shape[1] % groups == 0)


class DecorrelatedBatchNormalization(FunctionNode):
    """Whitens a batch by its own mean and covariance.

    Parameters
    ----------
    groups : int
        Number of groups of channels.
    eps : float
        Constant added to the variances.
    mean, projection : array or None
        Running statistics to update in place.
    decay : float
        Weight of the previous running statistics in an update.

    Attributes
    ----------
    axis : tuple of int
        Axes that are aggregated, after the call.
    eigvals, eigvectors : array
        Eigenvalues and eigenvectors of the covariance of each group.
    y_hat_pca : array
        The output in the basis of the eigenvectors.
    """

    groups: int
    eps: float
    decay: float
    running_mean: Any
    running_projection: Any
    eigvals: Xp
    eigvectors: Xp
    y_hat_pca: Xp

    def __init__(
            self, groups: int = 16, eps: float = 2e-5, mean: NdArray | None = None,
            projection: NdArray | None = None, decay: float = 0.9) -> None:
        super().__init__()
        self.groups, self.eps, self.decay = groups, eps, decay
        self.running_mean, self.running_projection = mean, projection
        self.axis: tuple[int, ...] | None = None

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        x_type, = in_types
        _check_channels(x_type, self.groups)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        x, = inputs
        xp = backend.get_array_module(x)
        self.axis = (0, *range(2, x.ndim))
        dtype = _computed_in(x)
        rows = _to_matrices(x, self.groups).astype(dtype, copy=False)
        size, count = rows.shape[1:]

        mean = rows.sum(axis=2) / max(count, 1)
        rows = rows - mean[:, :, None]
        cov = matmul(rows, _transposed(rows))
        cov /= max(count, 1)
        cov += self.eps * xp.eye(size, dtype=dtype)
        self.eigvals, self.eigvectors = linalg.call(xp.linalg.eigh, cov)

        # Transform to the basis of the eigenvectors, scale to variance one, and back.
        basis = self.eigvectors
        whitening = _transposed(basis) / xp.sqrt(self.eigvals)[:, :, None]
        self.y_hat_pca = matmul(whitening, rows)
        y = matmul(basis, self.y_hat_pca)
        if count > 0:
            self._update(mean, matmul(basis, whitening), count)
        return _result(xp, y, x.shape, x.dtype),

    def _update(self, mean, projection, count):
        new = 1 - self.decay
        if self.running_mean is not None:
            self.running_mean *= self.decay
            self.running_mean += mean * new
        if self.running_projection is not None:
            # Chainer corrects the projection as if it were a variance.
            self.running_projection *= self.decay
            self.running_projection += projection * (new * count / max(count - 1, 1))

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return DecorrelatedBatchNormalizationGrad(
            self.groups, self.eigvals, self.eigvectors, self.y_hat_pca,
        ).apply(grad_outputs)


class DecorrelatedBatchNormalizationGrad(FunctionNode):
    """Gradient of :class:`DecorrelatedBatchNormalization`.

    The function is :math:`Y = S^{-1/2} X` with the covariance
    :math:`S = U \\Lambda U^T`. In the basis :math:`U`, a change of :math:`S` changes
    its power :math:`-1/2` by the elementwise product with

    .. math::

        \\frac{\\lambda_i^{-1/2} - \\lambda_j^{-1/2}}{\\lambda_i - \\lambda_j}
        = \\frac{-1}{\\sqrt{\\lambda_i \\lambda_j}
            (\\sqrt{\\lambda_i} + \\sqrt{\\lambda_j})}

    whose right side also holds for equal eigenvalues.

    Parameters
    ----------
    groups : int
        Number of groups of channels.
    eigvals, eigvectors, y_hat_pca : array
        Attributes of the function.
    """

    groups: int
    y_hat_pca: NdArray
    eigvals: NdArray
    eigvectors: NdArray

    def __init__(
            self, groups: int, eigvals: NdArray, eigvectors: NdArray,
            y_hat_pca: NdArray) -> None:
        super().__init__()
        self.groups, self.y_hat_pca = groups, y_hat_pca
        self.eigvals, self.eigvectors = eigvals, eigvectors

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        gy, = inputs
        xp = backend.get_array_module(gy)
        basis, z = self.eigvectors, self.y_hat_pca
        count = max(z.shape[2], 1)
        std = xp.sqrt(self.eigvals)
        left, right = std[:, :, None], std[:, None, :]

        g = matmul(
            _transposed(basis),
            _to_matrices(gy, self.groups).astype(basis.dtype, copy=False))
        by_power = matmul(g, _transposed(z)) * right
        by_cov = (by_power + _transposed(by_power)) / (left * right * (left + right))
        gx = g / left - matmul(by_cov * right, z) / count
        gx = matmul(basis, gx)
        gx -= gx.sum(axis=2, keepdims=True) / count
        return _result(xp, gx, gy.shape, gy.dtype),

    def backward(
            self, inputs: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        raise NotImplementedError(
            'The gradient of decorrelated_batch_normalization cannot be differentiated '
            '(Double backward is not implemented).')


class FixedDecorrelatedBatchNormalization(FunctionNode):
    """Shifts and projects a batch by given statistics.

    Parameters
    ----------
    groups : int
        Number of groups of channels.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'mean', 'projection'))
        x_type, mean_type, projection_type = in_types
        _check_channels(x_type, self.groups)
        for each in mean_type, projection_type:
            type_check.expect(each.dtype == x_type.dtype)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2))
        x, mean, projection = inputs
        size = x.shape[1] // self.groups
        # The groups and the channels of the mean may be one axis.
        if mean.ndim != 2 or projection.shape[1:] != (size, size) or not all(
                length in (1, whole) for length, whole in zip(
                    (*mean.shape, len(projection)), (self.groups, size, self.groups),
                    strict=True)):
            raise ValueError(
                'for %s groups of %s channels, mean and projection must have shape '
                '%s and %s, but have %s and %s' % (
                    self.groups, size, (self.groups, size), (self.groups, size, size),
                    mean.shape, projection.shape))
        xp = backend.get_array_module(x)
        rows, mean, projection = _dtypes.cast_all(
            (_to_matrices(x, self.groups), mean, projection), _computed_in(x))
        y = matmul(projection, rows - mean[:, :, None])
        return _result(xp, y, x.shape, x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        grads = FixedDecorrelatedBatchNormalizationGrad(self.groups).apply(
            (*self.get_retained_inputs(), *grad_outputs))
        return tuple([grads[i] for i in indexes])


class FixedDecorrelatedBatchNormalizationGrad(FunctionNode):
    """Gradients of :class:`FixedDecorrelatedBatchNormalization`.

    Parameters
    ----------
    groups : int
        Number of groups of channels.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        x, gy = inputs[0], inputs[3]
        xp = backend.get_array_module(x)
        rows, mean, projection, gy = _dtypes.cast_all(
            (_to_matrices(x, self.groups), *inputs[1:3],
             _to_matrices(gy, self.groups)), _computed_in(x))
        gx = matmul(_transposed(projection), gy)
        gmean = -gx.sum(axis=2)
        gprojection = matmul(gy, _transposed(rows - mean[:, :, None]))
        gmean, gprojection = [
            array_utils.sum_to(g, each.shape)
            for g, each in ((gmean, mean), (gprojection, projection))]
        return _result(xp, gx, x.shape, x.dtype), *_dtypes.cast_all(
            (gmean, gprojection), x.dtype)

    def backward(
            self, inputs: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        raise NotImplementedError(
            'The gradients of fixed_decorrelated_batch_normalization cannot be '
            'differentiated (Double backward is not implemented).')


def decorrelated_batch_normalization(
        x: VariableOrArray, *, groups: int = 16, eps: float = 2e-5,
        running_mean: NdArray | None = None, running_projection: NdArray | None = None,
        decay: float = 0.9, **kwargs: NoReturn) -> Variable:
    """Whiten a batch to mean zero, variance one and no correlations within a group.

    The channels are divided into groups of adjacent channels. The channels of a group
    are normalized together by the mean :math:`\\mu` and the covariance :math:`\\Sigma`
    over all samples and positions,

    .. math::

        y = (\\Sigma + \\epsilon I)^{-1/2} (x - \\mu) ,

    which is the whitening closest to ``x``. The gradient cannot be differentiated.

    See: `Decorrelated Batch Normalization <https://arxiv.org/abs/1804.08450>`_

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype and shape ``(N, C, ...)``.
    groups : int
        Number of groups, a divisor of ``C``.
    eps : float
        Constant added to the variances to keep the power finite.
    running_mean : array or None
        Running mean of shape ``(groups, C / groups)``, updated in place.
    running_projection : array or None
        Running average of the whitening matrix, of shape ``(groups, C / groups,
        C / groups)``, updated in place.
    decay : float
        Weight of the previous running statistics in an update.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, has no second axis, or ``groups`` does not
        divide its length.
    ValueError
        If the shape of the running statistics is wrong.
    ZeroDivisionError
        If ``groups`` is zero.
    TypeError
        If an unknown argument is given.

    See Also
    --------
    chainer_fast.functions.fixed_decorrelated_batch_normalization
    chainer_fast.functions.batch_normalization
    chainer_fast.links.DecorrelatedBatchNormalization

    Examples
    --------
    >>> x = np.array([[0., 0.], [2., 0.], [0., 4.], [2., 4.]], np.float32)
    >>> F.decorrelated_batch_normalization(x, groups=1).array
    array([[-1., -1.],
           [ 1., -1.],
           [-1.,  1.],
           [ 1.,  1.]], dtype=float32)
    """
    argument.assert_kwargs_empty(kwargs)
    return DecorrelatedBatchNormalization(
        _numbers.plain(groups), eps, running_mean, running_projection,
        decay).apply((x,))[0]


def fixed_decorrelated_batch_normalization(
        x: VariableOrArray, mean: VariableOrArray, projection: VariableOrArray,
        groups: int = 16) -> Variable:
    """Shift and project a batch by given statistics.

    .. math:: y = P (x - \\mu)

    for the projection :math:`P` and the mean :math:`\\mu` of a group. It replaces
    :func:`decorrelated_batch_normalization` in testing, since the statistics do not
    depend on the batch. Its gradients cannot be differentiated.

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype and shape ``(N, C, ...)``.
    mean : Variable or array
        Means of shape ``(groups, C / groups)`` and the dtype of ``x``.
    projection : Variable or array
        Matrices of shape ``(groups, C / groups, C / groups)`` and the dtype of ``x``.
    groups : int
        Number of groups, a divisor of ``C``.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no second axis.
    ValueError
        If the statistics do not match ``x``.

    See Also
    --------
    chainer_fast.functions.decorrelated_batch_normalization
    chainer_fast.links.DecorrelatedBatchNormalization

    Examples
    --------
    >>> x = np.array([[3., 5.]], np.float32)
    >>> mean = np.array([[1., 1.]], np.float32)
    >>> projection = np.array([[[2., 0.], [0., 0.5]]], np.float32)
    >>> F.fixed_decorrelated_batch_normalization(x, mean, projection, groups=1).array
    array([[4., 2.]], dtype=float32)
    """
    return FixedDecorrelatedBatchNormalization(_numbers.plain(groups)).apply(
        (x, mean, projection))[0]
