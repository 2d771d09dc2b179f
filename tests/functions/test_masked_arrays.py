"""Functions of masked arrays, which data sets hold: the array counts, not the mask."""

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast.variable import Variable
from tests import compare

pytestmark = pytest.mark.host


def draw(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype('f')


@pytest.mark.parametrize('f, shapes', [
    (lambda x, W: F.convolution_2d(x, W), [(2, 3, 4, 4), (2, 3, 2, 2)]),
    (lambda x, W: F.convolution_2d(x, W, groups=2), [(2, 4, 4, 4), (2, 2, 2, 2)]),
    (lambda x, W: F.convolution_1d(x, W, stride=2), [(2, 3, 5), (2, 3, 2)]),
    (lambda x, W: F.deconvolution_2d(x, W), [(2, 3, 4, 4), (3, 2, 2, 2)]),
    (lambda x, W: F.dilated_convolution_2d(x, W, dilate=2),
     [(2, 3, 4, 4), (2, 3, 2, 2)]),
    (F.bilinear, [(2, 3), (2, 4), (3, 4, 2)]),
    (F.linear, [(2, 3), (4, 3)]),
    (F.matmul, [(2, 3), (3, 4)]),
    (lambda x, W: F.simplified_dropconnect(
        x, W, mask=np.arange(12).reshape(4, 3) % 3 > 0, use_batchwise_mask=False),
     [(2, 3), (4, 3)]),
])
def test_products(f, shapes):
    arrays = [draw(*shape) for shape in shapes]

    def outcome(arrays):
        xs = [Variable(x) for x in arrays]
        y = f(*xs)
        y.grad = np.ones(y.shape, y.dtype)
        y.backward()
        return [y.array, *[x.grad for x in xs]]

    expected = outcome(arrays)
    for number in range(len(arrays)):
        masked = list(arrays)
        masked[number] = np.ma.masked_array(
            arrays[number], np.zeros(shapes[number], bool))
        for found, each in zip(outcome(masked), expected, strict=True):
            compare.assert_allclose(np.asarray(found), each, 1e-5, 1e-5)
