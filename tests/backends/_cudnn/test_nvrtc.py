"""NVRTC, without which some versions of cuDNN have no batch normalization."""
import ctypes
import re
import warnings

import numpy as np
import pytest

from chainer_fast.backends import cuda
from chainer_fast.backends._cudnn import nvrtc
from chainer_fast.backends.kernels import normalization as kernels

pytestmark = pytest.mark.gpu


def normalize(count):
    x = cuda.to_gpu(np.random.RandomState(count).rand(count, 2, 4, 4).astype('f'))
    one = cuda.cupy.ones(2, 'f')
    return kernels.batch_forward(x, one, one, (0, 2, 3), .1)[0]


def test_a_warning_where_it_is_missing(frontend, monkeypatch):
    frontend.refused = {'batchnorm'}
    monkeypatch.setattr(nvrtc, 'is_found', lambda: False)
    message = 'batch normalization here, and finds no NVRTC .*: (pip install|export)'
    with pytest.warns(UserWarning, match=message):
        assert abs(float(normalize(4).mean()) - 1) < 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        normalize(5)                        # once is enough


@pytest.mark.parametrize('refused, is_found', [(set(), False), ({'batchnorm'}, True)])
def test_no_warning_where_it_is_not_to_blame(frontend, monkeypatch, refused, is_found):
    frontend.refused = refused
    monkeypatch.setattr(nvrtc, 'is_found', lambda: is_found)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        normalize(4)


@pytest.mark.parametrize('is_there', [True, False])
def test_cupy_loads_it_first(monkeypatch, is_there):
    """cuDNN finds a library that is loaded, wherever CuPy found it."""
    order = []

    def load(name):
        assert re.fullmatch(r'libnvrtc\.so\.\d\d|nvrtc64_\d\d0_0\.dll', name)
        order.append('cuDNN')
        if not is_there:
            raise OSError(name)
    monkeypatch.setattr(cuda.cupy.cuda.nvrtc, 'getVersion',
                        lambda: order.append('CuPy'))
    monkeypatch.setattr(ctypes, 'CDLL', load)
    assert nvrtc.is_found.__wrapped__() is is_there
    assert order == ['CuPy', 'cuDNN']
