# Loops as kernels on a GPU. Part of elementwise.pyx.
from libc.stdint cimport intptr_t, uint32_t

from chainer_fast._core.arrays.dtypes cimport DOUBLE, HALF
from chainer_fast._core.devices.launches cimport (
    Arguments, address_on, channels_first, current_context, is_channels_last,
    is_on_device, kind_of_dtype, new_channels_last, new_on_device)

from chainer_fast.configuration import config

# Axes of a kernel at most.
cdef enum:
    _MOST_AXES = 5

MOST_AXES = _MOST_AXES

cdef struct _Axes:
    int n                        # 0 if all arrays are contiguous
    uint32_t lengths[_MOST_AXES]
    Py_ssize_t strides[3][_MOST_AXES]    # of each array, in bytes


cdef object _on_device(
        Loop loop, object a, object b, object c, double p, double q):
    """Run a loop on the current GPU; return its results.

    The result is None if the loop does not support the arrays.
    """
    cdef PyObject **x = [<PyObject *>a, <PyObject *>b, <PyObject *>c]
    cdef object array, dtype, shape, found
    cdef int device = 0
    cdef intptr_t context = current_context(&device)
    cdef int kind, i
    cdef bint contiguous = True, last = False
    cdef intptr_t addresses[3]
    cdef _Axes axes
    if context == 0 or not is_on_device(a):
        return None
    dtype = a.dtype
    kind = kind_of_dtype(dtype)
    if kind < 0:
        return None
    shape = a.shape
    for i in range(loop.arrays):
        array = <object>x[i]
        if i and (not is_on_device(array) or not same_dtype(array.dtype, dtype)
                  or array is not a and array.shape != shape):
            return None
        addresses[i] = address_on(device, array)
        if addresses[i] == 0:
            return None
        contiguous = contiguous and array._c_contiguous
    axes.n = 0
    if not contiguous and config.cudnn_channels_last:
        for i in range(loop.arrays):
            last = last or is_channels_last(<object>x[i])
    if loop.kernels is not None and (
            contiguous or _read_axes(x, loop.arrays, shape, last, &axes)):
        return _launch(
            loop, context, kind, addresses, &axes, shape, dtype, last, p, q)
    if loop.on_device is None:
        return None
    found = loop.on_device(*[<object>x[i] for i in range(loop.arrays)],
                           *(p, q)[:loop.constants])
    return None if found is NotImplemented else found


cdef bint _read_axes(
        PyObject **x, int n, tuple shape, bint last, _Axes *axes) except -1:
    """Read the axes of arrays of one shape, the last one first, or that of channels.

    An axis is joined with the next one if the strides of all arrays allow it. The
    result is False if too many are left, or there are too many elements for 32-bit
    indexes.
    """
    cdef list strides = [(<object>x[i]).strides for i in range(n)]
    cdef Py_ssize_t length, size = 1
    cdef int ndim = len(shape), axis, i, k
    cdef bint joins
    for k in range(ndim):
        axis = channels_first(ndim, k) if last else ndim - 1 - k
        length = shape[axis]
        if length == 1:
            continue
        size *= length
        if size >> 31:
            return False
        joins = axes.n > 0
        for i in range(n):
            joins = joins and <Py_ssize_t>(<tuple>strides[i])[axis] == (
                axes.strides[i][axes.n - 1] * axes.lengths[axes.n - 1])
        if joins:
            axes.lengths[axes.n - 1] *= length
            continue
        if axes.n == _MOST_AXES:
            return False
        axes.lengths[axes.n] = length
        for i in range(n):
            axes.strides[i][axes.n] = (<tuple>strides[i])[axis]
        axes.n += 1
    if last and axes.n == 1:
        # Their elements are adjacent, except in arrays that repeat one.
        for i in range(n):
            if axes.strides[i][0] != (<object>x[i]).itemsize:
                return True
        axes.n = 0
    return True


cdef object _launch(
        Loop loop, intptr_t context, int kind, intptr_t *addresses, _Axes *axes,
        object shape, object dtype, bint last, double p, double q):
    """Launch the kernel of a loop; results are contiguous, as in CuPy.

    With ``last``, they have their channels last in memory.
    """
    cdef object out = _new(shape, dtype, last)
    cdef object second = _new(shape, dtype, last) if loop.outputs == 2 else None
    cdef Arguments arguments
    cdef Py_ssize_t size = 1, length
    cdef int i, k
    for length in <tuple>shape:
        size *= length
    for i in range(loop.arrays):
        arguments.add[intptr_t](addresses[i])
    arguments.add[intptr_t](out.data.ptr)
    if second is not None:
        arguments.add[intptr_t](second.data.ptr)
    arguments.add[Py_ssize_t](size)
    for i in range(loop.constants):
        if kind == DOUBLE:
            arguments.add[double](q if i else p)
        else:
            arguments.add[float](_narrow(kind, q if i else p))
    for i in range(axes.n):
        arguments.add[uint32_t](axes.lengths[i])
    for i in range(loop.arrays):
        for k in range(axes.n):
            arguments.add[Py_ssize_t](axes.strides[i][k])
    (<DeviceKernel>loop.kernels[axes.n]).launch(context, kind, size, arguments)
    return out if second is None else (out, second)


cdef object _new(object shape, object dtype, bint last):
    return new_channels_last(shape, dtype) if last else new_on_device(shape, dtype)


cdef float _narrow(int kind, double constant) except? -1:
    """Return a constant as arrays of a kind have it."""
    return (<float>float(numpy.float16(constant)) if kind == HALF
            else <float>constant)
