"""Resizing and sampling of images."""
import math
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load.operators.shape import along_axis
from chainer_fast.onnx._load.table import any_variable, ints, operator, raw

_ROUND: dict[str, Callable[..., Any]] = {
    'round_prefer_floor': lambda x: numpy.ceil(x - 0.5),
    'round_prefer_ceil': lambda x: numpy.floor(x + 0.5),
    'floor': numpy.floor,
    'ceil': numpy.ceil,
}


class _Sampling:
    """Mapping of positions of a resized axis to those of the original.

    Parameters
    ----------
    node : Node
        A Resize or Upsample.
    """

    def __init__(self, node):
        modes = ('nearest', 'linear') + (('cubic',) if node.opset >= 11 else ())
        self.mode = node.require('mode', *modes, default='nearest')
        self.coordinates, self.rounding = 'asymmetric', 'floor'
        self.cubic, self.excludes = -0.75, False
        if node.opset < 11:
            return
        known = ['half_pixel', 'pytorch_half_pixel', 'align_corners', 'asymmetric']
        if node.opset >= 19:
            known.append('half_pixel_symmetric')
        self.coordinates = node.require(
            'coordinate_transformation_mode', *known, default='half_pixel')
        self.rounding = node.require(
            'nearest_mode', *_ROUND, default='round_prefer_floor')
        self.cubic = node.get('cubic_coeff_a', -0.75)
        self.excludes = bool(node.require('exclude_outside', 0, 1, default=0))
        node.get('extrapolation_value', 0.)     # of tf_crop_and_resize only
        if node.opset >= 18:
            node.require('antialias', 0, default=0)
            node.require('keep_aspect_ratio_policy', 'stretch', default='stretch')

    def places(self, n, out, scale):
        """Return the positions of ``out`` new elements among ``n`` old ones."""
        i = numpy.arange(out)
        if self.coordinates == 'align_corners':
            return i * ((n - 1) / (out - 1)) if out > 1 else numpy.zeros(out)
        if self.coordinates == 'asymmetric':
            return i / scale
        if self.coordinates == 'pytorch_half_pixel' and out == 1:
            return numpy.zeros(out)
        shift = 0.
        if self.coordinates == 'half_pixel_symmetric':
            shift = n / 2 * (1 - out / (scale * n))
        return shift + (i + 0.5) / scale - 0.5

    def nearest(self, n, out, scale):
        """Return the index of the old element that each new one copies."""
        # Scales are in single precision: 8 / 2.6666667 must be 3.
        places = self.places(n, out, scale).astype(numpy.float32)
        found = _ROUND[self.rounding](places)
        return found.clip(0, n - 1).astype(int)

    def matrix(self, n, out, scale):
        """Return the matrix that computes new elements of an axis from old ones."""
        x = self.places(n, out, scale)
        if self.mode == 'linear':
            x = x.clip(0, n - 1)
            reach = range(2)
        else:
            reach = range(-1, 3)
        first = numpy.floor(x).astype(int)
        weights = numpy.zeros((out, n))
        for k in reach:
            distance = abs(x - first - k)
            weight = 1 - distance if self.mode == 'linear' else _cubic(
                self.cubic, distance)
            if self.excludes:
                weight = weight * ((first + k >= 0) & (first + k < n))
            numpy.add.at(
                weights, (numpy.arange(out), (first + k).clip(0, n - 1)), weight)
        if self.excludes:
            weights /= weights.sum(axis=1, keepdims=True)
        return weights


def _cubic(a, d):
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return numpy.where(d <= 1, near, numpy.where(d < 2, far, 0))


def _sizes(x, axes, scales, sizes):
    """New lengths of the axes of ``x``, and their ratios to the old ones."""
    lengths, ratios = list(x.shape), [1.] * x.ndim
    for i, axis in enumerate(axes):
        n = x.shape[axis]
        if sizes is not None and len(sizes):
            lengths[axis], ratios[axis] = sizes[i], sizes[i] / n
        else:
            # In single precision: 3 * 2.3333333 must be 7.
            lengths[axis] = math.floor(numpy.float32(n) * numpy.float32(scales[i]))
            ratios[axis] = scales[i]
    return lengths, ratios


