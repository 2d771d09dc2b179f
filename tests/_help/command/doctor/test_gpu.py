"""Checks of GPUs, on stand-ins for the driver and for CuPy."""
import sys
import types

import numpy
import pytest

from chainer_fast._help import installation
from chainer_fast._help.command import doctor
from chainer_fast._help.command.doctor import gpu
from chainer_fast._help.command.doctor.finding import BROKEN, MISSING, WORKS, NotThere


class Driver:
    """As much of libcuda as is asked for, with one GPU.

    Functions write through pointers and return the number of an error, as in C; it
    cannot know whether the prototypes are right.
    """

    version = 12090
    error = 0

    def cuDriverGetVersion(self, version):
        version._obj.value = self.version
        return 0

    def cuInit(self, flags):
        return self.error

    def cuDeviceGetCount(self, count):
        count._obj.value = 1
        return 0

    def cuDeviceGet(self, device, number):
        device._obj.value = 70 + number
        return 0

    def cuDeviceGetName(self, name, size, device):
        name.value = b'NVIDIA H200'[:size - 1]
        return 0

    def cuDeviceTotalMem_v2(self, size, device):
        size._obj.value = 139 << 30
        return 0

    def cuDeviceGetAttribute(self, value, attribute, device):
        value._obj.value = {75: 9, 76: 0}[attribute]
        return 0


class Program:
    compiled = False


class NVRTC:
    """As much of CuPy's NVRTC as is asked for."""

    def getVersion(self):
        return 12, 9

    def createProgram(self, source, name, headers, include_names):
        assert isinstance(source, str) and isinstance(name, str)
        return Program()

    def compileProgram(self, program, options):
        program.compiled = True

    def destroyProgram(self, program):
        assert program.compiled


class CUDA(types.ModuleType):
    """CuPy's module of that name, where some libraries cannot be loaded."""

    missing = ()

    def __getattr__(self, name):
        if name in self.missing:
            raise ImportError('lib%s.so.12: cannot open shared object file' % name)
        if name in ('cublas', 'curand', 'cusolver'):
            return object()
        raise AttributeError(name)


@pytest.fixture
def driver(monkeypatch):
    driver = Driver()
    monkeypatch.setattr(gpu, 'load_cuda_driver', lambda: driver)
    return driver


@pytest.fixture
def no_driver(monkeypatch):
    def load():
        raise OSError('libcuda.so.1: cannot open shared object file')
    monkeypatch.setattr(gpu, 'load_cuda_driver', load)


@pytest.fixture
def installed(monkeypatch):
    """The names under which CuPy is installed."""
    installed = ['cupy-cuda12x']
    monkeypatch.setattr(gpu._nvrtc, 'cupy_distributions', lambda: installed)
    return installed


@pytest.fixture
def cupy(monkeypatch, installed):
    cupy = types.ModuleType('cupy')
    cupy.__version__ = '14.2.0'
    cupy.arange = numpy.arange
    cupy.cuda = CUDA('cupy.cuda')
    cupy.cuda.runtime = types.SimpleNamespace(
        is_hip=False, runtimeGetVersion=lambda: 12090)
    cupy.cuda.nvrtc = NVRTC()
    monkeypatch.setitem(sys.modules, 'cupy', cupy)
    monkeypatch.setitem(sys.modules, 'cupy.cuda', cupy.cuda)
    return cupy


@pytest.fixture
def no_cupy(monkeypatch, installed):
    installed.clear()
    monkeypatch.setitem(sys.modules, 'cupy', None)


def test_driver(driver):
    assert gpu.check_driver() == (WORKS, 'supports CUDA up to 12.9', '')


def test_gpus(driver):
    assert gpu.check_gpus() == (WORKS, '@cupy:0 is NVIDIA H200, 139 GiB, sm_90', '')


@pytest.mark.parametrize('error, seen', [
    (100, 'the driver sees no GPU (cuInit: error 100)'),
    (803, 'the library and the kernel module of the driver have different versions '
          '(cuInit: '
          'error 803)'),
    (12, 'the driver fails (cuInit: error 12)')])
def test_errors_of_the_driver(driver, error, seen):
    driver.error = error
    state, said, remedy = gpu.check_gpus()
    assert (state, said) == (BROKEN, seen)
    assert remedy


def test_without_a_driver(no_driver, cupy):
    found = doctor.examine()
    assert found['CUDA driver'].state == MISSING
    assert '--gpus all' in found['CUDA driver'].remedy
    assert found['CuPy'] == (WORKS, '14.2.0 (cupy-cuda12x), made for CUDA 12.9', '')
    for part in 'GPUs', 'GPU arithmetic':
        assert found[part] == (MISSING, 'needs the CUDA driver', '')


@pytest.mark.parametrize('version, suitable', [
    (12090, 'cupy-cuda12x'), (13000, 'cupy-cuda13x'), (13020, 'cupy-cuda13x')])
