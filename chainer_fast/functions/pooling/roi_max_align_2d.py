from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast.backends.kernels import roi as kernels
from chainer_fast.backends.kernels.roi.points import (
    CUDA_POINTS as _GET_BILINEAR_INTERP_KERNEL,  # noqa: F401
)
from chainer_fast.backends.kernels.roi.points import (
    get_bilinear_interp_params as _get_bilinear_interp_params,  # noqa: F401
)
from chainer_fast.backends.kernels.roi.points import (
    get_bounds as _get_bounds,  # noqa: F401
)
from chainer_fast.function import Function
from chainer_fast.functions.pooling import _roi
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class ROIMaxAlign2D(Function):
    """Maxima over samples in the bins of regions.

    Attributes
    ----------
    argmax_data : array of int32
        After ``forward``: index of each maximum among the samples of its bin, row by
        row; -1 for a bin without samples.
    """

    outh: Any
    outw: Any
    argmax_data: NdArray

    def __init__(
            self, outsize: int | Sequence[int], spatial_scale: float,
            sampling_ratio: Any = None) -> None:
        self.outh, self.outw = _roi.positive_pair('outsize', outsize)
        self.spatial_scale: float = _roi.positive_float('spatial_scale', spatial_scale)
        self.sampling_ratio: tuple[Any, Any] = _roi.sampling_pair(sampling_ratio)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _roi.check_types(in_types, numpy.float32)

    @property
    def _ratio(self):
        return tuple([int(n or 0) for n in self.sampling_ratio])

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((1, 2))
        x, rois, roi_indices = _roi.arrays(inputs)
        self._bottom_data_shape = x.shape
        y, self.argmax_data = kernels.sample_max(
            x, roi_indices, kernels.Boxes(rois, self.spatial_scale),
            (self.outh, self.outw), self._ratio)
        return y,

    forward_gpu = forward_cpu

    def backward_cpu(
            self, inputs: tuple[NdArray, ...],
            gy: GradArrays) -> tuple[NdArray | None, ...]:
        _, rois, roi_indices = _roi.arrays(inputs)
        gx = kernels.sample_put(
            gy[0], self.argmax_data, roi_indices,
            kernels.Boxes(rois, self.spatial_scale), self._ratio,
            self._bottom_data_shape)
        return gx, None, None

    backward_gpu = backward_cpu


def roi_max_align_2d(
        x: VariableOrArray, rois: VariableOrArray, roi_indices: VariableOrArray,
        outsize: int | Sequence[int], spatial_scale: float,
        sampling_ratio: Any = None) -> Variable:
    """Maxima over samples in the bins of regions of interest.

    Regions are divided into bins without any rounding. In each bin, values are
    interpolated at the points of a regular grid, and the largest one is the result.

    .. math:: y_b = \\max_{(u, v) \\in S_b} x(u, v)

    with the sample points :math:`S_b` of bin :math:`b`, and values :math:`x(u, v)` that
    are interpolated between the centers of four pixels.

    See: `Mask R-CNN <https://arxiv.org/abs/1703.06870>`_

    Parameters
    ----------
    x : Variable or array of float32, shape (n, c, h, w)
        Images.
    rois : Variable or array of float32, shape (r, 4)
        Regions ``(y_min, x_min, y_max, x_max)``.
    roi_indices : Variable or array of int32, shape (r,)
        Index of the image of each region.
    outsize : int or pair of int
        Numbers of rows and columns of bins.
    spatial_scale : float
        Factor from coordinates to pixels of ``x``.
    sampling_ratio : int, None, or a pair of these
        Numbers of rows and columns of samples in a bin. ``None`` means the size of the
        bin in pixels.

    Returns
    -------
    Variable of float32, shape (r, c, rows, columns)
        Maxima; 0 for bins without samples in the image. Gradients flow only to ``x``
        and are not differentiable.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If a dtype is not the one above, or shapes do not match.
    IndexError
        If an index is not that of an image.
    TypeError
        If ``outsize``, ``spatial_scale`` or ``sampling_ratio`` is not positive or has
        another type.
    ValueError
        If a coordinate is NaN, or a bin has more than 2**31 - 1 samples along an axis.

    See Also
    --------
    chainer_fast.functions.roi_max_pooling_2d : with rounding.
    chainer_fast.functions.roi_average_align_2d

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> rois = np.array([[1., 1., 3., 3.]], np.float32)
    >>> numbers = np.array([0], np.int32)
    >>> F.roi_max_align_2d(x, rois, numbers, 1, 1.).array       # at (2.5, 2.5)
    array([[[[12.5]]]], dtype=float32)
    """
    function = ROIMaxAlign2D(outsize, spatial_scale, sampling_ratio)
    return function(x, rois, roi_indices)
