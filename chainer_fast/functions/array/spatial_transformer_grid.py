from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import NoReturn

from chainer_fast import _numbers
from chainer_fast.backends.kernels import bilinear
from chainer_fast.function import Function
from chainer_fast.functions import _checks
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class SpatialTransformerGrid(Function):
    """Points of a lattice that is transformed by affine maps.

    Parameters
    ----------
    output_shape : (int, int)
        Height and width of the lattice.
    """

    def __init__(self, output_shape: Sequence[int]) -> None:
        self.output_shape = output_shape

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'theta')
        theta_type, = in_types
        type_check.expect(theta_type.shape[1] == 2)
        type_check.expect(theta_type.shape[2] == 3)
        type_check.expect(theta_type.ndim == 3)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        theta, = inputs
        points = self._points(theta)
        moved = theta.reshape(-1, 3).astype(points.dtype, copy=False).dot(points)
        return moved.reshape(len(theta), 2, *self.output_shape).astype(
            theta.dtype, copy=False),

    forward_cpu = forward_gpu = forward

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        theta, = inputs
        ggrid, = grad_outputs
        points = self._points(theta)
        rows = ggrid.reshape(2 * len(theta), points.shape[1])
        gtheta = rows.astype(points.dtype, copy=False).dot(points.T)
        return gtheta.reshape(theta.shape).astype(theta.dtype, copy=False),

    backward_cpu = backward_gpu = backward

    def _points(self, theta):
        height, width = map(
            operator.index, _numbers.pair(self.output_shape, 'output_shape'))
        return bilinear.lattice(theta, height, width)


def spatial_transformer_grid(
        theta: VariableOrArray, output_shape: Sequence[int],
        **kwargs: NoReturn) -> Variable:
    """Points at which a spatial transformer samples images.

    Affine maps are applied to a lattice that covers the square from -1 to 1:

    .. math::

        \\begin{pmatrix} y_0 \\\\ y_1 \\end{pmatrix} =
        \\theta \\begin{pmatrix} u \\\\ v \\\\ 1 \\end{pmatrix}

    for the point in column :math:`u` and row :math:`v`.
    :func:`~chainer_fast.functions.spatial_transformer_sampler` returns the values of
    images at these points.

    See: `Spatial Transformer Networks <https://arxiv.org/abs/1506.02025>`_

    Parameters
    ----------
    theta : Variable or array
        Affine maps, floating-point matrices in an array of shape ``(batch, 2, 3)``.
    output_shape : (int, int)
        Height and width of the lattice.

    Returns
    -------
    Variable
        Points, of shape ``(batch, 2, *output_shape)`` and of the dtype of ``theta``:
        horizontal and vertical coordinates.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``theta`` is not floating-point or of another shape.
    ValueError
        If the retired argument ``use_cudnn`` is given.
    TypeError
        If another unknown argument is given, or ``output_shape`` does not have two
        lengths.

    See Also
    --------
    chainer_fast.functions.spatial_transformer_sampler

    Examples
    --------
    >>> mirrored = np.array([[[-1., 0., 0.], [0., 1., 0.]]], np.float32)
    >>> F.spatial_transformer_grid(mirrored, (2, 2)).array
    array([[[[ 1., -1.],
             [ 1., -1.]],
    <BLANKLINE>
            [[-1., -1.],
             [ 1.,  1.]]]], dtype=float32)
    """
    if kwargs:
        argument.refuse(kwargs, 'use_cudnn')
    return SpatialTransformerGrid(output_shape)(theta)

