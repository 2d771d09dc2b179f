"""Kernels of linear algebra."""
import numpy as np
import pytest

from chainer_fast.backends.kernels import linalg
from tests.compare import assert_allclose

SINGULAR = np.ones((2, 2), 'f')


@pytest.mark.parametrize('check', [False, True])
def test_inverse(device, check):
    x = np.array([[[2, 1], [1, 1]], [[0, 1], [2, 0]]], 'f')
    y = linalg.inverse(device.send(x), check)
    assert_allclose(y, linalg.inverse.reference(x, check), rtol=1e-6)


@pytest.mark.parametrize('check', [False, True])
def test_no_inverse_in_host_memory(check):
    with pytest.raises(np.linalg.LinAlgError):
        linalg.inverse(SINGULAR, check)


@pytest.mark.gpu
def test_no_inverse_on_a_gpu(device):
    x = device.send(SINGULAR)
    assert not np.isfinite(linalg.inverse(x, False).get()).all()
    with pytest.raises(np.linalg.LinAlgError):
        linalg.inverse(x, True)
    with pytest.raises(np.linalg.LinAlgError):
        linalg.inverse(device.send(np.stack([np.eye(2, dtype='f'), SINGULAR])), True)
