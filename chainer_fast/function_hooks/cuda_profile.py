"""Ranges for CUDA's profilers."""
from __future__ import annotations

from chainer_fast.backends import cuda
from chainer_fast.function_hooks import _span


def _has_nvtx():
    # A flag set by the program takes precedence. Reading CuPy's own flag warns.
    flag = vars(cuda.cupy.cuda).get('nvtx_enabled')
    if flag is not None:
        return flag
    return getattr(getattr(cuda.cupy.cuda, 'nvtx', None), 'available', False)


class CUDAProfileHook(_span.SpanHook):
    """Function hook that marks functions for CUDA's profilers by NVTX.

    Each computation is enclosed by a range named after the function, ``LABEL.forward``
    or ``LABEL.backward``.

    Raises
    ------
    RuntimeError
        If CuPy is not available, or was built without NVTX.

    Examples
    --------
    On a GPU: ::

        with chainer.function_hooks.CUDAProfileHook():
            loss = model(x, t)
    """

    name = 'CUDAProfileHook'

    def __init__(self) -> None:
        cuda.check_cuda_available()
        if not _has_nvtx():
            raise RuntimeError('CUDAProfileHook needs NVTX, which this CuPy does not '
                               'include')

    def _begin(self, function, arrays, direction):
        cuda.cupy.cuda.nvtx.RangePush('%s.%s' % (function.label, direction))

    def _end(self, function, arrays):
        cuda.cupy.cuda.nvtx.RangePop()
