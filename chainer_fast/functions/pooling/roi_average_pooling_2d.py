from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast.backends.kernels import roi as kernels
from chainer_fast.backends.kernels.roi.points import (
    roi_pooling_slice as _roi_pooling_slice,  # noqa: F401
)
from chainer_fast.function import Function
from chainer_fast.functions.pooling import _roi
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class ROIAveragePooling2D(Function):
    """Averages over the bins of regions."""

    outh: Any
    outw: Any

    def __init__(self, outsize: int | Sequence[int], spatial_scale: float) -> None:
        self.outh, self.outw = _roi.positive_pair('outsize', outsize)
        self.spatial_scale: float = _roi.positive_float('spatial_scale', spatial_scale)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _roi.check_types(in_types)

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((1, 2))
        x, rois, roi_indices = _roi.arrays(inputs)
        self._bottom_data_shape = x.shape
        return kernels.cell_mean(
            x, roi_indices, kernels.Boxes(rois, self.spatial_scale),
            (self.outh, self.outw), 0),

    forward_gpu = forward_cpu

    def backward_cpu(
            self, inputs: tuple[NdArray, ...],
            gy: GradArrays) -> tuple[NdArray | None, ...]:
        _, rois, roi_indices = _roi.arrays(inputs)
        gx = kernels.cell_spread(
            gy[0], roi_indices, kernels.Boxes(rois, self.spatial_scale), 0,
            self._bottom_data_shape)
        return gx, None, None

    backward_gpu = backward_cpu


def roi_average_pooling_2d(
        x: VariableOrArray, rois: VariableOrArray, roi_indices: VariableOrArray,
        outsize: int | Sequence[int], spatial_scale: float) -> Variable:
    """Averages over the bins of regions of interest.

    Each region is rounded to whole pixels and divided into bins. The last coordinates
    of a region are excluded.

    .. math:: y_b = \\frac{1}{|R_b|} \\sum_{(u, v) \\in R_b} x_{u, v}

    with the pixels :math:`R_b` of bin :math:`b`.

    See: `Fast R-CNN <https://arxiv.org/abs/1504.08083>`_

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype.
    rois : Variable or array, shape (r, 4)
        Regions ``(y_min, x_min, y_max, x_max)``, of the dtype of ``x``.
    roi_indices : Variable or array of int32, shape (r,)
        Index of the image of each region.
    outsize : int or pair of int
        Numbers of rows and columns of bins.
    spatial_scale : float
        Factor from coordinates to pixels of ``x``.

    Returns
    -------
    Variable, shape (r, c, rows, columns)
        Averages, of the dtype of ``x``; zeros for bins without pixels. Gradients flow
        only to ``x`` and are not differentiable.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If a dtype is not the one above, or shapes do not match.
    IndexError
        If an index is not that of an image.
    TypeError
        If ``outsize`` or ``spatial_scale`` is not positive or has another type.
    ValueError
        If a coordinate is NaN.

    See Also
    --------
    chainer_fast.functions.roi_average_align_2d : without rounding.
    chainer_fast.functions.roi_max_pooling_2d

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> rois = np.array([[0., 0., 2., 4.]], np.float32)     # the first two rows
    >>> numbers = np.array([0], np.int32)
    >>> F.roi_average_pooling_2d(x, rois, numbers, (1, 2), 1.).array
    array([[[[2.5, 4.5]]]], dtype=float32)
    """
    function = ROIAveragePooling2D(outsize, spatial_scale)
    return function(x, rois, roi_indices)
