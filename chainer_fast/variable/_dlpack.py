"""Exchange of arrays with other libraries without a copy.

DLPack passes a pointer with a shape, strides and a dtype; NumPy and CuPy support it.
The keywords are those of the 2023 array API. NumPy before 2.1 and early versions of
CuPy 13 do not support them, so they are handled here.
"""
import numpy

from chainer_fast.backends import cuda

# Types of device in DLPack's enumeration.
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13


def array_to_share(variable):
    """Return the array of a variable.

    Raises
    ------
    BufferError
        If a parameter is not initialized.
    """
    array = variable.array
    if array is None:
        raise BufferError(
            'the parameter %s has no array to share yet: call its link once, or its '
            'method initialize, first' % (variable.name or 'without a name'))
    return array


def export(array, stream, max_version, dl_device, copy):
    """Return the DLPack capsule of an array.

    Raises
    ------
    BufferError
        If the array is not available on the requested device, if it has negative
        strides, or if it is read-only and the version of the protocol cannot express
        that.
    """
    # PyTorch aborts the process if strides are negative.
    if not copy and any(stride < 0 for stride in array.strides):
        raise BufferError(
            'the array has negative strides %s, which few libraries support: share a '
            'variable of array.copy()' % (array.strides,))
    if dl_device is not None and tuple(dl_device) != tuple(array.__dlpack_device__()):
        if tuple(dl_device) != (_CPU, 0) or copy is False:
            raise BufferError(
                'the array is on the device %s of DLPack, not on %s: move the variable '
                'with to_device first' % (
                    tuple(array.__dlpack_device__()), tuple(dl_device)))
        array, stream = cuda.to_cpu(array), None
    elif copy:
        array = array.copy()
    if max_version is not None:
        try:
            return array.__dlpack__(stream=stream, max_version=max_version)
        except TypeError:       # an older library
            pass
    return array.__dlpack__(stream=stream)


def import_array(x):
    """Return a NumPy or CuPy array that shares the memory of another library's array.

    Raises
    ------
    TypeError
        If ``x`` does not support DLPack.
    BufferError
        If neither NumPy nor CuPy supports its device or its dtype.
    """
    if not (hasattr(x, '__dlpack__') and hasattr(x, '__dlpack_device__')):
        raise TypeError(
            'from_dlpack takes arrays with the methods __dlpack__ and '
            '__dlpack_device__, such as those of PyTorch, JAX and CuPy, not %s'
            % type(x))
    kind, number = x.__dlpack_device__()
    kind = int(kind)
    if kind in (_CPU, _CUDA_HOST):
        library = numpy
    elif kind in (_CUDA, _CUDA_MANAGED):
        cuda.check_cuda_available()
        library = cuda.cupy
    else:
        raise BufferError(
            'the array is on the device (%s, %s) of DLPack, which neither NumPy nor '
            'CuPy supports: move it to the processor first' % (kind, number))
    try:
        return library.from_dlpack(x)
    except (BufferError, RuntimeError) as error:
        raise BufferError(
            '%s has no array for this %s of dtype %s (%s)' % (
                library.__name__, type(x).__name__, getattr(x, 'dtype', 'unknown'),
                error)) from error
