"""Calls of cuDNN's stand-in, and memory that is not there."""
from chainer_fast.backends import cuda
from chainer_fast.backends._cudnn import convolution


def convolve(shape=(1, 2, 4, 4), dtype='f'):
    x, W = cuda.cupy.ones(shape, dtype), cuda.cupy.ones((3, shape[1], 1, 1), dtype)
    y = convolution.convolve(
        x, W, None, (1, 1), (0, 0), (1, 1), 1, shape[2:])
    assert y is NotImplemented or float(y.max()) == shape[1]
    return y


def short_of_memory(monkeypatch, limit):
    alloc = cuda.cupy.cuda.alloc

    def fail(size):
        if size > limit:
            raise MemoryError('out of memory allocating %d bytes' % size)
        return alloc(size)
    monkeypatch.setattr(cuda.cupy.cuda, 'alloc', fail)
