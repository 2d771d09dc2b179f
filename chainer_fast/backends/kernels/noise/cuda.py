"""Random masks on a GPU; see :mod:`chainer_fast.backends.kernels.noise`."""
from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header


def dropout(x, ratio):
    drawn = cuda.cupy.random.rand(*x.shape, dtype=cuda.cupy.float32)
    y, mask = [cuda.cupy.empty(x.shape, x.dtype) for _ in range(2)]
    cuda.elementwise(
        'T x, float32 drawn, float32 ratio, T scale', 'T y, T mask',
        'chainer_fast::drop_or_scale<T>(x, drawn >= ratio, scale, y, mask)', 'dropout',
        preamble=header('chainer_fast/backends/kernels/noise/elements.hpp'))(
            x, drawn, ratio, x.dtype.type(1. / (1 - float(ratio))), y, mask)
    return y, mask
