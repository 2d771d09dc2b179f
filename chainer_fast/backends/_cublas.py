"""Products of many matrices on a GPU, in one launch.

``cupy.matmul`` converts float16 to single precision, copies transposed matrices, and
needs four launches for a broadcast operand. cuBLAS supports all of these directly.
"""
import ctypes
import functools
import math
import operator
import os
import re
import sys
import threading

import numpy

from chainer_fast.backends._cupy import cupy


class _Workspace(threading.local):
    """Memory that products of the running thread use; see ``use_workspace``."""

    memory = size = 0


workspace = _Workspace()


@functools.cache
def _load():
    """Return the library that CuPy has loaded."""
    version = cupy.cuda.runtime.runtimeGetVersion() // 1000
    return ctypes.CDLL('cublas64_%d.dll' % version if sys.platform == 'win32'
                       else 'libcublas.so.%d' % version)


def addresses():
    """Return what compiled code needs to call cuBLAS directly.

    Returns
    -------
    tuple of int
        Addresses of ``cublasGemmEx``, ``cublasSetStream`` and ``cublasSetWorkspace``; 0
        if the library that CuPy has loaded cannot be found.
    callable or None
        Function that returns the handle of the running thread.
    type or None
        Class of errors.
    """
    try:
        error = cupy.cuda.cublas.CUBLASError
        library = _load()
        functions = [ctypes.cast(function, ctypes.c_void_p).value for function in (
            library.cublasGemmEx, library.cublasSetStream_v2,
            library.cublasSetWorkspace_v2)]
        return functions, cupy.cuda.get_cublas_handle, error
    except (AttributeError, OSError):
        return (0, 0, 0), None, None


def workspace_size():
    """Return the bytes of workspace that graphs provide to cuBLAS on the current
    device.

    It is the size that cuBLAS itself allocates on such a card, so that it selects the
    same kernels as for other products: the table is in its manual, at
    ``cublasSetWorkspace``.
    """
    chosen = os.environ.get('CUBLAS_WORKSPACE_CONFIG', '')
    if re.fullmatch(r'(:\d+:\d+)+', chosen):
        numbers = [int(number) for number in chosen[1:].split(':')]
        size = sum(map(operator.mul, numbers[::2], numbers[1::2])) << 10
        if size:
            return size
    generation = int(cupy.cuda.Device().compute_capability) // 10
    return {9: 32, 10: 32, 12: 12}.get(generation, 4) << 20


def uses_tf32():
    """Return whether single-precision products may round their operands to TF32."""
    # CuPy's switch for its own products.
    return int(os.environ.get('CUPY_TF32', 0)) > 0


def multiply(a, b, out):
    """Multiply matrices of CuPy: ``out[i] = a[i] @ b[i]``.

    Parameters
    ----------
    a : cupy.ndarray, shape (batch, m, k)
        Matrices. For float16, sums are in single precision. Neither transposed
        matrices nor a matrix that is broadcast along the batch are copied.
    b : cupy.ndarray, shape (batch, k, n)
        Matrices of the same dtype.
    out : cupy.ndarray, shape (batch, m, n)
        The result, in C order. Its dtype is that of the operands, or float32 if they
        are float16.
    """
    if a.size == 0 or b.size == 0:
        out.fill(0)
        return
    cublas, runtime = cupy.cuda.cublas, cupy.cuda.runtime
    single, compute = numpy.dtype('f'), cublas.CUBLAS_COMPUTE_32F
    if out.dtype == 'd':
        single, compute = out.dtype, cublas.CUBLAS_COMPUTE_64F
    elif a.dtype == 'f' and uses_tf32():
        compute = cublas.CUBLAS_COMPUTE_32F_FAST_TF32
    types = {'e': runtime.CUDA_R_16F, 'f': runtime.CUDA_R_32F, 'd': runtime.CUDA_R_64F}
    a, a_transposed, a_row = _operand(a)
    b, b_transposed, b_row = _operand(b)
    one, zero = numpy.ones((), single), numpy.zeros((), single)
    batch, m, n = out.shape
    gemm = cublas.gemmStridedBatchedEx if not workspace.memory else _gemm_of_graph
    # cuBLAS uses column-major order, so that all matrices are transposed for it, and
    # the operands of the product are swapped.
    gemm(
        cupy.cuda.get_cublas_handle(), b_transposed, a_transposed, n, m, a.shape[2],
        one.ctypes.data,
        b.data.ptr, types[b.dtype.char], b_row, _step(b),
        a.data.ptr, types[a.dtype.char], a_row, _step(a),
        zero.ctypes.data,
        out.data.ptr, types[out.dtype.char], n, _step(out),
        batch, compute, cublas.CUBLAS_GEMM_DEFAULT)


def _gemm_of_graph(handle, *args):
    """Multiply like ``gemmStridedBatchedEx``, in a graph.

    CuPy rejects that, since cuBLAS would use its own memory; with a workspace it
    does not.
    """
    library = _load()
    number, address, step = ctypes.c_int, ctypes.c_void_p, ctypes.c_longlong
    types = [*[number] * 5, address, *[address, number, number, step] * 2, address,
             address, number, number, step, *[number] * 3]
    for kind, x in zip(types, args, strict=True):
        # ctypes would truncate the upper bits.
        if kind is number and not -1 << 31 <= x < 1 << 31:
            raise OverflowError(
                'cuBLAS does not support sizes over 2**31 - 1, found %s' % (x,))
    handle = address(handle)
    stream = cupy.cuda.get_current_stream().ptr
    status = (
        library.cublasSetStream_v2(handle, address(stream))
        or library.cublasSetWorkspace_v2(
            handle, address(workspace.memory), ctypes.c_size_t(workspace.size))
        or library.cublasGemmStridedBatchedEx(
            handle, *[kind(x) for kind, x in zip(types, args, strict=True)]))
    if status:
        raise cupy.cuda.cublas.CUBLASError(status)


def product(a, b):
    """Return the products of CuPy matrices, like ``a @ b``.

    Parameters
    ----------
    a : cupy.ndarray, shape (..., m, k)
        Matrices.
    b : cupy.ndarray, shape (..., k, n)
        Matrices of the same dtype. Leading axes are broadcast.

    Returns
    -------
    cupy.ndarray, shape (..., m, n)
    """
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = cupy.empty((*batch, a.shape[-2], b.shape[-1]), a.dtype)
    if out.size:
        n = math.prod(batch)
        a, b = [cupy.broadcast_to(x, batch + x.shape[-2:]).reshape(n, *x.shape[-2:])
                for x in (a, b)]
        multiply(a, b, out.reshape(n, *out.shape[-2:]))
    return out


def _operand(a):
    """Return matrices, whether they are transposed, and the distance of their rows.

    They are copied if neither their rows nor their columns are contiguous.
    """
    _, rows, columns = a.shape
    step, row, column = [stride // a.itemsize for stride in a.strides]
    if step >= 0:
        if (column == 1 or columns == 1) and (row >= columns or rows == 1):
            return a, 0, max(row, columns)
        if (row == 1 or rows == 1) and (column >= rows or columns == 1):
            return a, 1, max(column, rows)
    return cupy.ascontiguousarray(a), 0, columns


def _step(a):
    return a.strides[0] // a.itemsize
