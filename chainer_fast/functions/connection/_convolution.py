"""Geometry of convolutions, its checks, and the division of channels into groups."""
from __future__ import annotations

from numbers import Real
from typing import Any

from chainer_fast import _numbers
from chainer_fast.backends import layouts
from chainer_fast.backends.kernels import convolution
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast
from chainer_fast.functions.math import sum as sum_
from chainer_fast.utils import _type_advice, conv, conv_nd, type_check
from chainer_fast.variable import Variable

RETIRED = {
    'deterministic':
        "deterministic is not supported anymore: use chainer.using_config("
        "'cudnn_deterministic', value), with True or False for the value.",
    'requires_x_grad':
        'requires_x_grad is not supported anymore: omit it, since backpropagation '
        'determines which gradients are needed.',
}


class Planar(FunctionNode):
    """Base of functions with a window of two dimensions.

    Attributes
    ----------
    sy, sx, ph, pw, dy, dx : int
        Stride, padding and dilation.
    groups : int
        Number of groups.
    cudnn_fast : bool
        Whether images and filters may have the channels last.
    """

    sy: int
    sx: int
    ph: int
    pw: int
    dy: int
    dx: int

    _use_ideep = False
    cudnn_fast = False

    def _set_window(self, stride, pad, dilate, groups):
        both = _numbers.both
        self.sy, self.sx = (
            (stride, stride) if type(stride) is int else both(stride, 'stride'))
        self.ph, self.pw = (pad, pad) if type(pad) is int else both(pad, 'pad')
        self.dy, self.dx = (
            (dilate, dilate) if type(dilate) is int else both(dilate, 'dilate'))
        self.groups: int = groups if type(groups) is int else _plain_groups(groups)

    def _window(self) -> tuple[Any, Any, Any]:
        return (self.sy, self.sx), (self.ph, self.pw), (self.dy, self.dx)

    def check_layout_forward(self, inputs: tuple[Variable, ...]) -> None:
        """Accept any layout here: ``forward`` checks it, and can report the arrays."""

    def _channels_second(self, inputs):
        """Return arrays in the standard layout, as views if they have another layout.

        Raises
        ------
        RuntimeError
            If an array has another layout and the function is not in the mode
            ``'cudnn_fast'``, or if it is and cuDNN is not in use.
        """
        if self.cudnn_fast and not convolution.keeps_channels_last(inputs[0]):
            raise RuntimeError(
                "the compute mode 'cudnn_fast' needs arrays on a GPU and cuDNN, which "
                "chainer.config.use_cudnn must allow")
        if self._input_layouts is None or not any(self._input_layouts):
            return inputs
        if not self.cudnn_fast:
            raise RuntimeError(
                'Non-standard memory layouts are not supported in %s. Input layouts: %s'
                % (type(self).__name__, self._input_layouts))
        return [layouts._transpose_array(array, layout, None) for array, layout
                in zip(inputs, self._input_layouts, strict=True)]

    def _in_layout(self, y, layout):
        """Return the output in a layout."""
        if layout is None:
            return y
        self.output_layouts = (layout,)
        return layouts._transpose_array(y, None, layout)

    def _layout_of_images(self):
        return None if self._input_layouts is None else self._input_layouts[0]


def check_dilation(dilate):
    """Check that the dilation is positive, and return it."""
    first, second = _numbers.both(dilate, 'dilate')
    if min(first, second) < 1:
        raise ValueError('dilate must be positive, got %s' % (dilate,))
    return dilate


class Spatial(FunctionNode):
    """Base of functions with a window of any number of dimensions.

    Attributes
    ----------
    ndim : int
        Number of axes of an image.
    stride, pad, dilate : tuple of int
        Numbers for each axis.
    groups : int
        Number of groups.
    """

    ndim: int
    groups: int
    stride: tuple[int, ...]
    pad: tuple[int, ...]
    dilate: tuple[int, ...]

    def _set_window(self, ndim, stride, pad, dilate, groups):
        self.ndim, self.groups = ndim, _plain_groups(groups)
        self.stride, self.pad, self.dilate = [
            _numbers.plain_all(conv_nd.as_tuple(numbers, ndim))
            for numbers in (stride, pad, dilate)]

    def _window(self) -> tuple[Any, Any, Any]:
        return self.stride, self.pad, self.dilate


