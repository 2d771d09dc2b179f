import numpy as np
import pytest

from chainer_fast import initializers
from tests import compare

Up = initializers.UpsamplingDeconvFilter
Down = initializers.DownsamplingConvFilter


@pytest.mark.parametrize('size, kernel', [
    (1, [1]), (2, [.5, .5]), (3, [.5, 1, .5]), (4, [.25, .75, .75, .25]),
    (5, [1 / 3, 2 / 3, 1, 2 / 3, 1 / 3])])
@pytest.mark.parametrize('ndim', [1, 2, 3])
@pytest.mark.parametrize('cls', [Up, Down])
def test_kernel(device, size, kernel, ndim, cls):
    kernel = np.array(kernel, float)
    if cls is Down:
        kernel /= kernel.sum()
    expected = kernel
    for _ in range(ndim - 1):
        expected = np.multiply.outer(expected, kernel)
    array = device.send(np.full((2, 2) + (size,) * ndim, 9.))
    cls()(array)
    for i in range(2):
        compare.assert_allclose(array[i, i], expected, rtol=1e-15)
        compare.assert_array_equal(array[i, 1 - i], 0)


@pytest.mark.parametrize('cls', [Up, Down])
def test_single_input_channel(device, cls):
    array = device.send(np.empty((3, 1, 4, 4), 'f'))
    cls()(array)
    full = device.send(np.empty((1, 1, 4, 4), 'f'))
    cls()(full)
    compare.assert_array_equal(array, np.broadcast_to(full, array.shape))


@pytest.mark.parametrize('cls', [Up, Down])
def test_errors(device, cls):
    with pytest.raises(ValueError, match='cubic'):
        cls('cubic')
    with pytest.raises(AssertionError, match='channel'):
        cls()(device.send(np.empty((3, 2, 3, 3))))
    with pytest.raises(ValueError, match='square'):
        cls()(device.send(np.empty((2, 2, 3, 4))))
    with pytest.raises(ValueError, match=r'\(2, 2\)'):
        cls()(device.send(np.empty((2, 2))))
    with pytest.raises(AssertionError, match='float64'):
        cls(dtype='f')(device.send(np.empty((2, 2, 3))))
