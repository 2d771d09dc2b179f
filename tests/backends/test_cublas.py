"""Calls of cuBLAS that the package makes itself."""
import types

import numpy
import pytest

from chainer_fast.backends import _cublas, cuda
from chainer_fast.graph_optimizations._gpu.recorder import Recorder

pytestmark = pytest.mark.gpu

MIB = 1 << 20


@pytest.mark.parametrize('capability, size', [
    ('70', 4), ('75', 4), ('80', 4), ('89', 4), ('90', 32), ('100', 32), ('103', 32),
    ('120', 12)])
def test_workspace_by_the_card(monkeypatch, capability, size):
    monkeypatch.delenv('CUBLAS_WORKSPACE_CONFIG', raising=False)
    monkeypatch.setattr(cuda.cupy.cuda, 'Device', lambda: types.SimpleNamespace(
        compute_capability=capability))
    assert _cublas.workspace_size() == size * MIB


@pytest.mark.parametrize('config, size', [
    (':4096:8', 32 * MIB), (':16:8', 128 << 10),
    (':4096:2:16:8', 8 * MIB + (128 << 10)),
    ('', 32 * MIB), (':0:0', 32 * MIB), ('4096', 32 * MIB)])
def test_workspace_of_the_environment(monkeypatch, config, size):
    monkeypatch.setattr(cuda.cupy.cuda, 'Device', lambda: types.SimpleNamespace(
        compute_capability='90'))
    monkeypatch.setenv('CUBLAS_WORKSPACE_CONFIG', config)
    assert _cublas.workspace_size() == size


def test_graphs_get_the_workspace(monkeypatch):
    from tests.doubles.host_cupy import array, cublas_library
    if cuda.ndarray is not array.ndarray:
        pytest.skip('the real cuBLAS does not tell')
    sizes = []

    class Workspaces(dict):

        def __setitem__(self, handle, value):
            sizes.append(value and value[1])
            super().__setitem__(handle, value)
    monkeypatch.setattr(cublas_library, '_workspaces', Workspaces())
    a = cuda.cupy.arange(12, dtype='f').reshape(2, 2, 3)
    recorder = Recorder()
    recorded, y = recorder.record(lambda: _cublas.product(a, a.swapaxes(1, 2)))
    recorded.launch()
    numpy.testing.assert_array_equal(
        y.get(), a.get() @ a.get().swapaxes(1, 2))
    assert [size for size in sizes if size] == [32 * MIB]


def test_sizes_that_cublas_has_no_room_for(monkeypatch):
    """Outside of graphs CuPy raises the same error."""
    called = []
    monkeypatch.setattr(_cublas, '_load', lambda: types.SimpleNamespace(
        cublasSetStream_v2=lambda *args: 0, cublasSetWorkspace_v2=lambda *args: 0,
        cublasGemmStridedBatchedEx=lambda *args: called.append(args) or 0))
    most = 2 ** 31 - 1
    arguments = [1, 0, 0, 2, 2, 2, 0, 0, 0, 2, 4, 0, 0, 2, 4, 0, 0, 0, 2, 4, 1, 68, -1]
    # Strides of batches may be larger.
    _cublas._gemm_of_graph(*arguments[:10], most + 1, *arguments[11:])
    assert called[0][10].value == most + 1
    for place in (3, 4, 5, 9, 13, 18, 20):
        for value in (most + 1, 2 ** 32, -most - 2):
            with pytest.raises(OverflowError, match=r'2\*\*31 - 1, found %d' % value):
                _cublas._gemm_of_graph(
                    *arguments[:place], value, *arguments[place + 1:])
    assert len(called) == 1