def places(lengths, ksize, stride, pad, dilate, cover_all):
    """Return the number of positions of the window along each axis of the images.

    Raises
    ------
    ZeroDivisionError
        If a stride is zero.
    AssertionError
        If the window is larger than the padded image.
    TypeError
        If the numbers are not integers.
    ValueError
        If padding is negative.
    """
    if 0 in stride:
        raise ZeroDivisionError('stride must be positive, got %s' % (tuple(stride),))
    outs = tuple([
        conv.get_conv_outsize(length, k, s, p, cover_all, d) for length, k, s, p, d
        in zip(lengths, ksize, stride, pad, dilate, strict=True)])
    for out in outs:
        if out <= 0:
            raise AssertionError(
                'Output sizes should be positive, but a window of %s with stride %s '
                'and dilate %s has %s positions in images of %s with pad %s' % (
                    tuple(ksize), tuple(stride), tuple(dilate), outs, tuple(lengths),
                    tuple(pad)))
    for name, numbers in (('stride', stride), ('pad', pad), ('dilate', dilate)):
        check_integers(name, numbers)
    if any(p < 0 for p in pad):
        raise ValueError('pad must not be negative, got %s' % (tuple(pad),))
    if any(n < 0 for n in (*stride, *_distances(ksize, dilate))):
        raise ValueError('stride and dilate must be positive, got %s and %s'
                         % (tuple(stride), tuple(dilate)))
    return outs


def transposed_lengths(lengths, ksize, stride, pad, dilate, outs, error):
    """Return the lengths of images after a transposed convolution, and check them.

    ``outs`` are the requested lengths; None means the smallest possible. Requested
    lengths may be zero: the gradient of a convolution of empty images is empty.
    ``error`` is a pair of exception types: for an empty result, and for a stride of
    zero.
    """
    asked = outs
    outs = tuple([
        conv.get_deconv_outsize(length, k, s, p, d=d) if out is None else out
        for length, k, s, p, d, out in zip(
            lengths, ksize, stride, pad, dilate, outs, strict=True)])
    no_image, no_stride = error
    for out, least in zip(outs, asked, strict=True):
        if out < 0 or out == 0 and least is None:
            raise no_image(
                'Output sizes should be positive, but a window of %s with stride %s, '
                'dilate %s and pad %s makes images of %s out of %s' % (
                    tuple(ksize), tuple(stride), tuple(dilate), tuple(pad), tuple(outs),
                    tuple(lengths)))
    if 0 in stride:
        raise no_stride('stride must be positive, got %s' % (tuple(stride),))
    for name, numbers in (('stride', stride), ('pad', pad), ('dilate', dilate),
                          ('outsize', outs)):
        check_integers(name, numbers)
    for name, numbers in (('stride', stride), ('pad', pad),
                          ('dilate', _distances(ksize, dilate))):
        if any(n < 0 for n in numbers):
            raise ValueError('%s must not be negative, got %s' % (name, tuple(numbers)))
    return outs


def _distances(ksize, dilate):
    """Return the dilations; a single element has none."""
    return [d if k > 1 else 1 for k, d in zip(ksize, dilate, strict=True)]


def check_integers(name, numbers):
    for number in numbers:
        if type(number) is not int and not hasattr(number, '__index__'):
            raise TypeError('%s must be given as integers, got %s'
                            % (name, tuple(numbers)))


def covers_all(outs, lengths, ksize, stride, pad, dilate):
    """Return whether a convolution must cover all pixels to have these positions."""
    for out, length, k, s, p, d in zip(
            outs, lengths, ksize, stride, pad, dilate, strict=True):
        if conv.get_conv_outsize(length, k, s, p, False, d) != out:
            return True
    return False


def expect_outsize(x_type, w_type, i, out, s, p, d):
    """Expect a convolution to map the requested length of axis ``i`` to ``x``."""
    least = conv.get_conv_outsize(out, w_type.shape[i], s, p, False, d)
    most = conv.get_conv_outsize(out, w_type.shape[i], s, p, True, d)
    type_check.expect(least <= x_type.shape[i], x_type.shape[i] <= most)


