from __future__ import annotations

from typing import NoReturn

import numpy

from chainer_fast.backends.kernels import bilinear
from chainer_fast.function import Function
from chainer_fast.functions import _checks
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


def _at_least_single(x):
    """Convert half precision to single precision."""
    return x.astype(numpy.promote_types(x.dtype, numpy.float32), copy=False)


class SpatialTransformerSampler(Function):
    """Interpolates images at points."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() == 2)
        _checks.floats(in_types, 'x', 'grid')
        for each in in_types:
            type_check.expect(each.ndim == 4)
        x_type, grid_type = in_types
        type_check.expect(
            x_type.dtype == grid_type.dtype,
            x_type.shape[0] == grid_type.shape[0],
            grid_type.shape[1] == 2)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, grid = inputs
        y = bilinear.sample(_at_least_single(x), grid)
        return y.astype(x.dtype, copy=False),

    forward_cpu = forward_gpu = forward

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        x, grid = inputs
        gx, g_grid = bilinear.sample_adjoint(
            _at_least_single(x), grid, _at_least_single(grad_outputs[0]))
        return gx.astype(x.dtype, copy=False), g_grid

    backward_cpu = backward_gpu = backward


def spatial_transformer_sampler(
        x: VariableOrArray, grid: VariableOrArray, **kwargs: NoReturn) -> Variable:
    """Samples images at points between their pixels.

    .. math::

        y_c = \\sum_{u, v} x_{c, u, v}
            \\max(0, 1 - |g_1 - u|) \\max(0, 1 - |g_0 - v|)

    for a point in column :math:`g_0` and row :math:`g_1`, in units of pixels.

    See: `Spatial Transformer Networks <https://arxiv.org/abs/1506.02025>`_

    Parameters
    ----------
    x : Variable or array
        Floating-point images of shape ``(batch, channels, height, width)``.
    grid : Variable or array
        Points, of the dtype of ``x`` and of shape ``(batch, 2, out_height,
        out_width)``: their horizontal and vertical coordinates. The centers of the
        outermost pixels are at -1 and 1.

    Returns
    -------
    Variable
        Values of shape ``(batch, channels, out_height, out_width)`` and of the dtype of
        ``x``, interpolated between the four pixels around each point. Pixels outside of
        an image are zero.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    ValueError
        If the retired argument ``use_cudnn`` is given.
    TypeError
        If another unknown argument is given.

    See Also
    --------
    chainer_fast.functions.spatial_transformer_grid

    Examples
    --------
    >>> x = np.array([[[[0., 1.], [2., 3.]]]], np.float32)
    >>> centre = np.zeros((1, 2, 1, 1), np.float32)
    >>> F.spatial_transformer_sampler(x, centre).array
    array([[[[1.5]]]], dtype=float32)
    """
    if kwargs:
        argument.refuse(kwargs, 'use_cudnn')
    return SpatialTransformerSampler()(x, grid)
