"""CuPy if it can be used, otherwise a stand-in for the module."""
from __future__ import annotations

import ctypes
import importlib.util
import os
import sys


class _Unavailable:
    """Stand-in for the module ``cupy``, which raises an error when used."""

    def __repr__(self):
        return '<cupy: not available>'

    def __getattr__(self, name):
        raise AttributeError(
            'cupy.%s cannot be used: CuPy is not available (%s)' % (name, error))


def load_cuda_driver():
    """Return the library of the CUDA driver.

    Loading it does not initialize CUDA, unlike counting devices; after initialization,
    CUDA could not be used in forked processes.

    Returns
    -------
    ctypes.CDLL

    Raises
    ------
    OSError
        If there is no driver.
    """
    return ctypes.CDLL('nvcuda.dll' if sys.platform == 'win32' else 'libcuda.so.1')


def _has_amd_driver():
    return os.path.exists('/dev/kfd')


def _check_cuda_driver():
    try:
        load_cuda_driver()
    except OSError as e:
        raise ImportError('CuPy is installed, but not a CUDA driver: %s' % (e,))


def _import_cupy():
    """Return CuPy, or raise an error if it cannot be used.

    CuPy can be imported without a driver, but that takes longer than importing this
    package. Therefore the driver is checked first, unless the program has already
    imported CuPy.
    """
    if ('cupy' not in sys.modules and importlib.util.find_spec('cupy') is not None
            and not _has_amd_driver()):
        _check_cuda_driver()
    import cupy
    import cupy.cuda
    runtime = getattr(cupy.cuda, 'runtime', None)
    if not getattr(runtime, 'is_hip', False):
        _check_cuda_driver()
    return cupy


try:
    cupy = _import_cupy()
# No error inside CuPy may stop a program that runs on the CPU.
except Exception as e:
    available = False
    error = e
    cupy = _Unavailable()
else:
    available = True
    error = None


def check_available() -> None:
    """Raise ``RuntimeError`` unless CuPy can be used."""
    if not available:
        raise RuntimeError(
            'CUDA environment is not correctly set up: %s. GPUs need an NVIDIA driver '
            'and CuPy; `python -m chainer_fast --doctor` reports what this machine '
            'lacks.' % (error,))