def expect_operands(in_types, ndim, bias_dtype=None):
    """Expect floating images and filters with given axes, and optionally a vector.

    Returns all of them; the vector is None if there is none. It must have the dtype of
    the images unless ``bias_dtype`` allows any floating dtype.
    """
    size = in_types.size()
    type_check.expect(size >= 2, size <= 3)
    for each in in_types[:2]:
        type_check.expect(each.dtype.kind == 'f', each.ndim == ndim + 2)
    if type_check.eval(size) == 2:
        return (*in_types, None)
    x, _, b = in_types
    if bias_dtype is None:
        type_check.expect(b.dtype == x.dtype)
    type_check.expect(b.dtype.kind == 'f', b.ndim == 1)
    return in_types


def advise(expect, x, W, groups=1, axis=1):
    """Return advice on images that fail :func:`expect_operands` or a check of channels.

    ``axis`` is the axis of the filters that corresponds to the channels of the images.
    """
    if not isinstance(groups, Real):
        return 'groups must be an integer, but is %r' % (groups,)
    if W.ndim < 3:
        return None     # the filters are wrong
    channels = W.shape[axis] * (groups if axis else 1)
    if '.ndim ==' in expect:
        return advise_on_axes(x, W.ndim, channels)
    if not expect.startswith('in_types[0].shape[1] =='):
        return None
    if x.shape[-1] == channels:
        axes = (0, x.ndim - 1, *range(1, x.ndim - 1))
        return 'The axis of channels follows that of the batch: x.transpose%s' % (axes,)
    words = ('The images have %s channels and the filters take %s: make the link with '
             'in_channels=%s, or with None, which takes the first it is given'
             % (x.shape[1], channels, x.shape[1]))
    if x.shape[0] == channels == 1:
        words = ('x is one image of %s channels, and the filters take one channel: '
                 'x.swapaxes(0, 1) makes %s images of it. Or else, ' % (
                     x.shape[1], x.shape[1]) + words[0].lower() + words[1:])
    return words


def advise_on_axes(x, ndim, channels):
    """Return advice on images with too few axes, or None."""
    if x.ndim == ndim - 1:
        if x.shape[0] == channels != 1:
            return ('One image has an axis less than a batch of images: x[None] is a '
                    'batch of one')
        # A link without in_channels has used the first axis of the image as channels.
        if channels in (1, x.shape[1]):
            return ('Images of one channel have an axis for it: x[:, None] has the '
                    'shape %s' % (x.shape[:1] + (1,) + x.shape[1:],))
        if x.shape[-1] == channels:
            return ('One image, of %s channels in the last axis: x.transpose%s[None] '
                    'is a batch of one' % (channels, (x.ndim - 1, *range(x.ndim - 1))))
        return _type_advice.of_images('x')
    if x.ndim == 2 < ndim - 1:
        return ('Images have the axes (image, channel, height, width): x[None, None] '
                'is one of one channel; rows of pixels become images by '
                'x.reshape(%s, channels, height, width)' % (x.shape[0],))
    return None


def _plain_groups(groups):
    if groups is None:
        raise TypeError('groups must be an integer, but is None')
    return _numbers.plain(groups)


def check_groups(groups, error, **channels):
    """Check that ``groups`` divides numbers of channels, and return it.

    There must be at least one group; ``error`` is the type of the exception.
    """
    if not isinstance(groups, Real):
        raise TypeError('groups must be an integer, but is %r' % (groups,))
    if groups <= 1 or groups != groups:     # NaN is not greater than one
        return 1
    if groups % 1:      # also true for infinity
        raise TypeError('groups must be an integer, but is %r' % (groups,))
    for name, count in channels.items():
        if count % groups:
            raise error('groups must be a divisor of the number of %s channels: got '
                        '%s groups of %d channels' % (name, groups, count))
    return groups


def check_bias(bias, channels):
    """Check the length of the bias, if the list has one."""
    for b in bias:
        if b.shape[0] not in (1, channels):
            raise ValueError('b must have %s elements, one for each output channel, '
                             'got %d' % (channels, b.shape[0]))


def gradients_of_correlation(function, indexes, ggW, transposed, convolved):
    """Return the gradients of a gradient of filters, by the given convolutions."""
    x, gy = function.get_retained_inputs()
    return [transposed(function, gy, ggW, x.shape[2:]) if i == 0
            else convolved(function, x, ggW, gy.shape[2:]) for i in indexes]


def bias_gradient(gy, dtype):
    """Return the sum over all axes except the channels."""
    if gy.layout is not None:
        gy = gy.as_layout(None)
    gb = sum_.sum(gy, axis=(0, *range(2, gy.ndim)))
    return gb if gb.dtype == dtype else cast.cast(gb, dtype)
