"""Facts about the machine for bug reports."""
from __future__ import annotations

import platform
from typing import IO, Any

import numpy

from chainer_fast import _version
from chainer_fast._help import installation
from chainer_fast.backends import _cudnn, cuda, intel64

_MISSING = 'Not Available'


class _RuntimeInfo:
    """Versions of the libraries in use; ``str()`` returns the report."""

    def __init__(self):
        self.platform_version = platform.platform()
        self.chainer_version = _version.__version__
        self.chainer_fast_version = installation.version()
        self.chainerx_available = True
        self.numpy_version = numpy.__version__
        self.cuda_info = cuda.cupyx.get_runtime_info() if cuda.available else None
        found = _cudnn.version()
        self.cudnn = found if found > 0 else '%s (%s)' % (
            _MISSING, _cudnn.library.reason())
        self.ideep_version = intel64.library.version()

    def _lines(self):
        yield 'Platform: %s' % self.platform_version
        yield 'Chainer: %s' % self.chainer_version
        yield 'chainer_fast: %s' % self.chainer_fast_version
        yield 'ChainerX: %s' % ('Available' if self.chainerx_available else _MISSING)
        yield 'NumPy: %s' % self.numpy_version
        if self.cuda_info is None:
            yield 'CuPy: %s' % _MISSING
        else:
            yield 'CuPy:'
            for line in str(self.cuda_info).splitlines():
                yield '  ' + line
            yield 'cuDNN: %s' % self.cudnn
        yield 'iDeep: %s' % (self.ideep_version or _MISSING)

    def __str__(self):
        return ''.join([line + '\n' for line in self._lines()])


def _get_runtime_info():
    return _RuntimeInfo()


def print_runtime_info(out: IO[Any] | None = None) -> None:
    """Print the versions of Python's platform and of the libraries in use.

    Parameters
    ----------
    out : file-like, optional
        Stream to print to; standard output by default.

    Examples
    --------
    ::

        chainer.print_runtime_info()

    prints, for example, ::

        Platform: Linux-6.1.0-x86_64-with-glibc2.36
        Chainer: 7.8.1
        chainer_fast: 0.1.0
        ChainerX: Available
        NumPy: 2.3.0
        CuPy: Not Available
        iDeep: Not Available
    """
    print(_get_runtime_info(), end='', file=out, flush=hasattr(out, 'flush'))
