"""Convolution whose filters differ between positions."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import convolution
from chainer_fast.backends.kernels import matmul as products
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.connection import _convolution
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

# The positions of the window are the batch of the products. Float16 numbers are
# multiplied and summed in single precision; see the kernels of images.


class _Local(FunctionNode):
    """Base of the function and its gradients, with the stride and the patches.

    With patches ``p`` and filters ``W``, the function is ``y = W p`` at each position.
    """

    def __init__(self, sy, sx) -> None:
        super().__init__()
        self.sy, self.sx = sy, sx

    def _stride(self, outs):
        # With a single position, the window does not move.
        return tuple([
            0 if out == 1 else s
            for s, out in zip((self.sy, self.sx), outs, strict=True)])

    def _patches(self, x, ksize, outs):
        """Return an array of shape (positions, n, elements of a patch)."""
        col = convolution.gather(x, ksize, self._stride(outs), (0, 0), (1, 1), outs)
        n = x.shape[0]
        return col.reshape(n, x.shape[1] * ksize[0] * ksize[1],
                           outs[0] * outs[1]).transpose(2, 0, 1)


def _by_place(images_):
    """Return images as an array of shape (positions, n, channels)."""
    n, channels, h, w = images_.shape
    return images_.reshape(n, channels, h * w).transpose(2, 0, 1)


def _filters_by_place(W):
    """Return filters as an array of shape (positions, filters, patch elements)."""
    filters, h, w, channels, kh, kw = W.shape
    return W.reshape(filters, h * w, channels * kh * kw).transpose(1, 0, 2)


def _product(a, b, dtype):
    working = convolution._working_dtype(a, b)
    xp = backend.get_array_module(a)
    y = products.matmul(xp.ascontiguousarray(a, dtype=working),
                        xp.asarray(b, dtype=working))
    return convolution._rounded(y, dtype, a, b)


class LocalConvolution2DFunction(_Local):
    """Convolution of images with filters that differ between positions.

    Parameters
    ----------
    stride : int or pair of int
        Stride.
    """

    def __init__(self, stride: int | Sequence[int] = 1) -> None:
        sy, sx = _numbers.both(stride, 'stride')
        super().__init__(sy, sx)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        size = in_types.size()
        type_check.expect(size >= 2, size <= 3)
        for each, ndim in zip(in_types, (4, 6, 3), strict=False):
            type_check.expect(each.dtype.kind == 'f', each.ndim == ndim)
        x, W, *bias = in_types
        type_check.expect(x.shape[1] == W.shape[3])
        for b in bias:
            type_check.expect(b.dtype == x.dtype, b.shape == W.shape[:3])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W, *b = inputs
        self.retain_inputs((0, 1))
        _check_places(x, W, self._stride(W.shape[1:3]))
        filters, h, w = W.shape[:3]
        patches = self._patches(x, W.shape[4:], (h, w))
        y = _product(patches, _filters_by_place(W).swapaxes(1, 2), x.dtype)
        y = y.transpose(1, 2, 0).reshape(x.shape[0], filters, h, w)
        if b:
            y = y + b[0]
        return y,

    def backward(
            self, indices: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        gradients = []
        for i in indices:
            if i == 0:
                gradients.append(_LocalGradX(self, x.shape).apply((gy, W))[0])
            elif i == 1:
                gradients.append(_LocalGradW(self, W.shape, W.dtype).apply((x, gy))[0])
            else:
                gradients.append(sum_.sum(gy, axis=0))
        return gradients


def _check_places(x, W, stride):
    _convolution.check_integers('stride', stride)
    if min(stride) < 0:
        raise ValueError('stride must not be negative, got %s' % (tuple(stride),))
    for length, out, k, s in zip(
            x.shape[2:], W.shape[1:3], W.shape[4:], stride, strict=True):
        if (out - 1) * s + k > length:
            raise ValueError(
                'W has filters for %s positions, but a window of %s with stride %s has '
                'fewer positions in images of %s'
                % (W.shape[1:3], W.shape[4:], tuple(stride), x.shape[2:]))


class _LocalGradX(_Local):
    """Gradient with respect to the images, of the inputs ``gy`` and ``W``."""

    def __init__(self, function, x_shape) -> None:
        super().__init__(function.sy, function.sx)
        self._x_shape = x_shape

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, W = inputs
        self.retain_inputs((0, 1))
        _, h, w, channels, kh, kw = W.shape
        patches = _product(_by_place(gy), _filters_by_place(W), gy.dtype)
        col = patches.transpose(1, 2, 0).reshape(gy.shape[0], channels, kh, kw, h, w)
        stride = self._stride((h, w))
        for axis in range(2):
            if not stride[axis]:
                # All filters of this axis were at the same position.
                col = col.sum(axis=4 + axis, keepdims=True)
        stride = tuple([s or 1 for s in stride])
        return convolution.scatter(
            col, stride, (0, 0), self._x_shape[2:], (1, 1)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        gy, W = self.get_retained_inputs()
        ggx, = grad_outputs
        gradients = []
        for i in indexes:
            if i == 0:
                gradients.append(
                    LocalConvolution2DFunction((self.sy, self.sx)).apply((ggx, W))[0])
            else:
                gradients.append(
                    _LocalGradW(self, W.shape, W.dtype).apply((ggx, gy))[0])
        return gradients


class _LocalGradW(_Local):
    """Gradient with respect to the filters, of the inputs ``x`` and ``gy``."""

    def __init__(self, function, w_shape: tuple[int, ...], w_dtype: DTypeSpec) -> None:
        super().__init__(function.sy, function.sx)
        self._w_shape, self._w_dtype = w_shape, w_dtype

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, gy = inputs
        self.retain_inputs((0, 1))
        patches = self._patches(x, self._w_shape[4:], gy.shape[2:])
        gW = _product(_by_place(gy).swapaxes(1, 2), patches, self._w_dtype)
        return gW.transpose(1, 0, 2).reshape(self._w_shape),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> Sequence[Variable | None]:
        x, gy = self.get_retained_inputs()
        ggW, = grad_outputs
        gradients = []
        for i in indexes:
            if i == 0:
                gradients.append(_LocalGradX(self, x.shape).apply((gy, ggW))[0])
            else:
                gradients.append(
                    LocalConvolution2DFunction((self.sy, self.sx)).apply((x, ggW))[0])
        return gradients


def local_convolution_2d(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        stride: int | Sequence[int] = 1) -> Variable:
    """Convolve images with filters that differ between positions.

    .. math::

        y_{nojk} = b_{ojk} + \\sum_{cuv} W_{ojkcuv}\\, x_{n, c, s_y j + u, s_x k + v}

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images, of a floating dtype.
    W : Variable or array, shape (o, h_out, w_out, c, kh, kw)
        Filters. Their floating dtype may differ from that of the images.
    b : Variable or array, shape (o, h_out, w_out), optional
        Bias, of the dtype of the images.
    stride : int or pair of int
        Stride, vertical and horizontal.

    Returns
    -------
    Variable
        Images of shape ``(n, o, h_out, w_out)``, in the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    ValueError
        If the window has fewer positions than ``W`` has filters for, or the stride is
        negative.

    See Also
    --------
    chainer_fast.functions.convolution_2d
    chainer_fast.links.LocalConvolution2D

    Examples
    --------
    >>> x = np.array([[[[1., 2., 3.]]]], np.float32)
    >>> W = np.array([1., 10., 100.], np.float32).reshape(1, 1, 3, 1, 1, 1)
    >>> F.local_convolution_2d(x, W).array
    array([[[[  1.,  20., 300.]]]], dtype=float32)
    """
    function = LocalConvolution2DFunction(stride)
    return function.apply((x, W) if b is None else (x, W, b))[0]
