"""Sliding windows over images: their positions and padding."""
import math

from chainer_fast import functions as F
from chainer_fast.onnx._load.node import Unsupported


class Window:
    """Window of a node.

    Parameters
    ----------
    node : Node
        A convolution or a pooling.
    size : list of int or None
        Lengths of the window, if known.
    """

    def __init__(self, node, size=None):
        self.size = node.get('kernel_shape', size)
        self._strides = node.get('strides', None)
        self._dilations = node.get('dilations', None)
        self._pads = node.get('pads', None)
        self._auto = node.require(
            'auto_pad', 'NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID', default='NOTSET')
        if self._pads is not None and min(self._pads, default=0) < 0:
            raise Unsupported('its attribute pads is negative: %s' % self._pads)

    def strides(self, ndim):
        """Return the strides of the window."""
        return self._strides or [1] * ndim

    def dilations(self, ndim):
        """Return the dilations of the window."""
        return self._dilations or [1] * ndim

    def pads(self, lengths, size):
        """Return the padding before and after each axis of images.

        Parameters
        ----------
        lengths, size : sequence of int
            Lengths of the images and of the window.
        """
        ndim = len(lengths)
        if self._auto == 'VALID':
            return [(0, 0)] * ndim
        if self._auto == 'NOTSET':
            pads = self._pads or [0] * 2 * ndim
            return list(zip(pads[:ndim], pads[ndim:], strict=True))
        totals = [
            max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
            for n, k, s, d in zip(
                lengths, size, self.strides(ndim), self.dilations(ndim), strict=True)]
        same = [(total // 2, total - total // 2) for total in totals]
        return [pad[::-1] for pad in same] if self._auto == 'SAME_LOWER' else same


def symmetric(pads):
    """Return whether the padding is symmetric."""
    return all([before == after for before, after in pads])


def padded(x, pads, value=0.):
    """Return images with padding."""
    if not any([any(pad) for pad in pads]):
        return x
    return F.pad(x, [(0, 0), (0, 0), *pads], 'constant', constant_values=value)


def count(n, k, s, pad, ceil_mode):
    """Return the number of positions of a window along an axis, as ONNX specifies it.

    With ``ceil_mode``, the last one may extend beyond the padding, unless it is
    completely in the padding after the image.
    """
    room = n + sum(pad) - k
    if not ceil_mode:
        return room // s + 1
    places = math.ceil(room / s) + 1
    return places - 1 if (places - 1) * s >= n + pad[0] else places
