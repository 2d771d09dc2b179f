"""Pooling of regions of interest with masks of the pixels of each bin."""
import math

import numpy


class Regions:
    """Bins of whole pixels.

    Parameters
    ----------
    ops : Operators
        Receives the nodes; the first input of its function contains the images.
    x : str
        Images, of shape ``(n, c, h, w)``.
    rois : str
        Regions, of shape ``(r, m)``.
    corners : sequence of int
        Columns of ``rois`` for the top, left, bottom and right.
    numbers : str
        Number of the image of each region, of shape ``(r,)``.
    func : FunctionNode
        Function with ``outh``, ``outw`` and ``spatial_scale``.
    extra : int
        1 if a region includes its last row and column, else 0.
    """

    def __init__(self, ops, x, rois, corners, numbers, func, extra):
        self._ops = ops
        self._size = func.outh, func.outw
        # In double precision, as Chainer rounds them.
        rois = ops.op('Mul', [
            ops.cast(rois, float), ops.const(func.spatial_scale, 'scale', float)])
        top, left, bottom, right = [
            ops.op('Round', [ops.op('Gather', [rois, ops.ints([k], 'column')], axis=1)])
            for k in corners]
        height, width = ops.shape()[2:]
        self._images = ops.op('Gather', [x, ops.cast(numbers, numpy.int64)], axis=0)
        self._rows = self._masks(top, bottom, extra, self._size[0], height)
        self._columns = self._masks(left, right, extra, self._size[1], width)

    def _masks(self, low, high, extra, count, length):
        """Return a mask of the pixels of bins, of shape ``(r, count, length)``."""
        ops = self._ops
        size = ops.op('Sub', [high, low])
        if extra:
            size = ops.op('Add', [size, ops.const(extra, 'extra', float)])
        size = ops.op('Max', [size, ops.const(1, 'one', float)])
        step = ops.op('Div', [size, ops.const(count, 'count', float)])
        bounds = []
        for rounding, numbers in (
                ('Floor', numpy.arange(count)), ('Ceil', numpy.arange(1, count + 1))):
            place = ops.op('Mul', [step, ops.const(numbers, 'numbers', float)])
            place = ops.op('Add', [low, ops.op(rounding, [place])])
            bounds.append(ops.along('Unsqueeze', place, [2]))
        pixels = ops.const(numpy.arange(length), 'pixels', float)
        outside = ops.op('Less', [pixels, bounds[0]])
        return ops.op('And', [
            ops.op('Not', [outside]), ops.op('Less', [pixels, bounds[1]])])

    def maxima(self):
        """Add the maxima of the bins, with the smallest number for empty bins.

        Returns
        -------
        tuple of str
            Maxima, of shape ``(r, c, rows, columns)``, and the smallest number.
        """
        ops, images = self._ops, self._images
        least = ops.const(-math.inf, 'least')
        masks = self._rows, self._columns
        # Bin by bin along an axis: all at once would need proportionally more memory.
        for axis in (3, 2):
            count = self._size[axis - 2]
            parts = []
            for mask in ops.split(masks[axis - 2], 1, [1] * count):
                mask = ops.along('Unsqueeze', mask, [5 - axis])
                pixels = ops.op('Where', [mask, images, least])
                parts.append(ops.along('ReduceMax', pixels, [axis], keepdims=1))
            images = parts[0] if count == 1 else ops.op('Concat', parts, axis=axis)
        return images, least

    def means(self):
        """Add the means of the bins, with 0 for empty bins."""
        ops, dtype = self._ops, self._ops.dtype()
        rows, columns = [
            ops.along('Unsqueeze', ops.cast(masks, dtype), [1])
            for masks in (self._rows, self._columns)]
        columns = ops.transpose(columns, [0, 1, 3, 2])
        total = ops.op('MatMul', [ops.op('MatMul', [rows, self._images]), columns])
        count = ops.op('Mul', [
            ops.along('ReduceSum', rows, [3], keepdims=1),
            ops.along('ReduceSum', columns, [2], keepdims=1)])
        return ops.op('Div', [total, ops.clip(count, 1., None)])