def _by_function(x, lengths, ratios, sampling):
    """Images resized by an equivalent function of Chainer; None if there is none.  """
    if (x.ndim != 4 or not any_variable(x) or lengths[:2] != list(x.shape[:2])
            or sampling.excludes):
        return None
    pairs = list(zip(x.shape[2:], lengths[2:], ratios[2:], strict=True))
    if sampling.mode == 'nearest' and all([out % n == 0 for n, out, _ in pairs]):
        factors = [out // n for n, out, _ in pairs]
        if all([(sampling.nearest(*pair) == numpy.arange(pair[1]) // factor).all()
                for pair, factor in zip(pairs, factors, strict=True)]):
            return F.unpooling_2d(x, factors, outsize=lengths[2:], cover_all=False)
    if sampling.mode == 'linear' and x.dtype == numpy.float32:
        if sampling.coordinates == 'align_corners':
            return F.resize_images(x, lengths[2:], align_corners=True)
        if sampling.coordinates == 'half_pixel' and all(
                [ratio == out / n for n, out, ratio in pairs]):
            return F.resize_images(x, lengths[2:], align_corners=False)
    return None


def _resize(x, axes, scales, sizes, sampling):
    lengths, ratios = _sizes(x, axes, scales, sizes)
    y = _by_function(x, lengths, ratios, sampling)
    if y is not None:
        return y
    xp = backend.get_array_module(raw(x))
    for axis, (out, ratio) in enumerate(zip(lengths, ratios, strict=True)):
        n = x.shape[axis]
        if out == n and ratio == 1:
            continue
        if sampling.mode == 'nearest':
            x = along_axis(x, axis, xp.asarray(sampling.nearest(n, out, ratio)))
        else:
            matrix = xp.asarray(sampling.matrix(n, out, ratio), x.dtype)
            x = F.moveaxis(F.tensordot(x, matrix, axes=((axis,), (1,))), -1, axis)
    return x


@operator('Resize', host=(1, 2, 3))
def resize(node):
    sampling = _Sampling(node)
    chosen = node.get('axes', None) if node.opset >= 18 else None

    def compute(x, *given):
        # Up to opset 10, the scales were the second input.
        scales, sizes = given[0], None
        if node.opset >= 11:
            _, scales, sizes = (*given, None, None, None)[:3]
        axes = range(x.ndim) if chosen is None else [a % x.ndim for a in chosen]
        return _resize(x, axes, ints(scales), ints(sizes), sampling)

    return compute


@operator('Upsample', host=(1,))
def upsample(node):
    sampling = _Sampling(node)
    fixed = node.get('scales') if node.opset < 9 else None

    def compute(x, scales=None):
        return _resize(
            x, range(x.ndim), fixed if scales is None else ints(scales), None, sampling)

    return compute


@operator('GridSample')
def grid_sample(node):
    node.require('mode', 'bilinear', 'linear', default='bilinear')
    node.require('padding_mode', 'zeros', default='zeros')
    corners = node.require('align_corners', 0, 1, default=0)

    def compute(x, grid):
        if x.ndim != 4:
            raise ValueError(
                'GridSample supports images of shape (batch, channels, height, '
                'width), not %s' % (x.shape,))
        grid = F.transpose(grid, (0, 3, 1, 2))
        if not corners:
            # Positions are measured from the edges; Chainer's, from the outermost
            # pixels.
            size = backend.get_array_module(raw(x)).array(
                x.shape[:1:-1], grid.dtype).reshape(2, 1, 1)
            grid = ((grid + 1) * size - 1) / (size - 1) - 1
        return F.spatial_transformer_sampler(x, grid)

    return compute
