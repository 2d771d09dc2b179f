"""NVRTC, with which cuDNN compiles its own kernels, those of batch normalization.

cuDNN searches the library by name when it plans an operation. If it does not find it,
it only reports that no engine supports the operation.
"""
import contextlib
import ctypes
import functools
import sys
import warnings

from chainer_fast.backends import _nvrtc
from chainer_fast.backends._cupy import cupy


def _name():
    version = cupy.cuda.runtime.runtimeGetVersion() // 1000
    return ('nvrtc64_%d0_0.dll' if sys.platform == 'win32'
            else 'libnvrtc.so.%d') % version


@functools.cache
def is_found():
    """Return whether cuDNN finds NVRTC, which is loaded if CuPy finds it."""
    # A loaded library is found by its name, wherever it is.
    with contextlib.suppress(Exception):
        cupy.cuda.nvrtc.getVersion()
    try:
        ctypes.CDLL(_name())
    except OSError:
        return False
    return True


def warn(operation):
    """Warn that cuDNN has no engine for an operation, since it finds no NVRTC."""
    warnings.warn(
        'cuDNN has no engine for %s here, and finds no NVRTC (%s), with which '
        'it compiles such engines: slower kernels replace them. To let it find the '
        'library: %s'
        % (operation, _name(), _nvrtc.advice(cupy.__version__)))
