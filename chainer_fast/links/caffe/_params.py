"""Readers of sizes, windows and weights in the messages of a layer.

Blobs in old files have four fields for their sizes (``num``, ``channels``, ``height``
and ``width``); those in newer files have a list. A window is one number, a list of
numbers, or one field for each direction.
"""
import math

import numpy

from chainer_fast import backend, initializer

# Limit in bytes for the weight of a grouped convolution when it is expanded to one
# without groups. The file has fewer values, so a damaged number of groups could request
# any size.
_LARGEST = 1 << 31


def _values(blob):
    """Return the values of a blob as a flat array in single precision."""
    return numpy.array(blob.data or blob.double_data, numpy.float32)


def _shape(blob):
    """Return the shape of a blob that a layer uses without reshaping."""
    return tuple(blob.shape.dim) or (len(blob.data),)


def _get_num(blob):
    return blob.num or blob.shape.dim[0]


def _get_channels(blob):
    return blob.channels or blob.shape.dim[1]


def _matrix_size(blob, axis):
    """Return a length of the matrix in a blob's last two axes."""
    dims = blob.shape.dim
    if len(dims) not in (2, 4):
        raise RuntimeError(
            'a weight matrix has 2 or 4 dimensions, %d-dimensional array is not '
            'supported' % len(dims))
    return dims[axis]


def _get_height(blob):
    return blob.height or _matrix_size(blob, -2)


def _get_width(blob):
    return blob.width or _matrix_size(blob, -1)


def _one_or_all(sizes, default):
    """Return the value of a field, as a number even if it is a list of one."""
    if isinstance(sizes, int):
        return sizes
    sizes = list(sizes) or default
    return sizes[0] if isinstance(sizes, list) and len(sizes) == 1 else sizes


def _window(param):
    """Return the two lengths of a convolution's window."""
    ksize = _get_ksize(param)
    window = (ksize, ksize) if isinstance(ksize, int) else tuple(ksize)
    if len(window) != 2:
        raise ValueError('the window has the %d lengths %r instead of 1 or 2' % (
            len(window), list(window)))
    _check_positive('a length of the window', window)
    return window


def _get_ksize(param):
    if param.kernel_h > 0:
        return param.kernel_h, param.kernel_w
    return _one_or_all(param.kernel_size, [])


def _get_stride(param):
    if param.stride_h > 0:
        return param.stride_h, param.stride_w
    return _one_or_all(param.stride, 1)


def _get_pad(param):
    pads = param.pad_h, param.pad_w
    return pads if any(pads) else _one_or_all(param.pad, 0)


def _get_axis(param, old_name):
    """Return the axis of a layer, which may be in an old field."""
    if not param.HasField('axis') and param.HasField(old_name):
        return getattr(param, old_name)
    return param.axis


def _check_positive(what, sizes):
    """Check a size, or a sequence of them."""
    for size in [sizes] if isinstance(sizes, int) else sizes:
        if size < 1:
            raise ValueError('%s is %s: it must be 1 or more' % (what, size))


def _check_shape(what, blob, shape):
    """Check that a blob has as many values as an array of a given shape."""
    _check_positive('an axis of %s' % what, shape)
    n = len(blob.data or blob.double_data)
    if n != math.prod(shape):
        raise ValueError('%s has %s values, and the shape %r needs %d' % (
            what, n, tuple(shape), math.prod(shape)))


def _check_groups(shape, group):
    """Check that a weight can be divided into groups and expanded to all channels."""
    if group < 1 or shape[0] % group:
        raise ValueError('%d maps cannot be divided into %s groups' % (shape[0], group))
    size = 4 * math.prod(shape) * group
    if group > 1 and size > _LARGEST:
        raise ValueError(
            'the weight of shape %r would need %s bytes without its %s groups: at most '
            '%d are supported' % (tuple(shape), size, group, _LARGEST))


class _Blob(initializer.Initializer):
    """Fills an array of any shape with the values of a blob.

    Parameters
    ----------
    blob : caffe_pb.BlobProto
        The blob.
    """

    def __init__(self, blob):
        super().__init__()
        self.data = _values(blob)

    def __call__(self, array):
        values = self.data[:array.size].reshape(array.shape)
        array[...] = backend.get_array_module(array).asarray(values)


class _ConvolutionBlob(_Blob):
    """Fills the weight of an ungrouped convolution from the blob of a grouped one.

    Parameters
    ----------
    blob : caffe_pb.BlobProto
        The blob.
    group : int
        Number of groups. Each group is a block on the diagonal; the other elements are
        zero.
    """

    def __init__(self, blob, group):
        super().__init__(blob)
        self.group = group

    def __call__(self, array):
        rows, columns = array.shape[0] // self.group, array.shape[1] // self.group
        blocks = self.data.reshape((self.group, rows, columns) + array.shape[2:])
        array[...] = 0
        for g, block in enumerate(backend.get_array_module(array).asarray(blocks)):
            array[g * rows:(g + 1) * rows, g * columns:(g + 1) * columns] = block
