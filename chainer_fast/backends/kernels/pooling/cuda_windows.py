"""Generated CUDA kernels for windows that pass over images of any dimension.

A kernel of the kind ``Forward`` runs once for each place of the window and goes over
the elements of the image that are seen from there. One of the kind ``Backward`` runs
once for each element of the image and goes over the places that see it. This is written
for any number of axes; what happens on the way is up to the derived classes, which fill
in lines of code.
"""
from __future__ import annotations

import operator
import typing as tp

from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.common import cuda_text as text
from chainer_fast.backends.kernels.pooling.windows import check_window
from chainer_fast.types import NdArray

# Lengths of the images, places of the window, lengths of the window, stride and
# padding: a kernel takes as many of each as there are axes.
_NUMBERS = ('d', 'out', 'k', 's', 'p')


class _Code:
    """Base of both kinds."""

    _generate: tp.Callable[..., tp.Any]

    @classmethod
    @cuda.memoize()
    def generate(klass, ndim: int, last: bool = False):
        """Return the arguments of ``cuda.elementwise``, for images of ``ndim`` axes.

        The kernel takes the source, the numbers in the order lengths, places, window,
        stride and padding, :meth:`in_params`, the result and :meth:`out_params`. For
        arrays whose channels are the last axis, it takes their number before
        :meth:`in_params`.
        """
        return klass()._generate(ndim, last)

    @classmethod
    def launch(
            klass, source: NdArray, lengths: tp.Sequence[int], outs: tp.Sequence[int],
            window: tuple[tp.Any, ...], extra: tuple[tp.Any, ...],
            results: tuple[NdArray, ...], last: bool = False) -> None:
        """Run the kernel.

        Parameters
        ----------
        source : cupy.ndarray
            Input of the kernel.
        lengths, outs : sequence of int
            Lengths of the images, and places of the window.
        window : tuple
            Its lengths, strides and padding, a sequence each.
        extra : tuple
            Values of :meth:`in_params`.
        results : tuple of cupy.ndarray
            Arrays that the kernel fills.
        last : bool
            Whether these have their channels last in memory. Other arrays are copied
            into the same order if need be.
        """
        check_window(lengths, *window)
        numbers = [
            operator.index(n) for each in (lengths, outs, *window) for n in each]
        if last:
            numbers.append(source.shape[1])
            source, *results = map(_image_orders.raw, (source, *results))
            extra = [_image_orders.raw(each) if isinstance(each, cuda.ndarray) else each
                     for each in extra]
        extra = [cuda.cupy.ascontiguousarray(each)
                 if isinstance(each, cuda.ndarray) else each for each in extra]
        preamble = header('chainer_fast/backends/kernels/pooling/elements.hpp')
        cuda.elementwise(*klass.generate(len(lengths), last), preamble=preamble)(
            cuda.cupy.ascontiguousarray(source), *numbers, *extra, *results)

    # Texts that make up a kernel, besides main().
    _name = None
    _in_params = ()
    _out_params = ()
    _before = ''
    _after = ''

    def name(self):
        """Name of the kernel, to which the number of axes is added."""
        if self._name is None:
            raise NotImplementedError('%s has no name' % type(self).__name__)
        return self._name

    def in_params(self):
        """Parameters that the kernel takes besides the usual ones, a list of str."""
        return list(self._in_params)

    def out_params(self):
        """Results besides the usual one, a list of str."""
        return list(self._out_params)

    def before(self):
        """Code that comes first."""
        return self._before

    def _signature(self, ndim, last, source, result):
        numbers = [
            'int32 ' + each for prefix in _NUMBERS for each in text.vars(prefix, ndim)]
        numbers += ['int32 channels'] * last
        return (
            ', '.join([source, *numbers, *self.in_params()]),
            ', '.join([result, *self.out_params()]))


def _write_image(writer, last):
    """Write the beginning of a kernel, and return what an index is made of.

    Returns
    -------
    callable
        It takes the lengths of axes and coordinates, and returns an expression: the
        index of an element of the same channel.
    """
    if not last:
        writer.write('ptrdiff_t image = i;')
        return lambda lengths, xs: text.muladdexp(lengths, xs, 'image')
    writer.write('const int channel = i % channels;')
    writer.write('ptrdiff_t image = i / channels;')
    return lambda lengths, xs: '(channel + channels * %s)' % (
        text.muladdexp(lengths, xs, 'image'))


