# Products of matrices on GPUs by cuBLAS, and operations on their rows.
# CuPy loads cuBLAS and has a handle for each thread and device. ``ndarray.dot`` needs
# microseconds before the call that is made here by address.
#
# Part of compiled.pyx.
cimport numpy as np
from libc.stdint cimport intptr_t

from chainer_fast._core.arrays.dtypes cimport same_dtype
from chainer_fast._core.devices.launches cimport (
    Arguments, DeviceKernel, address_on, current_context, current_stream, is_on_device,
    kind_of_dtype, new_on_device)

from chainer_fast.backends import _cublas
from chainer_fast.backends._cuda_kernel import raw_of
from chainer_fast.backends.kernels.common import many_arrays

cdef extern from "chainer_fast/backends/kernels/matmul/cublas.hpp" \
        namespace "chainer_fast::matmul":
    ctypedef int (*_Gemm "decltype(cublas::Cublas::gemm)")()
    ctypedef int (*_SetStream "decltype(cublas::Cublas::set_stream)")()
    ctypedef int (*_SetWorkspace "decltype(cublas::Cublas::set_workspace)")()

    cdef struct Workspace:
        intptr_t memory
        size_t size

    Workspace &workspace()

    cdef cppclass Cublas:
        _Gemm gemm
        _SetStream set_stream
        _SetWorkspace set_workspace
        int product(
            intptr_t handle, intptr_t stream, int kind, bint fast, int rows,
            int columns, int between, intptr_t a, int a_row, bint trans_a, intptr_t b,
            int b_row, bint trans_b, intptr_t out) nogil

cdef extern from *:
    """
    namespace cublas = chainer_fast::matmul;
    """

cdef Py_ssize_t LONGEST = 0x7fffffff

cdef Cublas _library
cdef bint _looked = False
cdef bint _fast = False         # rounds operands of single precision to TF32
cdef object _handle = None
cdef object _error = None


cdef struct _Matrix:
    intptr_t address
    int row             # distance of rows in memory, in elements
    bint transposed     # rows in memory are columns
    int shape[2]


cdef bint _look() except -1:
    """Find cuBLAS at the first product; return whether it is available."""
    global _looked, _handle, _error, _fast
    if not _looked:
        (gemm, set_stream, set_workspace), _handle, _error = _cublas.addresses()
        _library.gemm = <_Gemm><intptr_t>gemm
        _library.set_stream = <_SetStream><intptr_t>set_stream
        _library.set_workspace = <_SetWorkspace><intptr_t>set_workspace
        _fast = _cublas.uses_tf32()
        _looked = True
    return _handle is not None


def use_workspace(intptr_t memory, size_t size):
    """Let products of this thread use some memory, so that a graph can contain them.

    Parameters
    ----------
    memory : int
        Address, a multiple of 256 bytes; 0 leaves the memory to cuBLAS.
    size : int
        Number of bytes.
    """
    workspace().memory = _cublas.workspace.memory = memory
    workspace().size = _cublas.workspace.size = size


cdef bint _read_matrix(
        int device, object array, bint transposed, _Matrix *out) except -1:
    """Read a matrix; False if cuBLAS cannot use it directly."""
    cdef tuple shape = array.shape
    cdef Py_ssize_t length
    cdef int i
    if len(shape) != 2:
        return False
    for i in range(2):
        length = shape[i]
        if not 0 < length < LONGEST:
            return False
        out.shape[i] = <int>length
    if array._c_contiguous:
        out.transposed = transposed
        out.row = out.shape[1]
    elif array._f_contiguous:
        out.transposed = not transposed
        out.row = out.shape[0]
    else:
        return False
    if transposed:
        out.shape[0], out.shape[1] = out.shape[1], out.shape[0]
    out.address = address_on(device, array)
    return out.address != 0


cdef object dense_on_device(object matrix):
    """Return a matrix that cuBLAS can use directly, so that products share a copy.

    The gradient of a sum is one number for all elements, for example.
    """
    if not is_on_device(matrix) or matrix.ndim != 2 or matrix._c_contiguous or (
            matrix._f_contiguous):
        return matrix
    return matrix.copy()


cdef object product_on_device(object a, object b, bint trans_a, bint trans_b):
    """Return the product of two matrices on the current GPU, each transposed or not.

    It is None if the arrays are unsupported, not contiguous or empty, or cuBLAS
    cannot be called.
    """
    cdef _Matrix left, right
    cdef int device = 0
    cdef object dtype, out
    cdef int kind, status
    cdef intptr_t handle, stream, address
    if current_context(&device) == 0 or not is_on_device(a) or not is_on_device(b):
        return None
    dtype = a.dtype
    kind = kind_of_dtype(dtype)
    if kind < 0 or not same_dtype(b.dtype, dtype) or not _look():
        return None
    if not _read_matrix(device, a, trans_a, &left) or (
            not _read_matrix(device, b, trans_b, &right)) or (
                left.shape[1] != right.shape[0]):
        return None
    out = new_on_device((left.shape[0], right.shape[1]), dtype)
    handle, stream, address = _handle(), current_stream(), out.data.ptr
    with nogil:
        status = _library.product(
            handle, stream, kind, _fast, left.shape[0], right.shape[1], left.shape[1],
            left.address, left.row, left.transposed, right.address, right.row,
            right.transposed, address)
    if status:
        raise _error(status)
    return out


def _compile_add_row(letter):
    kind, number = many_arrays.TYPES[letter], 'double' if letter == 'd' else 'float'
    return raw_of(
        'chainer_fast/backends/kernels/matmul/device_rows.hpp', 'add_row',
        'const %s *row, %s *out, long long n, long long columns' % (kind, kind),
        'add_to_rows<%s>(row, out, n, columns)' % number).kernel


cdef DeviceKernel _add_row = DeviceKernel(_compile_add_row)


cdef bint add_row_on_device(object row, object matrix) except -1:
    """Add a vector to all rows of a new matrix in place; False if it does not match."""
    cdef int device = 0
    cdef intptr_t context = current_context(&device)
    cdef intptr_t address
    cdef Arguments arguments
    cdef Py_ssize_t size = matrix.size
    if not is_on_device(row) or not same_dtype(row.dtype, matrix.dtype) or not (
            row._c_contiguous) or row.shape != matrix.shape[1:]:
        return False
    address = address_on(device, row)
    if address == 0:
        return False
    arguments.add[intptr_t](address)
    arguments.add[intptr_t](matrix.data.ptr)
    arguments.add[Py_ssize_t](size)
    arguments.add[Py_ssize_t](row.size)
    _add_row.launch(context, kind_of_dtype(row.dtype), size, arguments)
    return True
