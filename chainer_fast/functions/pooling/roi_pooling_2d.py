from __future__ import annotations

from collections.abc import Sequence

import numpy

from chainer_fast.backends.kernels import roi as kernels
from chainer_fast.backends.kernels.roi.points import (
    roi_pooling_slice as _roi_pooling_slice,  # noqa: F401
)
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _corners(rois):
    """Reorder the coordinates of boxes so that the vertical one is the first."""
    return rois[:, 1:].reshape(-1, 2, 2)[:, :, ::-1]


def _numbers(rois):
    return rois[:, 0].astype(numpy.int32)


class ROIPooling2D(FunctionNode):
    """Maxima over the bins of regions whose first column is the index of the image.

    Attributes
    ----------
    argmax_data : array of int32
        After ``forward``: position of each maximum in the plane of the image; -1 for a
        bin without pixels.
    """

    argmax_data: NdArray

    def __init__(self, outh: int, outw: int, spatial_scale: float) -> None:
        super().__init__()
        self.outh = outh
        self.outw = outw
        self.spatial_scale = spatial_scale

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 'rois'))
        x_type, roi_type = in_types
        type_check.expect(
            x_type.dtype.kind == 'f',
            x_type.ndim == 4,
            roi_type.dtype == x_type.dtype,
            roi_type.ndim == 2,
        )
        type_check.expect(roi_type.shape[1] == 5)

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((1,))
        x, rois = inputs
        self._bottom_data_shape = x.shape
        boxes = kernels.Boxes(_corners(rois), self.spatial_scale)
        # The box includes its last row and column; bins without pixels are zero.
        y, self.argmax_data = kernels.cell_max(
            x, _numbers(rois), boxes, (self.outh, self.outw), 1, 0.)
        return y,

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        rois, = self.get_retained_inputs()
        function = ROIPooling2DGrad(
            self.outh, self.outw, self.spatial_scale, self._bottom_data_shape,
            self.argmax_data)
        return function.apply((rois, *grad_outputs))[0], None


class ROIPooling2DGrad(FunctionNode):
    """Gradient of :class:`ROIPooling2D`, which is nonzero only for the maxima.

    Parameters
    ----------
    outh, outw, spatial_scale
        See :func:`roi_pooling_2d`.
    bottom_data_shape : tuple of int
        Shape of the images.
    argmax_data : array of int32
        Indices of the maxima.
    """

    def __init__(
            self, outh: int, outw: int, spatial_scale: float,
            bottom_data_shape: Sequence[int], argmax_data: NdArray) -> None:
        super().__init__()
        self.outh = outh
        self.outw = outw
        self.spatial_scale = spatial_scale
        self._bottom_data_shape = bottom_data_shape
        self.argmax_data = argmax_data

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        rois, gy = inputs
        return kernels.cell_put(
            gy, self.argmax_data, _numbers(rois), self._bottom_data_shape),

    forward_gpu = forward_cpu

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        raise NotImplementedError(
            'the gradient of roi_pooling_2d is not differentiable')


def roi_pooling_2d(
        x: VariableOrArray, rois: VariableOrArray, outh: int, outw: int,
        spatial_scale: float) -> Variable:
    """Maxima over the bins of regions of interest.

    Each region is rounded to whole pixels, includes its last row and column, and is
    divided into ``outh`` by ``outw`` bins. This is the original definition. In
    :func:`roi_max_pooling_2d`, coordinates are in the order of the axes, and ends are
    excluded.

    .. math:: y_b = \\max_{(u, v) \\in R_b} x_{u, v}

    with the pixels :math:`R_b` of bin :math:`b`.

    See: `Fast R-CNN <https://arxiv.org/abs/1504.08083>`_

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype.
    rois : Variable or array, shape (r, 5)
        Regions ``(index of the image, x_min, y_min, x_max, y_max)``, of the dtype of
        ``x``.
    outh, outw : int
        Numbers of rows and columns of bins.
    spatial_scale : float
        Factor from coordinates to pixels of ``x``.

    Returns
    -------
    Variable, shape (r, c, outh, outw)
        Maxima, of the dtype of ``x``; zeros for bins without pixels. Gradients flow
        only to ``x`` and are not differentiable.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If a dtype is not the one above, or shapes do not match.
    IndexError
        If an index is not that of an image.
    ValueError
        If a coordinate is NaN.
    ZeroDivisionError
        If the number of bins is zero.

    See Also
    --------
    chainer_fast.functions.roi_max_pooling_2d
    chainer_fast.functions.roi_max_align_2d

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> rois = np.array([[0., 0., 0., 3., 1.]], np.float32)     # the first two rows
    >>> F.roi_pooling_2d(x, rois, outh=1, outw=2, spatial_scale=1.).array
    array([[[[5., 7.]]]], dtype=float32)
    """
    y, = ROIPooling2D(outh, outw, spatial_scale).apply((x, rois))
    return y
