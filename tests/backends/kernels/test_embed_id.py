"""Rows of matrices: forms for the GPU against the reference."""
import numpy as np
import pytest

from chainer_fast.backends.kernels import embed_id as kernels
from tests.backends.kernels import forms

pytestmark = pytest.mark.gpu


@pytest.mark.filterwarnings('ignore:x.* is treated as row:UserWarning')
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('ignore', [None, -1, 2])
@pytest.mark.parametrize('shape', [(7,), (2, 3), (0,)])
def test_device_forms(device, dtype, ignore, shape):
    rng = np.random.RandomState(0)
    ids = rng.randint(-3, 4, shape).astype('i')
    W = rng.uniform(-1, 1, (4, 5)).astype(dtype)
    gy = rng.uniform(-1, 1, (*shape, 5)).astype(dtype)
    for each in forms.layouts(W):
        forms.check(kernels.look_up, ids, each, ignore)
    for each in forms.layouts(gy):
        forms.check(kernels.add_rows, ids, each, W.shape, ignore)


@pytest.mark.parametrize('dtype', 'efd')
def test_device_forms_of_elements(device, dtype):
    rng = np.random.RandomState(0)
    t = rng.randint(-5, 5, 7).astype('i')
    x = rng.uniform(-1, 1, (7, 5)).astype(dtype)
    for each in forms.layouts(x):
        forms.check(kernels.select, each, t)
        forms.check(kernels.place, each[:, 0], t, 5)


def test_half_floats_are_summed_in_single_precision(device):
    gy = device.send(np.ones((4096, 1), 'e'))
    out = kernels.add_rows(
        device.send(np.zeros(4096, 'i')), gy, (2, 1), None)
    assert (out.dtype, out[:, 0].tolist()) == (np.float16, [4096, 0])
