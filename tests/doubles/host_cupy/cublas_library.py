"""The library of cuBLAS, for calls by the addresses of its functions.

It is loaded under the name of the real one, which the package then finds. Products are
those of :mod:`~.cublas`; beside that a call fails unless its stream is the current one,
and while a stream captures it needs a workspace: of its own memory the real library
would hand out what a graph still uses.
"""
import ctypes
import functools

from tests.doubles.host_cupy import capture, compiler, cublas, cuda, ledger

NOT_INITIALIZED, INVALID_VALUE, NOT_SUPPORTED = 1, 7, 15
NAME = 'libcublas.so.12'
_Number, _Address, _Step = ctypes.c_int, ctypes.c_void_p, ctypes.c_longlong

#: Stream and workspace of each handle.
_streams, _workspaces = {}, {}


def _set_stream(handle, stream):
    _streams[handle], _workspaces[handle] = stream or 0, None
    return 0


def _set_workspace(handle, memory, size):
    if not memory or memory % 256:
        return INVALID_VALUE
    _workspaces[handle] = memory, size
    return 0


def _gemm(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,
          beta, c, c_type, ldc, compute, algorithm):
    return _batched(
        handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda,
        lda * (m if trans_a else k), b, b_type, ldb, ldb * (k if trans_b else n), beta,
        c, c_type, ldc, ldc * n, 1, compute, algorithm)


def _batched(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda, a_step, b,
             b_type, ldb, b_step, beta, c, c_type, ldc, c_step, batch, compute,
             algorithm):
    if handle not in _streams:
        return NOT_INITIALIZED
    if _streams[handle] != cuda.get_current_stream().ptr:
        return INVALID_VALUE
    # The numbers are read before a graph could keep their addresses.
    numbers = [ctypes.string_at(each, 8 if compute == cublas.CUBLAS_COMPUTE_64F else 4)
               for each in (alpha, beta)]

    def multiply():
        alpha, beta = [ctypes.create_string_buffer(each, 8) for each in numbers]
        with ledger.paused():
            cublas.gemmStridedBatchedEx(
                handle, trans_a, trans_b, m, n, k, ctypes.addressof(alpha),
                a, a_type, lda, a_step, b, b_type, ldb, b_step, ctypes.addressof(beta),
                c, c_type, ldc, c_step, batch, compute, algorithm)
        ledger.launch('gemm')

    captured = capture.current()
    if captured is not None:
        if _workspaces[handle] is None:
            return NOT_SUPPORTED
        captured.note(multiply, (), (a, b, c, _workspaces[handle][0]))
        return 0
    try:
        multiply()
    except cublas.CUBLASError:
        return INVALID_VALUE
    return 0


_HOOKS = {
    'host_gemm': ctypes.CFUNCTYPE(
        _Number, _Address, *[_Number] * 5, _Address, _Address, _Number, _Number,
        _Address, _Number, _Number, _Address, _Address, *[_Number] * 4)(_gemm),
    'host_batched': ctypes.CFUNCTYPE(
        _Number, _Address, *[_Number] * 5, _Address,
        *[_Address, _Number, _Number, _Step] * 2, _Address,
        _Address, _Number, _Number, _Step, *[_Number] * 3)(_batched),
    'host_set_stream': ctypes.CFUNCTYPE(_Number, _Address, _Address)(_set_stream),
    'host_set_workspace': ctypes.CFUNCTYPE(
        _Number, _Address, _Address, ctypes.c_size_t)(_set_workspace)}


@functools.cache
def load():
    """Load the library."""
    made = ctypes.CDLL(str(compiler.library('cublas.cpp', NAME)))
    for name, hook in _HOOKS.items():
        ctypes.c_void_p.in_dll(made, name).value = ctypes.cast(
            hook, ctypes.c_void_p).value
    return made
