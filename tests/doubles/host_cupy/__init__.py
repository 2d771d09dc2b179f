"""A stand-in for CuPy that computes with NumPy, for machines without a GPU.

:func:`install` puts it in the place of CuPy. It is as strict as CuPy 13.6 or 14.2:

- it has their names and parameters, listed in ``names.txt``, and no others; what they
  have and the stand-in does not raises NotImplementedError;
- operands are arrays of the stand-in or scalars, never arrays of NumPy or lists;
- arrays are on one of some devices, and operands on the current one;
- elements come to the host only when asked for; functions of NumPy refuse the arrays;
- universal functions have CuPy's types, and choose among them as the version does;
- where CuPy reads an index beyond the end modulo the size, so does the stand-in;
- new memory is full of ones, which are NaN for floating types;
- pools of memory follow CuPy's rules, and a card can be full (:mod:`~.blocks`).

In some cases it is stricter: e.g. ``cupy.sum`` of an array of NumPy raises, and so does
an array that reaches beyond the memory that it is made of.

It counts launches, synchronisations and copies, see :mod:`~.ledger`.

It cannot know

- how long anything takes; how much memory CUDA and its libraries take for themselves,
  and where blocks of memory lie;
- what lies beyond an array in a pool, or at the address of an array that is gone: an
  address is a device's while there is an array or a pointer to its memory;
- the order of work: everything is done at once, streams and events change nothing, so
  that a missing synchronisation between streams or with the host remains unseen;
- what several threads of a kernel do to each other: ``make test-gpu`` runs the kernels
  as PTX as well, which knows;
- CuPy's random numbers, its rounding, and the order in which it adds;
- errors of the device, such as addresses beyond an array, except for indexes of arrays
  in elementwise and reduction kernels;
- whether NVRTC compiles what g++ compiles: ``make test-gpu`` asks it;
- exactly what launches inside of cuSOLVER, cuBLAS, CUB, cuRAND and cuFFT cost: a call
  counts as one or as the few that CuPy's sources show;
- whether ``cupy.fuse`` can trace a function: it counts as one launch, and functions
  that look at elements, index or have two reductions are refused.
"""
import ctypes
import importlib.util
import os
import sys
import types
import unittest.mock

import numpy

from tests.doubles.host_cupy import (
    array,
    blocks,
    cublas,
    cublas_library,
    cuda,
    device,
    driver,
    elementwise,
    indexing,
    kernels,
    linear,
    nccl,
    pools,
    random_numbers,
    raw,
    runtime,
    selection,
    sorting,
    surface,
    testing,
    tools,
    versions,
)
from tests.doubles.host_cupy.registry import exports

VERSIONS = versions.VERSIONS
CLASSES = {
    'cupy.ndarray': array.ndarray,
    **{'cupy.cuda.' + cls.__name__: cls for cls in (
        cuda.Stream, cuda.ExternalStream, cuda.Event, pools.MemoryPool,
        pools.PinnedMemoryPool, pools.MemoryHook)},
    'cupy.random.RandomState': random_numbers.RandomState}
exports['cupy'].update({cls.__name__: cls for cls in (
    array.ndarray, surface.ufunc, kernels.ElementwiseKernel, kernels.ReductionKernel,
    raw.RawKernel, raw.RawModule)})


