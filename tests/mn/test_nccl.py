"""Names of NCCL, with CuPy and without."""
import sys
import types

import numpy as np
import pytest

from chainer_fast.backends import cuda
from chainer_fast.mn import communicators, nccl


@pytest.fixture
def no_cupy(monkeypatch):
    monkeypatch.setattr(cuda, 'available', False)


def test_without_cupy(no_cupy):
    assert nccl._available is False
    with pytest.raises(AttributeError, match=r"no attribute 'get_build_version': CuPy"):
        nccl.get_build_version()
    assert not hasattr(nccl, '__path__')


@pytest.mark.parametrize('name', ['pure_nccl', 'non_cuda_aware'])
def test_communicators_without_cupy(no_cupy, name):
    from mpi4py import MPI
    with pytest.raises(RuntimeError, match='needs NCCL 2 or newer, but CuPy is not'):
        communicators.create_communicator(name, MPI.COMM_WORLD)


@pytest.mark.gpu
def test_names_of_cupy():
    assert nccl._available is True
    assert nccl.get_build_version() >= 2000
    assert nccl.NCCL_SUM == 0
    with pytest.raises(AttributeError):
        nccl.no_such_name  # noqa: B018


@pytest.mark.gpu
@pytest.mark.parametrize('module,message', [
    (types.SimpleNamespace(available=False), 'but CuPy does not find it'),
    (None, 'but CuPy does not find it'),
    (types.SimpleNamespace(get_version=lambda: 1800), 'but found 1800')])
def test_without_nccl(monkeypatch, module, message):
    monkeypatch.setitem(sys.modules, 'cupy.cuda.nccl', module)
    with pytest.raises(RuntimeError, match='A needs NCCL 2 or newer, ' + message):
        nccl._get_version('A')


@pytest.mark.gpu
@pytest.mark.parametrize('name', ['float16', 'float32', 'float64'])
def test_numbers_of_dtypes(name):
    number = getattr(nccl, 'NCCL_' + name.upper())
    for dtype in name, np.dtype(name), getattr(np, name):
        assert nccl._get_nccl_type_id(dtype) == number


@pytest.mark.parametrize('dtype', [np.int32, 'complex64', None, 'strange'])
def test_dtypes_without_number(dtype):
    with pytest.raises(ValueError, match='must be float16, float32 or float64, got'):
        nccl._get_nccl_type_id(dtype)
