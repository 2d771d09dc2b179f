"""Generated CUDA kernels for images of any dimension.

Both kernels run once for each element of their output. They find its coordinates by
dividing the index by the lengths of the axes, starting with the last axis.
"""
from chainer_fast.backends import cuda

# Small tools for lists of names and expressions of them.
#

def mulexp(xs, init=None):
    """Return an expression for the product of ``init`` and ``xs``."""
    return _chain(' * ', xs, init)


def andexp(xs, init=None):
    """Return an expression for the conjunction of ``init`` and ``xs``."""
    return _chain(' && ', xs, init)


def _chain(sign, xs, init):
    terms = list(xs) if init is None else [init, *xs]
    if not terms:
        raise TypeError('no terms to join with %s' % sign.strip())
    return sign.join(terms)


def muladdexp(xs, ys, init=None):
    """Return an expression for the index of an element in an array.

    Parameters
    ----------
    xs, ys : sequence of str
        Lengths of the axes, and coordinates, from the first axis on.
    init : str, optional
        Index along the preceding axes.

    Returns
    -------
    str
        ``(y_1 + x_1 * (y_0 + x_0 * init))``. Without ``init`` it starts at ``y_0``.
    """
    pairs = list(zip(xs, ys, strict=False))
    if init is None:
        if not pairs:
            raise TypeError('no coordinates to make an index of')
        init = pairs.pop(0)[1]
    for length, coordinate in pairs:
        init = '(%s + %s * %s)' % (coordinate, length, init)
    return init


def map_(fn, *lst):
    """Return a list of the results of ``map``."""
    return list(map(fn, *lst))


def vars(prefix, n):
    """Return ``n`` names: ``prefix_0``, ``prefix_1``, ..."""
    return ['%s_%d' % (prefix, i) for i in range(n)]


def succ_sublists(xs):
    """Return all non-empty tails of a list: ``xs[0:]``, ``xs[1:]``, ..."""
    return [xs[i:] for i in range(len(xs))]


class Writer:
    """Collects lines of code and indents them."""

    def __init__(self):
        self._indent = 0
        self._lines = []

    def write(self, line, indent=None):
        """Add a line.

        Parameters
        ----------
        line : str
            The line, without its indentation.
        indent : str, optional
            ``'inc'`` if a block begins after it, ``'dec'`` if one has ended before it,
            ``'decinc'`` if both.
        """
        if indent in ('dec', 'decinc'):
            self._indent -= 1
        self._lines.append('  ' * self._indent + line)
        if indent in ('inc', 'decinc'):
            self._indent += 1

    def get(self):
        """Return the code."""
        return '\n'.join(self._lines)


# The kernels
#

# Lengths of the images, positions of the window, lengths of the window, stride, padding
# and dilation: a kernel takes one of each per axis.
_PREFIXES = ('d', 'out', 'k', 's', 'p', 'di')


def _params(array, ndim):
    numbers = ['int32 ' + name for prefix in _PREFIXES for name in vars(prefix, ndim)]
    return ', '.join(['raw T ' + array, *numbers])


def _write_coordinates(writer, names, lengths):
    """Write the division of ``i`` into coordinates; the quotient is the image."""
    writer.write('ptrdiff_t image = i;')
    for name, length in zip(reversed(names), reversed(lengths), strict=True):
        writer.write('const int %s = image %% %s;' % (name, length))
        writer.write('image /= %s;' % length)


class Im2colNDKernel:
    """Code of the kernel that copies one element of a patch."""

    @staticmethod
    @cuda.memoize()
    def generate(ndim):
        """Return the arguments of ``cuda.elementwise``, for images of ``ndim`` axes."""
        return _im2col_nd_kernel._generate(ndim)

    def _generate(self, ndim):
        length, out, k, stride, pad, dilation = [vars(p, ndim) for p in _PREFIXES]
        at, place, x = [vars(p, ndim) for p in ('at', 'place', 'x')]
        writer = Writer()
        _write_coordinates(writer, at + place, k + out)
        for j in range(ndim):
            writer.write('const int %s = %s * %s + %s * %s - %s;' % (
                x[j], place[j], stride[j], at[j], dilation[j], pad[j]))
        inside = ['%s >= 0 && %s < %s' % (x[j], x[j], length[j]) for j in range(ndim)]
        writer.write('if (%s) {' % andexp(inside), 'inc')
        writer.write('col = img[%s];' % muladdexp(length, x, 'image'))
        writer.write('} else {', 'decinc')
        writer.write('col = T(0);')
        writer.write('}', 'dec')
        return _params('img', ndim), 'T col', writer.get(), 'im2col_%dd' % ndim


class Col2imNDKernel:
    """Code of the kernel that sums the contributions to one element of an image."""

    @staticmethod
    @cuda.memoize()
    def generate(ndim):
        """Return the arguments of ``cuda.elementwise``, for images of ``ndim`` axes."""
        return _col2im_nd_kernel._generate(ndim)

    def _generate(self, ndim):
        length, out, k, stride, pad, dilation = [vars(p, ndim) for p in _PREFIXES]
        at, place, x, way = [vars(p, ndim) for p in ('at', 'place', 'x', 'way')]
        writer = Writer()
        _write_coordinates(writer, x, length)
        writer.write('T sum = T(0);')
        for j in range(ndim):
            # Element `at` of the window is here if the window is `way` further left,
            # which must be one of its positions.
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
        writer.write('img = sum;')
        return _params('col', ndim), 'T img', writer.get(), 'col2im_%dd' % ndim


_im2col_nd_kernel = Im2colNDKernel()
_col2im_nd_kernel = Col2imNDKernel()


def im2col_kernel(ndim):
    """Return the kernel ``(img, *d, *out, *k, *s, *p, *di, col)``."""
    return cuda.elementwise(*Im2colNDKernel.generate(ndim))


def col2im_kernel(ndim):
    """Return the kernel ``(col, *d, *out, *k, *s, *p, *di, img)``."""
    return cuda.elementwise(*Col2imNDKernel.generate(ndim))
