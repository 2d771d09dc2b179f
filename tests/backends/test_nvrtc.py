"""What is said where CuPy does not find NVRTC."""
import sys
import types

import pytest

from chainer_fast.backends import _nvrtc

MISSING = 'CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12'


def broken():
    raise RuntimeError(MISSING)


@pytest.fixture
def cupy(monkeypatch, tmp_path):
    """As much of CuPy as is asked for: the version, and a loader that finds nothing."""
    cupy = types.SimpleNamespace(__version__='13.6.0', cuda=types.SimpleNamespace(
        runtime=types.SimpleNamespace(is_hip=False),
        nvrtc=types.SimpleNamespace(getVersion=broken)))
    monkeypatch.setattr(_nvrtc, 'cupy', cupy)
    monkeypatch.setattr(_nvrtc, 'cupy_distributions', lambda: ['cupy-cuda13x'])
    monkeypatch.setattr(sys, 'path', [str(tmp_path)])
    _nvrtc.check.cache_clear()
    yield cupy
    _nvrtc.check.cache_clear()


def install(folder, name, *files):
    library = folder / 'nvidia' / name / 'lib'
    library.mkdir(parents=True)
    for file in files:
        (library / file).touch()
    return str(library)


def test_found(cupy):
    cupy.cuda.nvrtc.getVersion = lambda: (12, 9)
    _nvrtc.check()


def test_rocm_has_its_own_compiler(cupy):
    cupy.cuda.runtime.is_hip = True
    _nvrtc.check()


def test_library_path_for_wheels_beside_cupy_13(cupy, tmp_path):
    blas = install(tmp_path, 'cublas', 'libcublas.so.12')
    nvrtc = install(tmp_path, 'cuda_nvrtc', 'libnvrtc.so.12')
    with pytest.raises(RuntimeError) as e:
        _nvrtc.check()
    assert str(e.value) == (
        'no kernel can be compiled, since CuPy 13.6.0 does not find NVRTC (%s): '
        'export LD_LIBRARY_PATH=%s:%s' % (MISSING, blas, nvrtc))


def test_cupy_13_without_wheels(cupy, tmp_path):
    install(tmp_path, 'cublas', 'libcublas.so.12')
    with pytest.raises(RuntimeError, match=r"pip install 'cupy-cuda13x\[ctk\]>=14'$"):
        _nvrtc.check()


def test_cupy_14_installs_its_libraries(cupy, tmp_path):
    install(tmp_path, 'cuda_nvrtc', 'libnvrtc.so.12')
    cupy.__version__ = '14.2.0'
    with pytest.raises(RuntimeError, match=r"pip install 'cupy-cuda13x\[ctk\]'$"):
        _nvrtc.check()


def test_kernels_need_it(gpus, monkeypatch):
    def check():
        raise RuntimeError('no NVRTC')

    monkeypatch.setattr(gpus._nvrtc, 'check', check)
    with pytest.raises(RuntimeError, match='no NVRTC'):
        gpus.cuda.raw('', 'f')
