"""CuPy if it can be used, otherwise a stand-in for the module."""
import ctypes
import sys


class _Unavailable:
    """Stand-in for the module ``cupy``, which raises an error when used."""

    def __repr__(self):
        return '<cupy: not available>'

    def __getattr__(self, name):
        raise AttributeError(
            'cupy.%s is out of reach: CuPy is not available (%s)' % (name, error))


def _check_driver(cupy):
    """Raise ``ImportError`` if CuPy is installed but there is no CUDA driver.

    CuPy itself can be imported without one. Counting devices would be more exact, but
    initializes CUDA, which then cannot be used in forked processes.
    """
    runtime = getattr(cupy.cuda, 'runtime', None)
    if getattr(runtime, 'is_hip', False):
        return
    library = 'nvcuda.dll' if sys.platform == 'win32' else 'libcuda.so.1'
    try:
        ctypes.CDLL(library)
    except OSError as e:
        raise ImportError('CuPy is installed, but not a CUDA driver: %s' % e)


try:
    import cupy
    import cupy.cuda
    _check_driver(cupy)
# No error inside CuPy may stop a program that runs on the CPU.
except Exception as e:
    available = False
    error = e
    cupy = _Unavailable()
else:
    available = True
    error = None


def check_available():
    """Raise ``RuntimeError`` unless CuPy can be used."""
    if not available:
        raise RuntimeError(
            'CUDA environment is not correctly set up: %s. GPUs need an NVIDIA driver '
            'and CuPy (https://docs.cupy.dev/en/stable/install.html).' % error)
