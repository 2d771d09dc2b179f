"""The CUDA forms of convolutions without cuDNN: results, and what they launch."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import testing
from chainer_fast.backends import _cublas, cuda
from chainer_fast.backends.kernels import convolution as kernels
from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import ndarray

pytestmark = pytest.mark.gpu

TOLERANCE = {'e': 5e-3, 'f': 1e-5, 'd': 1e-12}
WINDOWS = [  # ksize, stride, pad, dilate, lengths, places
    ((3, 3), (1, 1), (1, 1), (1, 1), (6, 5), (6, 5)),
    ((1, 1), (1, 1), (0, 0), (1, 1), (6, 5), (6, 5)),
    ((1, 1), (1, 1), (0, 0), (1, 1), (1, 2), (1, 2)),
    ((1, 1), (2, 1), (0, 0), (1, 1), (5, 2), (3, 2)),
    ((3, 2), (2, 1), (1, 0), (1, 2), (7, 6), (4, 4)),
    ((3,), (2,), (1,), (1,), (8,), (5,)),
    ((2, 3, 1), (1, 2, 1), (1, 1, 0), (2, 1, 1), (4, 5, 3), (4, 3, 3)),
]


@pytest.fixture(autouse=True)
def without_cudnn():
    with chainer_fast.using_config('use_cudnn', 'never'):
        yield


def random(shape, dtype, seed):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def send(array, how='plain'):
    """Return the values on the GPU, with the last axis in front in memory, or so."""
    x = cuda.to_gpu(array)
    if how == 'plain':
        return x
    axes = (*range(1, x.ndim), 0)
    return cuda.cupy.ascontiguousarray(x.transpose(axes)).transpose(
        np.argsort(axes).tolist())


@pytest.mark.parametrize('window', WINDOWS, ids=str)
@pytest.mark.parametrize('groups', [1, 2])
@pytest.mark.parametrize('dtypes, bias, how', [
    ('ff', True, 'plain'), ('ff', False, 'strided'), ('ee', True, 'strided'),
    ('ee', False, 'plain'), ('dd', True, 'plain'), ('ef', True, 'plain'),
    ('fe', False, 'plain')])
def test_forms(window, groups, dtypes, bias, how):
    ksize, stride, pad, dilate, lengths, outs = window
    x, gy = [random((3, n, *shape), dtypes[0], n)
             for n, shape in ((4, lengths), (6, outs))]
    W = random((6, 4 // groups, *ksize), dtypes[1], 1)
    b, c = [random((n,), dtypes[0], 2) if bias else None for n in (6, 4)]
    geometry = stride, pad, dilate, groups
    for kernel, arrays, arguments in (
            (kernels.convolve, (x, W, b), (*geometry, outs)),
            (kernels.convolve_transposed, (gy, W, c), (*geometry, lengths)),
            (kernels.correlate, (x, gy), (ksize, *geometry, W.dtype))):
        expected = kernel.reference(*arrays, *arguments)
        found = kernel.device(
            *[a if a is None else send(a, how) for a in arrays], *arguments)
        assert found.flags.c_contiguous
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        tolerance = max([TOLERANCE[dtype] for dtype in dtypes])
        testing.assert_allclose(
            found, expected, tolerance * max(1, abs(expected).max()), tolerance)


def test_no_images():
    x, gy = cuda.cupy.ones((0, 4, 3, 3), 'f'), cuda.cupy.ones((0, 6, 2, 2), 'f')
    W = cuda.cupy.ones((6, 4, 2, 2), 'f')
    geometry = (1, 1), (0, 0), (1, 1), 1
    assert kernels.convolve(x, W, None, *geometry, (2, 2)).shape == (0, 6, 2, 2)
    assert kernels.convolve_transposed(gy, W, None, *geometry, (3, 3)).shape == x.shape
    gW = kernels.correlate(x, gy, (2, 2), *geometry, W.dtype)
    testing.assert_allclose(gW, np.zeros((6, 4, 2, 2)))


def test_halves_are_added_up_in_single_precision():
    ones = cuda.cupy.ones((1, 4096, 1, 1), 'e')
    window = (1, 1), (0, 0), (1, 1), 1
    y = kernels.convolve(ones, ones, None, *window, (1, 1))
    assert (float(y), y.dtype) == (4096, 'e')
    # 2048 + 1 is 2048 in half precision.
    col = np.ones((1, 1, 3, 3, 3, 3), 'e')
    col[:, :, 0, 0, 2, 2] = 2048
    img = kernels.scatter(cuda.to_gpu(col), (1, 1), (0, 0), (5, 5), (1, 1))
    assert (float(img[0, 0, 2, 2]), img.dtype) == (2056, 'e')
    # Each of three images contributes 2049.
    x, gy = cuda.cupy.full((3, 1, 8, 8), 32, 'e'), cuda.cupy.ones((3, 1, 8, 8), 'e')
    x[:, :, 0, 0] = 33
    gW = kernels.correlate(x, gy, (1, 1), *window, np.dtype('e'))
    assert (float(gW), gW.dtype) == (6148, 'e')


needs_ledger = pytest.mark.skipif(
    cuda.ndarray is not ndarray, reason='only the stand-in for CuPy counts')


def launches(f, x, W, dtype, **options):
    """Return the launches of a convolution with bias, forward and backward."""
    channels = W[0] if f in (F.convolution_2d, F.convolution_nd) else (
        W[1] * options.get('groups', 1))
    x, W, b = [chainer_fast.Variable(cuda.to_gpu(random(shape, dtype, 0)))
               for shape in (x, W, (channels,))]
    with ledger.record() as forward:
        y = f(x, W, b, **options)
    y.grad = cuda.cupy.ones_like(y.array)
    with ledger.record() as backward:
        y.backward()
    for counts in forward, backward:
        assert not counts.synchronisations and not counts.to_device
        # With groups it changes the layout of a result.
        assert 'astype' not in counts.launches or 'groups' in options
    return len(forward.launches), len(backward.launches)


@needs_ledger
@pytest.mark.parametrize('dtype', 'fed')
@pytest.mark.parametrize('f, x, W, options, budget', [
    (F.convolution_2d, (2, 4, 7, 7), (6, 4, 3, 3), {'pad': 1}, (3, 5)),
    (F.convolution_2d, (2, 4, 7, 7), (6, 4, 3, 3), {'dilate': 2, 'stride': 2}, (3, 5)),
    (F.convolution_2d, (2, 4, 7, 7), (6, 2, 3, 3), {'groups': 2}, (3, 6)),
    (F.convolution_2d, (2, 4, 7, 7), (6, 4, 1, 1), {}, (2, 4)),
    (F.convolution_nd, (2, 4, 5, 5, 5), (6, 4, 3, 3, 3), {}, (3, 5)),
    (F.deconvolution_2d, (2, 4, 7, 7), (4, 6, 3, 3), {'stride': 2}, (3, 5)),
    (F.deconvolution_2d, (2, 4, 7, 7), (4, 3, 3, 3), {'groups': 2}, (4, 6)),
    (F.deconvolution_2d, (2, 4, 7, 7), (4, 6, 1, 1), {}, (2, 4)),
    (F.deconvolution_nd, (2, 4, 7), (4, 6, 3), {}, (3, 5)),
])
def test_launches(f, x, W, options, budget, dtype):
    assert launches(f, x, W, dtype, **options) == budget


@needs_ledger
def test_images_that_are_their_own_patches_are_not_copied(monkeypatch):
    x, W = cuda.cupy.ones((2, 4, 7, 7), 'e'), cuda.cupy.ones((6, 4, 1, 1), 'e')
    multiplied = []
    multiply = _cublas.multiply
    monkeypatch.setattr(_cublas, 'multiply', lambda a, b, out: (
        multiplied.append(b.data.ptr), multiply(a, b, out)))
    with ledger.record() as counts:
        kernels.convolve(x, W, None, (1, 1), (0, 0), (1, 1), 1, (7, 7))
    assert counts.launches == ['gemmStridedBatchedEx']
    assert multiplied == [x.data.ptr]