def make(version='14.2'):
    """Return the modules of a version of CuPy, ``{name: module}``.

    Parameters
    ----------
    version : {'13.6', '14.2'}
        Names, arguments and types are those of this version.

    Notes
    -----
    The class of arrays is the same in all versions, with the methods of the one that
    was made last.
    """
    sections = surface.read(version)
    others = surface.read(versions.other_than(version))
    for name, cls in CLASSES.items():
        surface.restrict(cls, sections.pop(name), others.pop(name))
    modules = surface.build(sections, others, nep50=version >= '14')
    cupy = modules['cupy']
    cupy.__version__ = version + '.0'
    cupy.newaxis, cupy.bool_ = None, numpy.bool_
    for name in ('nvrtc', 'nvtx', 'profiler', 'runtime', 'driver', 'memory',
                 'memory_hooks'):
        if 'cupy.cuda.' + name not in modules:
            modules['cupy.cuda.' + name] = types.ModuleType('cupy.cuda.' + name)
        setattr(cupy.cuda, name, modules['cupy.cuda.' + name])
    cupy.lib = types.ModuleType('cupy.lib')
    cupy.lib.stride_tricks = modules['cupy.lib.stride_tricks']
    modules['cupy.lib'] = cupy.lib
    # CuPy's modules can't be imported without the libraries, so that their names are
    # not among those of the versions.
    modules['cupy.cuda.cublas'] = cupy.cuda.cublas = cublas
    modules['cupy.cuda.nccl'] = cupy.cuda.nccl = nccl.make(version)
    for name in ('cupy_backends', 'cupy_backends.cuda', 'cupy_backends.cuda.stream'):
        modules[name] = types.ModuleType(name)
    modules['cupy_backends.cuda.stream'].__pyx_capi__ = {
        'get_current_stream_ptr': driver.stream_capsule()}
    blocks.is_new[:] = [version >= '14']
    modules['cupy.cuda.memory'].OutOfMemoryError = blocks.OutOfMemoryError
    cupy.cuda.driver.CUDADriverError = driver.CUDADriverError
    modules['cupy.cuda.runtime'].is_hip = False
    modules['cupy.cuda.nvrtc'].getVersion = lambda: (12, 9)
    modules['cupy.cuda.nvtx'].available = True
    cupy.cuda.__getattr__ = cuda.deprecated
    array.ndarray.__module__ = 'cupy'
    return modules


def install(version='14.2'):
    """Put the stand-in in the place of CuPy, before chainer_fast is imported.

    Parameters
    ----------
    version : {'13.6', '14.2'}
        The version of CuPy that it stands for.

    Raises
    ------
    RuntimeError
        If CuPy or chainer_fast has been imported already, or NumPy is older than 2.1.

    Notes
    -----
    It imports chainer_fast, as that looks for the driver of CUDA, which the stand-in
    has only for that moment. Its cuBLAS stays loaded.
    """
    if numpy.lib.NumpyVersion(numpy.__version__) < '2.1.0':
        raise RuntimeError(
            'the stand-in for CuPy needs NumPy 2.1 or newer, found %s: install it for '
            'the tests of GPUs' % numpy.__version__)
    if 'chainer_fast' in sys.modules or 'cupy' in sys.modules:
        raise RuntimeError(
            'the stand-in for CuPy is to be installed before chainer_fast and CuPy '
            'are imported')
    sys.modules.update(make(version))
    cublas_library.load()
    with unittest.mock.patch('ctypes.CDLL', _library):
        cuda = importlib.import_module('chainer_fast.backends.cuda')
    if not cuda.available:
        raise RuntimeError('chainer_fast has not taken the stand-in for CuPy: %s'
                           % cuda._resolution_error)


def install_unless_gpu():
    """Install the stand-in where there are no GPU and no CuPy for it.

    ``HOST_CUPY=13.6`` in the environment installs this version in any case.
    """
    version = os.environ.get('HOST_CUPY')
    if version or not has_gpu():
        install(version or VERSIONS[-1])


def has_gpu():
    """Return whether there are a GPU and CuPy."""
    count = ctypes.c_int()
    try:
        driver = ctypes.CDLL('libcuda.so.1')
    except OSError:
        return False
    return (driver.cuInit(0) == 0
            and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
            and importlib.util.find_spec('cupy') is not None)


_CDLL = ctypes.CDLL


def _library(name, *args, **kwargs):
    """Load a library, or pretend to for the driver."""
    if name in ('libcuda.so.1', 'nvcuda.dll'):
        return driver.library()
    return _CDLL(name, *args, **kwargs)
