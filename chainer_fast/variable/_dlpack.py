"""Arrays of variables for other libraries, and theirs for variables, without a copy.

DLPack hands over a pointer with shape, strides and dtype; NumPy and CuPy speak it. The
keywords are those of the 2023 array API, which NumPy before 2.1 and early versions of
CuPy 13 do not know, so that they are dealt with here.
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
    """Return the capsule of DLPack for an array.

    Raises
    ------
    BufferError
        If the array cannot be had on the device that is asked for, it has negative
        strides, or it is read-only and the version of the protocol cannot say so.
    """
    # PyTorch ends the process over negative strides.
    if not copy and any(stride < 0 for stride in array.strides):
        raise BufferError(
            'the array has negative strides %s, which few libraries take: share '
            'a variable of array.copy()' % (array.strides,))
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
    """Return an array of NumPy or CuPy that shares the memory of another library's.

    Raises
    ------
    TypeError
        If ``x`` does not speak DLPack.
    BufferError
        If it is on a device, or has a dtype, that neither NumPy nor CuPy has.
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
            'CuPy has: move it to the processor first' % (kind, number))
    try:
        return library.from_dlpack(x)
    except (BufferError, RuntimeError) as error:
        raise BufferError(
            '%s has no array for this %s of dtype %s (%s)' % (
                library.__name__, type(x).__name__, getattr(x, 'dtype', 'unknown'),
                error)) from error
