"""Generated CUDA kernels of patches of images of any dimension.

They run once for each element of their output. They compute its coordinates by
dividing the index by the lengths of the axes, starting with the last axis.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.common.cuda_text import (
    Writer,
    andexp,
    muladdexp,
    mulexp,
    vars,
    write_division,
)

# Lengths of the images, positions of the window, lengths of the window, stride, padding
# and dilation: a kernel takes one of each per axis.
_PREFIXES = ('d', 'out', 'k', 's', 'p', 'di')


def _params(arrays, ndim, further=()):
    numbers = [name for prefix in _PREFIXES for name in vars(prefix, ndim)]
    return ', '.join([arrays, *['int32 ' + name for name in [*numbers, *further]]])


def _write_element_of_patch(writer, ndim, target, image):
    """Write the copy of an element of the images, or a zero from their padding."""
    length, _, _, stride, pad, dilation = [vars(p, ndim) for p in _PREFIXES]
    at, place, x = [vars(p, ndim) for p in ('at', 'place', 'x')]
    for j in range(ndim):
        writer.write('const int %s = %s * %s + %s * %s - %s;' % (
            x[j], place[j], stride[j], at[j], dilation[j], pad[j]))
    inside = ['%s >= 0 && %s < %s' % (x[j], x[j], length[j]) for j in range(ndim)]
    writer.write('if (%s) {' % andexp(inside), 'inc')
    writer.write('%s = T(img[%s]);' % (target, muladdexp(length, x, image)))
    writer.write('} else {', 'decinc')
    writer.write('%s = T(0);' % target)
    writer.write('}', 'dec')


class Im2colNDKernel:
    """Code of the kernel that copies one element of a patch."""

    @staticmethod
    @cuda.memoize()
    def generate(ndim: int) -> tuple[str, str, str, str]:
        """Return the arguments of ``cuda.elementwise``, for images of ``ndim`` axes."""
        return _im2col_nd_kernel._generate(ndim)

    def _generate(self, ndim):
        _, out, k, *_ = [vars(p, ndim) for p in _PREFIXES]
        at, place = [vars(p, ndim) for p in ('at', 'place')]
        writer = Writer()
        writer.write('ptrdiff_t image = i;')
        write_division(writer, 'image', at + place, k + out)
        _write_element_of_patch(writer, ndim, 'col', 'image')
        return _params('raw T img', ndim), 'T col', writer.get(), 'im2col_%dd' % ndim


class Col2imNDKernel:
    """Code of the kernel that sums the contributions to one element of an image."""

    @staticmethod
    @cuda.memoize()
    def generate(ndim: int) -> tuple[str, str, str, str]:
        """Return the arguments of ``cuda.elementwise``, for images of ``ndim`` axes."""
        return _col2im_nd_kernel._generate(ndim)

    def _generate(self, ndim):
        length, out, k, stride, pad, dilation = [vars(p, ndim) for p in _PREFIXES]
        at, place, x, way = [vars(p, ndim) for p in ('at', 'place', 'x', 'way')]
        writer = Writer()
        writer.write('ptrdiff_t image = i;')
        write_division(writer, 'image', x, length)
        # Sums of float16 are in single precision.
        writer.write('decltype(T() + T()) sum = 0;')
        for j in range(ndim):
            # Element `at` of the window is here if the window is shifted by `way` to
            # the left, which must be one of its positions.
            writer.write(
                'for (int {0} = 0; {0} < {1}; ++{0}) {{'.format(at[j], k[j]), 'inc')
            writer.write('const int %s = %s + %s - %s * %s;' % (
                way[j], x[j], pad[j], at[j], dilation[j]))
            writer.write('const int %s = %s / %s;' % (place[j], way[j], stride[j]))
            writer.write('if ({0} < 0 || {0} % {1} || {2} >= {3}) continue;'.format(
                way[j], stride[j], place[j], out[j]))
        writer.write('sum = sum + col[%s];' % muladdexp(k + out, at + place, 'image'))
        for _ in range(ndim):
            writer.write('}', 'dec')
        writer.write('img = T(sum);')
        return _params('raw T col', ndim), 'T img', writer.get(), 'col2im_%dd' % ndim


@cuda.memoize()
def _generate_correlation(ndim):
    """Return the code of the kernel that writes both operands of a correlation.

    The rows of the result are the elements of patches, followed by the channels of the
    gradient; its columns are the positions in all images. The gradient needs a change
    of layout, which would otherwise be a separate launch.
    """
    _, out, k, *_ = [vars(p, ndim) for p in _PREFIXES]
    at, place = [vars(p, ndim) for p in ('at', 'place')]
    writer = Writer()
    writer.write('ptrdiff_t row = i;')
    write_division(writer, 'row', ['image', *place], ['images', *out])
    writer.write('const ptrdiff_t filter = row - %s;' % mulexp(k, 'channels'))
    writer.write('if (filter >= 0) {', 'inc')
    writer.write('both = T(gy[%s]);' % muladdexp(
        out, place, '(filter + filters * (ptrdiff_t)image)'))
    writer.write('} else {', 'decinc')
    write_division(writer, 'row', at, k)
    _write_element_of_patch(
        writer, ndim, 'both', '(row + channels * (ptrdiff_t)image)')
    writer.write('}', 'dec')
    return (_params('raw S img, raw U gy', ndim, ('images', 'channels', 'filters')),
            'T both', writer.get(), 'correlation_%dd' % ndim)


_im2col_nd_kernel = Im2colNDKernel()
_col2im_nd_kernel = Col2imNDKernel()


def im2col_kernel(ndim: int) -> tp.Callable[..., tp.Any]:
    """Return the kernel ``(img, *d, *out, *k, *s, *p, *di, col)``."""
    return cuda.elementwise(*Im2colNDKernel.generate(ndim))


def col2im_kernel(ndim: int) -> tp.Callable[..., tp.Any]:
    """Return the kernel ``(col, *d, *out, *k, *s, *p, *di, img)``."""
    return cuda.elementwise(*Col2imNDKernel.generate(ndim))


def correlation_kernel(ndim: int) -> tp.Callable[..., tp.Any]:
    """Return the kernel ``(img, gy, *d, *out, *k, *s, *p, *di, images, channels,
    filters, both)``.
    """
    return cuda.elementwise(*_generate_correlation(ndim))
