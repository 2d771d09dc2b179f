"""A CuPy that does nothing, so that only the host's side of a program takes time.

:func:`install` replaces CuPy, NVIDIA's frontend of cuDNN, and the CUDA driver by it.
Arrays have shapes, dtypes, strides and addresses as CuPy's would have, but no
elements; kernels, copies and products record their names (:mod:`.ledger`) and return.

It does not show

- the time of CuPy, cuDNN's frontend and the driver themselves, some microseconds for a
  launch by CuPy and 20 for an execution by the frontend. Multiply the counts by these
  times;
- whether the device would keep up: nothing ever waits for it;
- whether arguments are right: kernels look at none. The tests have another stand-in;
- copies that CuPy makes inside of its products, and kernels beside the one that gives a
  function its name;
- memory: nothing is ever given back, so that addresses are new for each array; after
  some 29,000 steps of ResNet-50 they are longer than those of CUDA.

Names that it has not raise AttributeError; values raise NotImplementedError.
"""
import ctypes
import functools
import importlib
import sys
import types

import numpy

from benchmarks.host import (
    null_arrays,
    null_creation,
    null_cuda,
    null_cudnn,
    null_kernels,
    null_random,
)
from benchmarks.host.building import build

#: Returns how often memory was taken since the last time.
allocations = null_arrays.null_memory.counted

_STREAM = b'intptr_t (void)'     # kept, as the capsule has no copy

_memos = []


def memoize(for_each_device=False):
    """Return a decorator that keeps results, as CuPy's does."""
    def decorator(f):
        memo = {}
        _memos.append(memo)

        @functools.wraps(f)
        def memoized(*args, **kwargs):
            key = args, frozenset(kwargs.items())
            if for_each_device:
                key = null_cuda.EXPORTS['get_device_id'](), key
            if key not in memo:
                memo[key] = f(*args, **kwargs)
            return memo[key]
        return memoized
    return decorator


def clear_memo():
    for memo in _memos:
        memo.clear()


def make():
    """Return the modules, ``{name: module}``."""
    pool = null_cuda.MemoryPool()
    modules = {name: types.ModuleType(name) for name in (
        'cupy', 'cupy.cuda', 'cupy.cuda.driver', 'cupy.random', 'cupyx',
        'cupy_backends', 'cupy_backends.cuda', 'cupy_backends.cuda.stream')}
    modules['cupy.cuda.driver'].CUDADriverError = RuntimeError
    modules.update(null_cuda.MODULES)
    cupy = modules['cupy']
    vars(cupy).update(
        null_creation.EXPORTS, **null_kernels.EXPORTS, memoize=memoize,
        clear_memo=clear_memo, get_default_memory_pool=lambda: pool,
        get_default_pinned_memory_pool=lambda: pool, newaxis=None,
        __version__='14.2.0', __path__=[])
    vars(modules['cupy.cuda']).update(null_cuda.EXPORTS)
    vars(modules['cupy.random']).update(null_random.EXPORTS)
    for name, module in modules.items():
        module.__getattr__ = functools.partial(_missing, name)
        parent, _, own = name.rpartition('.')
        if parent:
            setattr(modules[parent], own, module)
    return modules


def _missing(module, name):
    raise AttributeError('the null device has no %s.%s' % (module, name))


def load(name):
    """Load a library whose launches are counted, compiled when that is due.

    Parameters
    ----------
    name : {'libcuda.so.1', 'libcublas.so.12'}
        Its internal name, so that loading this name returns this library.

    Returns
    -------
    ctypes.CDLL
    """
    library = ctypes.CDLL(str(build('null_driver.cpp', name, '-Wl,-soname,' + name)))
    library.null_launches.restype = ctypes.c_longlong
    return library


def install():
    """Replace CuPy by the null device, before chainer_fast is imported.

    Returns
    -------
    tuple of ctypes.CDLL
        The driver and cuBLAS. Their function ``null_launches`` returns how often they
        launched anything since the last time.
    """
    if 'chainer_fast' in sys.modules or 'cupy' in sys.modules:
        raise RuntimeError('the null device is to be installed before chainer_fast and '
                           'CuPy are imported')
    if numpy.lib.NumpyVersion(numpy.__version__) < '2.1.0':
        raise RuntimeError('the null device needs NumPy 2.1 or newer, found %s'
                           % numpy.__version__)
    driver, cublas = load('libcuda.so.1'), load('libcublas.so.12')
    sys.modules.update(make(), cudnn=null_cudnn.make())
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    sys.modules['cupy_backends.cuda.stream'].__pyx_capi__ = {
        'get_current_stream_ptr': new(
            ctypes.cast(driver.null_stream, ctypes.c_void_p), _STREAM, None)}
    cuda = importlib.import_module('chainer_fast.backends.cuda')
    if not cuda.available:
        raise RuntimeError('chainer_fast has not taken the null device: %s'
                           % cuda._resolution_error)
    return driver, cublas
