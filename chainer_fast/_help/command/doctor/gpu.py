"""Checks of GPUs, which call the driver directly where CuPy is not needed."""
import ctypes
import importlib

import numpy

from chainer_fast import _environment_check, _version
from chainer_fast._help import installation
from chainer_fast._help.command.doctor.finding import (
    BROKEN,
    MISSING,
    WORKS,
    Finding,
    NotThere,
    import_or_end,
)
from chainer_fast.backends import _nvrtc
from chainer_fast.backends._cupy import load_cuda_driver


def _dotted(number):
    """Return a version of CUDA, given as an integer such as 12090, as text."""
    return '%d.%d' % (number // 1000, number % 1000 // 10)


def _driver():
    """Return the library of the driver, or end the check if there is none."""
    try:
        return load_cuda_driver()
    except OSError:
        raise NotThere('needs the CUDA driver')


def _driver_version():
    """Return the highest version of CUDA that the driver supports; 0 without one."""
    version = ctypes.c_int()
    try:
        load_cuda_driver().cuDriverGetVersion(ctypes.byref(version))
    except OSError:
        return 0
    return version.value


def _major():
    """Return the major version of CUDA that packages should be made for."""
    installed = _nvrtc.cupy_distributions()
    for major in 12, 13:
        if 'cupy-cuda%dx' % major in installed:
            return major
    return 13 if _driver_version() >= 13000 else 12


def check_driver():
    try:
        load_cuda_driver()
    except OSError as e:
        return Finding(MISSING, str(e), "install NVIDIA's driver (https://www.nvidia.com"
                       '/drivers); start a container with --gpus all')
    return Finding(WORKS, 'supports CUDA up to ' + _dotted(_driver_version()))


# What the driver's errors mean, by their numbers.
_DRIVER_ERRORS = {
    100: ('the driver sees no GPU',
          'nvidia-smi lists GPUs; check whether CUDA_VISIBLE_DEVICES is empty'),
    802: ('the GPUs are not ready yet', 'systemctl start nvidia-fabricmanager'),
    803: ('the library and the kernel module of the driver have different versions',
          'restart the machine to load the kernel module of the installed driver'),
    999: ('unknown error of the driver', 'nvidia-smi; restart the machine'),
}


def check_gpus():
    driver = _driver()

    def call(name, *args):
        error = getattr(driver, name)(*args)
        if error:
            raise _DriverError(error, name)

    def number(name, *args):
        value = ctypes.c_int()
        call(name, ctypes.byref(value), *args)
        return value.value

    try:
        call('cuInit', 0)
        cards = []
        for i in range(number('cuDeviceGetCount')):
            device, name = number('cuDeviceGet', i), ctypes.create_string_buffer(100)
            memory = ctypes.c_size_t()
            call('cuDeviceGetName', name, len(name), device)
            call('cuDeviceTotalMem_v2', ctypes.byref(memory), device)
            # 75 and 76 are the attributes with the compute capability.
            cards.append('@cupy:%d is %s, %.0f GiB, sm_%d%d' % (
                i, name.value.decode(), memory.value / 2 ** 30,
                *[number('cuDeviceGetAttribute', a, device) for a in (75, 76)]))
    except _DriverError as e:
        error, name = e.args
        meaning, remedy = _DRIVER_ERRORS.get(error, ('the driver fails', 'nvidia-smi'))
        return Finding(BROKEN, '%s (%s: error %d)' % (meaning, name, error), remedy)
    return Finding(WORKS, '; '.join(cards))


class _DriverError(Exception):
    """A function of the driver returned an error."""


def _cupy():
    """Return CuPy, or end the check if it is not installed."""
    return import_or_end('cupy', 'needs CuPy')


def check_cupy():
    suitable = "pip install 'cupy-cuda%dx[ctk]'" % _major()
    installed = _nvrtc.cupy_distributions()
    if len(installed) > 1:
        return Finding(
            BROKEN, 'these packages overwrite each other: ' + ', '.join(installed),
            'pip uninstall %s, then %s' % (' '.join(installed), suitable))
    cupy = import_or_end('cupy', 'not installed', suitable)
    seen = '%s (%s)' % (cupy.__version__, ', '.join(installed) or 'not from pip')
    bounds = _version._optional_dependencies[0]['specifier']
    if not _environment_check._satisfies(cupy.__version__, bounds):
        return Finding(BROKEN, '%s, which is not %s' % (seen, bounds),
                       "pip install '%s%s'" % ((installed or ['cupy'])[0], bounds))
    if not cupy.cuda.runtime.is_hip:
        made_for = cupy.cuda.runtime.runtimeGetVersion()
        seen += ', made for CUDA ' + _dotted(made_for)
        highest = _driver_version()
        if 0 < highest // 1000 < made_for // 1000:
            return Finding(BROKEN, '%s, but the driver supports CUDA up to %s' % (
                seen, _dotted(highest)),
                'install a newer driver, or CuPy for an older CUDA')
    return Finding(WORKS, seen)


def check_nvrtc():
    cupy = _cupy()
    nvrtc = cupy.cuda.nvrtc
    try:
        version = nvrtc.getVersion()
    except Exception as e:
        return Finding(BROKEN, str(e), _nvrtc.advice(cupy.__version__))
    program = nvrtc.createProgram(
        'extern "C" __global__ void f(float* x) { x[threadIdx.x] = 1.f; }', 'f.cu',
        (), ())
    nvrtc.compileProgram(program, ())
    nvrtc.destroyProgram(program)
    return Finding(WORKS, '%d.%d compiles, %s' % (*version, _place('libnvrtc.so')))


def _place(library):
    """Return the path from which a library was loaded, if reported."""
    try:
        with open('/proc/self/maps', encoding='utf-8', errors='replace') as f:
            return next(line.split()[-1] for line in f if library in line)
    except (OSError, StopIteration):
        return 'path unknown'


def check_cuda_libraries():
    cupy = _cupy()
    names = ['cublas', 'curand', 'cusolver']
    for name in names:
        try:
            getattr(cupy.cuda, name)
        except ImportError as e:
            remedy = _nvrtc.advice(cupy.__version__, 'lib' + name)
            return Finding(BROKEN, str(e), remedy)
    return Finding(WORKS, ', '.join(names))


def check_arithmetic():
    cupy = _cupy()
    _driver()
    x = cupy.arange(6, dtype=numpy.float32).reshape(2, 3)
    if float((x.dot(x.T) + 1).sum()) != 87:
        return Finding(BROKEN, 'a product of two small matrices is wrong', 'nvidia-smi')
    return Finding(WORKS, 'a product and a sum are correct')


def check_cudnn():
    library = 'nvidia-cudnn-cu%d' % _major()
    cudnn = import_or_end(
        'cudnn', 'nvidia-cudnn-frontend is not installed',
        installation.install('cudnn', library))
    seen = 'nvidia-cudnn-frontend ' + cudnn.__version__
    try:
        version = cudnn.backend_version()
    except Exception as e:
        return Finding(BROKEN, '%s finds no library of cuDNN 9 (%s)' % (seen, e),
                       'pip install ' + library)
    return Finding(WORKS, '%s, cuDNN %d.%d.%d' % (
        seen, version // 10000, version % 10000 // 100, version % 100))


def check_nccl():
    _cupy()
    nccl = importlib.import_module('cupy.cuda.nccl')
    if not getattr(nccl, 'available', True):
        return Finding(
            MISSING, 'CuPy finds no NCCL, which MultiprocessParallelUpdater needs',
            'pip install nvidia-nccl-cu%d' % _major())
    return Finding(WORKS, str(nccl.get_version()))
