"""Arrays at odd addresses, and with bytes in the other order, give the same results.

It is under the sanitizer of undefined behaviour that a load which is not aligned fails,
and ``tests.odd_addresses`` has all compiled forms called with such arrays there.
"""
import numpy as np
import pytest

from chainer_fast.backends.kernels import (
    bilinear,
    crf,
    cross_entropy,
    ctc,
    negative_sampling,
    pooling,
    roi,
    sparse,
)
from tests.backends.kernels import forms
from tests.odd_addresses import moved

WINDOW = (2, 2), (2, 2), (0, 0)


def floats(*shape):
    return np.random.RandomState(len(shape)).uniform(-1, 1, shape).astype('f')


def integers(high, *shape, dtype='i'):
    return np.random.RandomState(high).randint(0, high, shape).astype(dtype)


CASES = {
    'ctc': (ctc.ctc, floats(5, 2, 4), integers(3, 2, 2), 3, np.array([5, 4], 'i'),
            np.array([2, 1], 'i'), True),
    'crf': (crf.back, floats(3, 3), floats(3, 3), [2, 1],
            *crf.forth.reference(floats(3, 3), floats(3, 3), [2, 1]), np.ones(2)),
    'resize': (bilinear.resize, floats(1, 2, 4, 4), integers(3, 3), floats(3),
               integers(3, 2), floats(2)),
    'resize_adjoint': (
        bilinear.resize_adjoint, floats(1, 2, 3, 2), integers(3, 3), floats(3),
        integers(3, 2), floats(2), 4, 4),
    'sample': (bilinear.sample, floats(1, 2, 4, 4), floats(1, 2, 3, 3)),
    'sample_adjoint': (bilinear.sample_adjoint, floats(1, 2, 4, 4), floats(1, 2, 3, 3),
                       floats(1, 2, 3, 3)),
    'sparse': (sparse.product, floats(3), integers(4, 3), integers(4, 3), 4,
               floats(4, 2)),
    'sampled': (sparse.sampled_product, floats(4, 2), integers(4, 3), integers(4, 3),
                floats(4, 2)),
    'pick': (pooling.pick, floats(1, 1, 4, 4), integers(4, 1, 1, 2, 2, dtype=np.int64),
             *WINDOW),
    'put': (pooling.put, floats(1, 1, 2, 2), integers(4, 1, 1, 2, 2), *WINDOW, (4, 4)),
    'candidates': (negative_sampling.scores, floats(2, 3), floats(4, 3),
                   integers(4, 2, 3, dtype=np.int64), None),
    'region': (roi.sample_put, floats(1, 1, 2, 2), integers(4, 1, 1, 2, 2),
               np.zeros(1, 'i'), np.array([[0., 0, 3, 3]]), (2, 2), (1, 1, 4, 4)),
    'cross_entropy': (cross_entropy.hard_losses, floats(2, 3), integers(3, 2),
                      floats(3), -1),
}


def swapped(value):
    if type(value) is np.ndarray:
        return value.astype(value.dtype.newbyteorder())
    return value


@pytest.mark.parametrize('name', CASES)
@pytest.mark.parametrize('change', [moved, swapped])
def test_results_are_the_same(name, change):
    kernel, *args = CASES[name]
    expected = list(forms.flat(kernel(*args)))
    assert kernel.compiled(*args) is not NotImplemented
    # Each array alone, so that the others do not send all to the reference.
    for i in range(len(args)):
        some = [change(arg) if j == i else arg for j, arg in enumerate(args)]
        for actual, other in zip(forms.flat(kernel(*some)), expected, strict=True):
            np.testing.assert_allclose(actual, other, 1e-6, 1e-6)
