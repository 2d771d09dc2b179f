"""The fixture of devices, and what ``pytest -m gpu`` selects."""
import sys

import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import testing
from tests.doubles import host_cupy


def test_device(device):
    x = device.send(numpy.ones((2, 3), numpy.float32))
    assert isinstance(x, device.xp.ndarray)
    assert chainer_fast.get_device(device.name).xp is device.xp
    testing.assert_allclose(F.sum(x, axis=1).array, [3, 3])


@pytest.mark.gpu
def test_gpu_is_there(device):
    assert chainer_fast.backends.cuda.available


def test_cupy_is_not_installed_without_need(pytestconfig):
    if 'gpu' not in pytestconfig.getoption('markexpr'):
        assert getattr(sys.modules.get('cupy'), '__file__', '') is not None


def test_too_late():
    with pytest.raises(RuntimeError, match='before chainer_fast'):
        host_cupy.install()
