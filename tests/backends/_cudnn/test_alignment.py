"""Operands at every address that an element may have: cuDNN gets aligned ones."""
import numpy as np
import pytest

from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends._cudnn import batch_normalization, convolution
from chainer_fast.backends.kernels import convolution as convolutions
from chainer_fast.backends.kernels import normalization
from tests.card.programs import TOLERANCES, difference, misaligned, send
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu

OFFSETS = [(dtype, n) for dtype, count in (('f', 4), ('e', 8)) for n in range(count)]


def draw(*shapes_and_dtypes):
    random = np.random.RandomState(0)
    return [random.uniform(.5, 2, shape).astype(dtype)
            for shape, dtype in shapes_and_dtypes]


def at(array, offset, last=False):
    """Send an array to so many elements after an aligned address."""
    if not last:
        return send(array, offset)
    order = (0, *range(2, array.ndim), 1)
    return send(array.transpose(order), offset).transpose(np.argsort(order))


def check(form, reference, arrays, arguments, which, offset, last, frontend):
    """Compare with the reference, one argument or all being at an offset."""
    expected = reference(*arrays, *arguments)
    offsets = [offset if which in (i, 'all') else 0 for i in range(len(arrays))]
    sent = [at(a, n, last and a.ndim > 2)
            for a, n in zip(arrays, offsets, strict=True)]
    assert [a.data.ptr % 16 for a in sent] == [
        n * a.itemsize % 16 for a, n in zip(arrays, offsets, strict=True)]
    with ledger.record() as record:
        found = form(*sent, *arguments)
    assert len(frontend.ran) == 1
    assert len(record.launches) == 1 + sum([
        n * a.itemsize % 16 > 0 for a, n in zip(arrays, offsets, strict=True)])
    if not isinstance(expected, tuple):
        found, expected = [found], [expected]
    difference(found, expected, TOLERANCES[arrays[0].dtype.name])


@pytest.mark.parametrize('dtype, offset', OFFSETS)
@pytest.mark.parametrize('last', [False, True])
@pytest.mark.parametrize('which', [0, 1, 2, 'all'])
def test_convolution(frontend, dtype, offset, last, which):
    arrays = draw(((2, 3, 5, 4), dtype), ((6, 3, 3, 3), dtype), ((6,), dtype))
    check(convolution.convolve, convolutions.convolve.reference, arrays,
          ((1, 1), (1, 1), (1, 1), 1, (5, 4)), which, offset, last, frontend)


@pytest.mark.parametrize('dtype, offset', OFFSETS)
@pytest.mark.parametrize('last', [False, True])
@pytest.mark.parametrize('which', [0, 1, 'all'])
@pytest.mark.parametrize('gradient', ['images', 'filters'])
def test_gradients_of_a_convolution(frontend, dtype, offset, last, which, gradient):
    x, W, gy = draw(
        ((2, 3, 5, 4), dtype), ((6, 3, 3, 3), dtype), ((2, 6, 5, 4), dtype))
    window = (1, 1), (1, 1), (1, 1), 1
    if gradient == 'images':
        check(convolution.convolve_transposed,
              convolutions.convolve_transposed.reference, (gy, W),
              (None, *window, (5, 4)), which, offset, last, frontend)
    else:
        check(convolution.correlate, convolutions.correlate.reference, (x, gy),
              ((3, 3), *window, np.dtype(dtype)), which, offset, last, frontend)


def of_batches(dtype):
    return draw(((4, 3, 5, 3), dtype), ((3,), 'f'), ((3,), 'f'), ((4, 3, 5, 3), dtype))


@pytest.mark.parametrize('dtype, offset', OFFSETS)
@pytest.mark.parametrize('last', [False, True])
@pytest.mark.parametrize('which', [0, 1, 2, 'all'])
def test_batch_normalization(frontend, dtype, offset, last, which):
    x, gamma, beta, _ = of_batches(dtype)
    batch_normalization._zeros(3)
    check(batch_normalization.batch_forward, normalization.batch_forward.reference,
          (x, gamma, beta), ((0, 2, 3), 1e-3), which, offset, last, frontend)


@pytest.mark.parametrize('dtype, offset', OFFSETS)
@pytest.mark.parametrize('last', [False, True])
@pytest.mark.parametrize('which', [0, 1, 2, 3, 4, 'all'])
def test_gradients_of_a_batch_normalization(frontend, dtype, offset, last, which):
    x, gamma, _, gy = of_batches(dtype)
    mean = x.mean((0, 2, 3), dtype='f')
    inv_std = 1 / np.sqrt(x.var((0, 2, 3), dtype='f') + np.float32(1e-3))
    check(batch_normalization.batch_backward, normalization.batch_backward.reference,
          (x, gamma, gy, mean, inv_std), ((0, 2, 3), False), which, offset, last,
          frontend)


@pytest.mark.parametrize('name', misaligned.cases(True))
def test_programs_of_cards(frontend, name):
    """Parts of arrays, pieces of batches, and gradients of joined arrays."""
    misaligned.cases(True)[name]()
    assert frontend.ran


def test_addresses_that_graphs_are_not_promised(frontend, monkeypatch):
    monkeypatch.setattr(_image_orders, 'aligned', lambda x: x)
    x, W = [send(a, 1) for a in draw(((1, 2, 4, 4), 'f'), ((3, 2, 1, 1), 'f'))]
    with pytest.raises(RuntimeError, match='MISALIGNED'):
        convolution.convolve(x, W, None, (1, 1), (0, 0), (1, 1), 1, (4, 4))
    assert cuda.cupy.empty(5, 'f').data.ptr % 16 == 0
