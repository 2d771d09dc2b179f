"""Programs for a card: modules with ``cases(tiny)``, functions by their names."""
import numpy as np

import chainer_fast as chainer
from chainer_fast.backends import cuda

# Least errors to expect of sums, beside the largest element of a result.
TOLERANCES = {'float64': 1e-9, 'float32': 1e-4, 'tf32': 1e-2, 'float16': 1e-2}


def draw(seed, *shape):
    """Return random numbers around zero."""
    return np.random.RandomState(seed).standard_normal(shape)


def difference(found, expected, tolerance):
    """Return how far arrays are apart, each beside its largest element.

    Raises
    ------
    AssertionError
        If that is too far, or elements are not finite.
    """
    worst = 0.
    for number, (a, b) in enumerate(zip(found, expected, strict=True)):
        a, b = [cuda.to_cpu(each).astype('d') for each in (a, b)]
        assert a.shape == b.shape, 'array %d: shapes %s, %s' % (
            number, a.shape, b.shape)
        assert np.isfinite(a).all(), 'array %d: not finite' % number
        error = float(abs(a - b).max() / max(abs(b).max(), 1e-30))
        assert error <= tolerance, 'array %d: off by %.2g of the largest element' % (
            number, error)
        worst = max(worst, error)
    return worst


def gradients(function, arrays, gy=None):
    """Return a function's result and the gradients of its arguments.

    Parameters
    ----------
    function : callable
        Of variables.
    arrays : list of array
    gy : array, optional
        Gradient of the result; some random numbers by default.
    """
    xs = [chainer.Variable(array) for array in arrays]
    y = function(*xs)
    if gy is None:
        gy = draw(99, *y.shape)
    y.grad = xs[0].xp.asarray(gy, y.dtype)
    y.backward()
    return [y.array, *[x.grad for x in xs]]


def on_host(function, arrays, gy=None):
    """Return the same in float64, on the processor."""
    return gradients(function, [np.asarray(a, 'd') for a in arrays], gy)


def send(array, offset=0):
    """Send an array to the card, to so many elements after a multiple of 256 bytes."""
    buffer = cuda.cupy.empty(array.size + offset, array.dtype)
    view = buffer[offset:].reshape(array.shape)
    view[...] = cuda.to_gpu(array)
    return view


def same_bits(found, expected):
    """Raise ``AssertionError`` if bits of arrays differ."""
    for number, (a, b) in enumerate(zip(found, expected, strict=True)):
        a, b = [cuda.to_cpu(each) for each in (a, b)]
        assert a.tobytes() == b.tobytes(), 'array %d: other bits, up to %.2g' % (
            number, abs(a.astype('d') - b.astype('d')).max())


def spoil(size):
    """Fill memory that nobody has with NaN, for whoever uses it by mistake."""
    for _ in range(3):
        cuda.cupy.full(size, np.nan, 'f')


def batches(count, size):
    return [draw(i, 4, 3, size, size).astype('f') for i in range(count)]