def test_without_cupy(driver, no_cupy, version, suitable):
    driver.version = version
    found = doctor.examine()
    assert found['CuPy'] == (
        MISSING, 'not installed', "pip install '%s[ctk]'" % suitable)
    for part in 'NVRTC', 'CUDA libraries', 'GPU arithmetic', 'NCCL':
        assert found[part] == (MISSING, 'needs CuPy', '')


def test_several_cupys(driver, cupy, installed):
    installed[:] = ['cupy', 'cupy-cuda12x']
    assert gpu.check_cupy() == (
        BROKEN, 'these packages overwrite each other: cupy, cupy-cuda12x',
        "pip uninstall cupy cupy-cuda12x, then pip install 'cupy-cuda12x[ctk]'")


def test_broken_cupy(driver, installed, monkeypatch, tmp_path):
    (tmp_path / 'cupy.py').write_text('raise ImportError("libcudart.so.12")\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, 'cupy', raising=False)
    found = doctor.examine()['CuPy']
    assert found.state == BROKEN
    assert 'libcudart.so.12' in found.seen


@pytest.mark.parametrize('version', ['12.3.0', '15.0.0'])
def test_unsuitable_cupy(driver, cupy, version):
    cupy.__version__ = version
    state, seen, remedy = gpu.check_cupy()
    assert state == BROKEN
    assert version in seen
    assert remedy == "pip install 'cupy-cuda12x>=13.0,<15.0'"


def test_driver_too_old_for_cupy(driver, cupy):
    driver.version = 11080
    state, seen, remedy = gpu.check_cupy()
    assert state == BROKEN
    assert seen.endswith('made for CUDA 12.9, but the driver supports CUDA up to 11.8')
    assert remedy


def test_nvrtc(cupy):
    state, seen, _ = gpu.check_nvrtc()
    assert state == WORKS
    assert seen.startswith('12.9 compiles')


def test_nvrtc_is_not_found(cupy):
    def fail():
        raise RuntimeError('CuPy failed to load libnvrtc.so.12')
    cupy.cuda.nvrtc.getVersion = fail
    assert gpu.check_nvrtc() == (
        BROKEN, 'CuPy failed to load libnvrtc.so.12', "pip install 'cupy-cuda12x[ctk]'")


def test_nvrtc_does_not_compile(driver, cupy):
    def fail(program, options):
        raise RuntimeError('NVRTC_ERROR_COMPILATION')
    cupy.cuda.nvrtc.compileProgram = fail
    found = doctor.examine()['NVRTC']
    assert found[:2] == (BROKEN, 'RuntimeError: NVRTC_ERROR_COMPILATION')


def test_cuda_libraries(cupy):
    assert gpu.check_cuda_libraries().state == WORKS
    cupy.cuda.missing = ('curand',)
    assert gpu.check_cuda_libraries() == (
        BROKEN, 'libcurand.so.12: cannot open shared object file',
        "pip install 'cupy-cuda12x[ctk]'")


def test_arithmetic(driver, cupy):
    assert gpu.check_arithmetic().state == WORKS
    cupy.arange = lambda n, dtype: numpy.ones(n, dtype)
    assert gpu.check_arithmetic().state == BROKEN


# cuDNN and NCCL
#

@pytest.fixture
def cudnn(monkeypatch):
    cudnn = types.SimpleNamespace(__version__='1.28.0', backend_version=lambda: 91301)
    monkeypatch.setitem(sys.modules, 'cudnn', cudnn)
    return cudnn


def test_cudnn(cudnn):
    assert gpu.check_cudnn() == (
        WORKS, 'nvidia-cudnn-frontend 1.28.0, cuDNN 9.13.1', '')


@pytest.mark.parametrize('package, library', [
    ('cupy-cuda12x', 'nvidia-cudnn-cu12'), ('cupy-cuda13x', 'nvidia-cudnn-cu13')])
def test_cudnn_without_library(cudnn, driver, installed, package, library):
    def fail():
        raise RuntimeError('Unable to find symbol cudnnGetVersion')
    cudnn.backend_version = fail
    driver.version = 13000  # what counts is the CUDA for which CuPy was made
    installed[:] = [package]
    state, seen, remedy = gpu.check_cudnn()
    assert state == BROKEN
    assert seen.endswith('(Unable to find symbol cudnnGetVersion)')
    assert remedy == 'pip install ' + library


def test_without_cudnn(driver, no_cupy, monkeypatch):
    monkeypatch.setitem(sys.modules, 'cudnn', None)
    with pytest.raises(NotThere) as e:
        gpu.check_cudnn()
    assert e.value.args == (
        'nvidia-cudnn-frontend is not installed',
        installation.install('cudnn', 'nvidia-cudnn-cu12'))


@pytest.mark.parametrize('available', [True, False])
def test_nccl(cupy, monkeypatch, available):
    monkeypatch.setitem(sys.modules, 'cupy.cuda.nccl', types.SimpleNamespace(
        available=available, get_version=lambda: 22703))
    state, seen, _ = gpu.check_nccl()
    assert state == (WORKS if available else MISSING)
    assert not available or seen == '22703'
