"""Initializers of convolutions that resample images."""
from __future__ import annotations

import functools

import numpy

from chainer_fast import backend, initializer
from chainer_fast.types import DTypeSpec, NdArray


def _linear_kernel(size, ndim):
    """Return the tent filter for linear interpolation between ``size // 2`` steps."""
    step = (size + 1) // 2
    distance = abs(numpy.arange(size) - (size - 1) / 2)
    return functools.reduce(numpy.multiply.outer, [1 - distance / step] * ndim)


_kernels = {'linear': _linear_kernel}


class _SamplingFilter(initializer.Initializer):

    def __init__(
            self, upsampling: bool = True, interpolation: str = 'linear',
            dtype: DTypeSpec | None = None) -> None:
        if interpolation not in tuple(_kernels):   # it may not be hashable
            raise ValueError(
                'interpolation must be one of %s, not %r'
                % (', '.join(map(repr, _kernels)), interpolation))
        self._upsampling = upsampling
        self._get_filter_func = _kernels[interpolation]
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        if array.ndim < 3:
            raise ValueError(
                'a resampling filter has the shape (out, in, size, ...), not %s'
                % (array.shape,))
        n_out, n_in, size, *others = array.shape
        assert n_in in (1, n_out), (
            'resampling filters need one input channel, or as many as output channels '
            '(%s), not %s' % (n_out, n_in))
        for other in others:
            if other != size:
                raise ValueError(
                    'resampling filters are square, but the kernel is %s'
                    % (array.shape[2:],))

        kernel = self._get_filter_func(size, 1 + len(others))
        if not self._upsampling:
            kernel /= kernel.sum()
        xp = backend.get_array_module(array)
        channels = xp.arange(n_out)
        array[...] = 0
        array[channels, 0 if n_in == 1 else channels] = xp.asarray(kernel)


class UpsamplingDeconvFilter(_SamplingFilter):
    """Fills the weight of a deconvolution so that it upsamples every channel.

    The weight has the shape ``(channels, channels, size, ...)``, or ``(channels, 1,
    size, ...)`` for grouped deconvolutions, with the same size along all axes; channels
    are not mixed. A filter is the product over the axes of

    .. math:: w_i = 1 - \\frac{|i - (k - 1) / 2|}{\\lceil k / 2 \\rceil},
        \\quad 0 \\le i < k.

    Parameters
    ----------
    interpolation : {'linear'}
        Kind of interpolation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Raises
    ------
    AssertionError
        When called, if the array is not of the dtype given, or if the number of input
        channels is neither one nor that of output channels.
    ValueError
        If the interpolation is unknown; when called, if the array has fewer than three
        axes, or if the sizes along them differ.

    See Also
    --------
    chainer_fast.initializers.DownsamplingConvFilter

    References
    ----------
    J. Long, E. Shelhamer and T. Darrell. `Fully convolutional networks for semantic
    segmentation <https://arxiv.org/abs/1411.4038>`__. CVPR 2015.

    Examples
    --------
    >>> init = chainer.initializers.UpsamplingDeconvFilter()
    >>> deconv = L.Deconvolution2D(
    ...     1, 1, ksize=4, stride=2, pad=1, nobias=True, initialW=init)
    >>> deconv.W.array[0, 0, 1] * 4 / 3
    array([0.25, 0.75, 0.75, 0.25], dtype=float32)
    >>> deconv(np.ones((1, 1, 4, 4), np.float32)).shape
    (1, 1, 8, 8)
    """

    def __init__(
            self, interpolation: str = 'linear',
            dtype: DTypeSpec | None = None) -> None:
        super().__init__(True, interpolation, dtype)


class DownsamplingConvFilter(_SamplingFilter):
    """Fills the weight of a convolution so that it downsamples every channel.

    Like :class:`UpsamplingDeconvFilter`, but the elements of each filter sum to one.

    Parameters
    ----------
    interpolation : {'linear'}
        Kind of interpolation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.

    Raises
    ------
    AssertionError
        When called, if the array is not of the dtype given, or if the number of input
        channels is neither one nor that of output channels.
    ValueError
        If the interpolation is unknown; when called, if the array has fewer than three
        axes, or if the sizes along them differ.

    See Also
    --------
    chainer_fast.initializers.UpsamplingDeconvFilter

    Examples
    --------
    >>> init = chainer.initializers.DownsamplingConvFilter()
    >>> conv = L.Convolution2D(
    ...     1, 1, ksize=4, stride=2, pad=1, nobias=True, initialW=init)
    >>> conv(np.ones((1, 1, 8, 8), np.float32)).array[0, 0, 1:3, 1:3]
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

    def __init__(
            self, interpolation: str = 'linear',
            dtype: DTypeSpec | None = None) -> None:
        super().__init__(False, interpolation, dtype)
