"""Code of the CUDA kernels: compiled for the CPU, it has to do what NumPy does."""
import ctypes

import numpy as np
import pytest

from chainer_fast.backends.kernels.convolution import cuda_patches
from chainer_fast.utils import conv_nd
from tests.compiled import library

WINDOWS = [  # lengths, ksize, stride, pad, dilation
    ((7,), (3,), (2,), (1,), (2,)),
    ((5, 6), (3, 2), (1, 2), (1, 0), (1, 2)),
    ((4, 1), (1, 3), (3, 1), (0, 2), (2, 1)),
    ((3, 4, 5), (2, 3, 1), (1, 2, 3), (0, 2, 1), (2, 1, 1)),
]


@pytest.fixture(scope='module')
def compiled(tmp_path_factory):
    """Return a function that makes a kernel out of what ``generate`` returns."""
    generated = {}
    for nd in (1, 2, 3):
        for kernel in (cuda_patches.Im2colNDKernel(), cuda_patches.Col2imNDKernel()):
            in_params, out_param, operation, name = kernel._generate(nd)
            source, *numbers = [p.split()[-1] for p in in_params.split(', ')]
            out = out_param.split()[-1]
            generated[name] = (
                'extern "C" void %s(const T *%s, T *all_out, ptrdiff_t n, %s) {\n'
                'for (ptrdiff_t i = 0; i < n; ++i) {\nT &%s = all_out[i];\n%s\n}}\n'
                % (name, source, ', '.join(['int ' + n for n in numbers]), out,
                   operation))
    return library(
        tmp_path_factory.mktemp('kernels'),
        '#include <cstddef>\ntypedef double T;\n' + '\n'.join(generated.values()))


def run(function, source, out, *numbers):
    function(source.ctypes.data_as(ctypes.c_void_p),
             out.ctypes.data_as(ctypes.c_void_p), ctypes.c_ssize_t(out.size),
             *[ctypes.c_int(n) for numbers_ in numbers for n in numbers_])
    return out


@pytest.mark.parametrize('window', WINDOWS, ids=str)
@pytest.mark.parametrize('cover_all', [False, True])
def test_kernels(compiled, window, cover_all):
    lengths, ksize, stride, pad, dilation = window
    nd = len(lengths)
    random = np.random.RandomState(0)
    img = random.randint(-9, 9, (2, 3, *lengths)).astype('d')
    col = conv_nd.im2col_nd_cpu(
        img, ksize, stride, pad, cover_all=cover_all, dilate=dilation)
    outs = col.shape[2 + nd:]
    numbers = lengths, outs, ksize, stride, pad, dilation
    got = run(getattr(compiled, 'im2col_%dd' % nd), img, np.full_like(col, np.nan),
              *numbers)
    np.testing.assert_array_equal(got, col)

    col = random.randint(-9, 9, col.shape).astype('d')
    back = conv_nd.col2im_nd_cpu(col, stride, pad, lengths, dilation)
    got = run(getattr(compiled, 'col2im_%dd' % nd), col,
              np.full_like(img, np.nan), *numbers)
    np.testing.assert_array_equal(got, back)


def test_arguments_of_the_kernels():
    in_params, out_params, _, name = cuda_patches.Im2colNDKernel.generate(2)
    assert in_params.split(', ') == ['raw T img'] + [
        'int32 %s_%d' % (prefix, i) for prefix in ('d', 'out', 'k', 's', 'p', 'di')
        for i in range(2)]
    assert (out_params, name) == ('T col', 'im2col_2d')
    in_params, out_params, _, name = cuda_patches.Col2imNDKernel.generate(3)
    assert in_params.startswith('raw T col, int32 d_0, int32 d_1, int32 d_2, int32 out')
    assert (out_params, name) == ('T img', 'col2im_3d')