def _write(writer, code):
    for line in code.splitlines():
        writer.write(line.strip())


class PoolingNDKernelForward(_Code):
    """Code that makes an element of the result, ``out``, from its window in ``in``."""

    def main(self, offset: str, xs: tp.Sequence[str]):
        """Code for each element seen.

        Parameters
        ----------
        offset : str
            Expression: index of the element in the images. A variable ``at`` holds its
            index in the window.
        xs : list of str
            Names of its coordinates.
        """
        raise NotImplementedError('%s has no main()' % type(self).__name__)

    def after(self, out_xs: tp.Sequence[str]):
        """Code that comes last.

        Parameters
        ----------
        out_xs : list of str
            Names of the coordinates of the window's place.
        """
        return self._after

    def _generate(self, ndim, last):
        length, out, k, stride, pad = [text.vars(p, ndim) for p in _NUMBERS]
        place, first, x = [text.vars(p, ndim) for p in ('place', 'first', 'x')]
        writer = text.Writer()
        index = _write_image(writer, last)
        text.write_division(writer, 'image', place, out)
        _write(writer, self.before())
        for j in range(ndim):
            writer.write('const int %s = %s * %s - %s;' % (
                first[j], place[j], stride[j], pad[j]))
        for j in range(ndim):
            writer.write(
                'for (int {0} = max({1}, 0); {0} < min({1} + {2}, {3}); ++{0}) {{'
                .format(x[j], first[j], k[j], length[j]), 'inc')
        from_first = ['(%s - %s)' % pair for pair in zip(x, first, strict=True)]
        writer.write('const int at = %s;' % text.muladdexp(k, from_first, '0'))
        _write(writer, self.main(index(length, x), x))
        for _ in range(ndim):
            writer.write('}', 'dec')
        _write(writer, self.after(place))
        return (
            *self._signature(ndim, last, 'raw T in', 'T out'), writer.get(),
            '%s_%dd%s' % (self.name(), ndim, '_last' * last))


class PoolingNDKernelBackward(_Code):
    """Code that makes an element ``gx`` of an image from ``gy``, of windows."""

    def main(self, offset: str, xs: tp.Sequence[str], out_xs: tp.Sequence[str]):
        """Code for each window that sees the element.

        Parameters
        ----------
        offset : str
            Expression: index of the window in ``gy``. A variable ``at`` holds the index
            of the element in that window.
        xs : list of str
            Names of the coordinates of the element.
        out_xs : list of str
            Names of the coordinates of the window's place.
        """
        raise NotImplementedError('%s has no main()' % type(self).__name__)

    def after(self, xs: tp.Sequence[str]):
        """Code that comes last.

        Parameters
        ----------
        xs : list of str
            Names of the coordinates of the element.
        """
        return self._after

    def _generate(self, ndim, last):
        length, out, k, stride, pad = [text.vars(p, ndim) for p in _NUMBERS]
        place, way, x = [text.vars(p, ndim) for p in ('place', 'way', 'x')]
        writer = text.Writer()
        index = _write_image(writer, last)
        text.write_division(writer, 'image', x, length)
        _write(writer, self.before())
        for j in range(ndim):
            # The windows that begin at most `way` elements, padding included, into the
            # image and reach that far; the last one first, so that the element has
            # ascending indexes in them.
            writer.write('const int %s = %s + %s;' % (way[j], x[j], pad[j]))
            writer.write(
                'for (int {0} = min({1} / {3} + 1, {4}) - 1; '
                '{0} >= max({1} - {2} + {3}, 0) / {3}; --{0}) {{'.format(
                    place[j], way[j], k[j], stride[j], out[j]), 'inc')
        from_first = [
            '(%s - %s * %s)' % each for each in zip(way, place, stride, strict=True)]
        writer.write('const int at = %s;' % text.muladdexp(k, from_first, '0'))
        _write(writer, self.main(index(out, place), x, place))
        for _ in range(ndim):
            writer.write('}', 'dec')
        _write(writer, self.after(x))
        return (
            *self._signature(ndim, last, 'raw T gy', 'T gx'), writer.get(),
            '%s_%dd%s' % (self.name(), ndim, '_last' * last))
