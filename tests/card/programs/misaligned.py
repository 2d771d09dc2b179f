"""Operands at addresses that are no multiple of 16 bytes, as cuDNN is promised them."""
import functools

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import cuda
from tests.card.programs import TOLERANCES, difference, draw, gradients, on_host, send


def compare(function, arrays, sent):
    """Compare with the processor; the arrays of both have the same values."""
    error = difference(gradients(function, sent), on_host(function, arrays),
                       TOLERANCES[arrays[0].dtype.name])
    return {'dtype': arrays[0].dtype.name, 'error': error,
            'addresses mod 16': ' '.join(str(a.data.ptr % 16) for a in sent),
            'cuDNN': chainer.should_use_cudnn('>=auto')}


def convolve(x, W):
    return F.convolution_2d(x, W, pad=1)


def some(dtype, *shapes):
    """Return arrays; parameters of normalizations are in single precision."""
    return [draw(i, *shape).astype(dtype if len(shape) > 1 else 'f')
            for i, shape in enumerate(shapes)]


def offset(function, dtype, shapes, offsets):
    """Return the case of arguments at so many elements after an aligned address."""
    def case():
        arrays = some(dtype, *shapes)
        sent = [send(a, n) for a, n in zip(arrays, offsets, strict=True)]
        return compare(function, arrays, sent)
    return case


def part(function, dtype, n, which, *others):
    """Return the case of a part of four images, which a view has the address of."""
    def case():
        x, *rest = some(dtype, (4, 3, n, n), *others)
        sent = [cuda.to_gpu(a) for a in (x, *rest)]
        return compare(function, [x[which], *rest], [sent[0][which], *sent[1:]])
    return case


def pieces(n):
    """Convolve and normalize each of the pieces that a batch is split into."""
    def function(x, W, gamma, beta):
        return F.concat([
            F.batch_normalization(convolve(piece, W), gamma, beta)
            for piece in F.split_axis(x, 4, axis=0)], axis=0)
    arrays = some('f', (4, 3, n, n), (3, 3, 3, 3), (3,), (3,))
    return compare(function, arrays, [cuda.to_gpu(a) for a in arrays])


def joined(n, dtype):
    """Join results, whose gradients then are parts of that of the whole."""
    def function(a, b, W, gamma, beta):
        return F.concat([
            convolve(a, W), F.batch_normalization(b, gamma, beta), convolve(b, W)],
            axis=0)
    arrays = some(dtype, (1, 3, n, n), (2, 3, n, n), (3, 3, 3, 3), (3,), (3,))
    return compare(function, arrays, [cuda.to_gpu(a) for a in arrays])


def cases(tiny):
    large, small = (5, 9) if tiny else (299, 33)
    filters = 3, 3, 3, 3
    found = {
        # 12 bytes after a multiple of 16.
        'slice': part(convolve, 'f', large, np.s_[1:2], filters),
        'split_axis': functools.partial(pieces, large),
        # 6 bytes after one.
        'half': part(convolve, 'e', small, np.s_[1:], filters),
        'batch_normalization': part(
            F.batch_normalization, 'f', large, np.s_[1:], (3,), (3,)),
        'concat': functools.partial(joined, large, 'f'),
        'concat, half': functools.partial(joined, small, 'e'),
        'filters': offset(convolve, 'f', [(2, 8, 16, 16), (8, 8, 3, 3)], (0, 1)),
        'filters, half': offset(convolve, 'e', [(2, 8, 16, 16), (8, 8, 3, 3)], (0, 1)),
        'parameters': offset(
            F.batch_normalization, 'f', [(4, 8, 16, 16), (8,), (8,)], (0, 1, 3)),
    }
    for dtype, count in ('f', 4), ('e', 8):
        for n in range(count):
            name = 'offset %d, %s, ' % (n * np.dtype(dtype).itemsize, np.dtype(dtype))
            found[name + 'convolution'] = offset(
                convolve, dtype, [(2, 8, 16, 16), (8, 8, 3, 3)], (n, 0))
            found[name + 'batch normalization'] = offset(
                F.batch_normalization, dtype, [(4, 8, 16, 16), (8,), (8,)], (n, 0, 0))
    return found
