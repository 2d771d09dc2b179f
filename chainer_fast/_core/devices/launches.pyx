"""Kernels on GPUs, launched by the CUDA driver.

CuPy owns arrays, streams and compiled kernels. A launch by CuPy takes several
microseconds, for the objects that it reads and makes; here the driver's function is
called through its address, with arguments packed in C.
"""
cimport numpy as np
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport intptr_t
from libcpp.vector cimport vector

from chainer_fast._core.arrays.dtypes cimport DOUBLE, HALF, SINGLE

np.import_array()

cdef extern from "chainer_fast/_core/devices/launches.hpp" namespace "chainer_fast":
    ctypedef int (*_Launch "decltype(chainer_fast::Driver::launch_kernel)")()
    ctypedef int (*_Context "decltype(chainer_fast::Driver::get_context)")()
    ctypedef int (*_Copy "decltype(chainer_fast::Driver::copy)")(
        intptr_t, intptr_t, size_t, intptr_t) nogil

    cdef struct Device:
        intptr_t context
        int number

    cdef cppclass Driver:
        _Launch launch_kernel
        _Context get_context
        _Copy copy
        intptr_t context()
        int launch(intptr_t function, size_t blocks, unsigned int threads,
                   intptr_t stream, Arguments &arguments) nogil

ctypedef intptr_t (*_Stream)() except? -1

cdef enum:
    _THREADS = 128               # of a block of elements

cdef const char *_STREAM = b'intptr_t (void)'

cdef type _Array = None
cdef object _device_number = None        # () -> number of the current device
cdef object _use_device = None           # number -> None
cdef object _stream_address = None       # () -> address of the current stream
cdef object _error = None                # status -> exception
cdef Driver _driver
cdef _Stream _get_stream = NULL
# The devices of known contexts.
cdef vector[Device] _devices


def bind(*, array, launch_kernel=0, get_context=0, copy=0, stream=None,
         stream_capsule=None, device=None, use_device=None, error=None):
    """Register the class of GPU arrays and the driver; called once, at import.

    Parameters
    ----------
    array : type
        Class of the arrays.
    launch_kernel, get_context, copy : int
        Addresses of ``cuLaunchKernel``, ``cuCtxGetCurrent`` and
        ``cuMemcpyDtoDAsync_v2``; without them CuPy launches all kernels.
    stream : callable
        Returns the address of the current stream.
    stream_capsule : capsule, optional
        The same as a C function, if its signature is that of CuPy 13 and 14.
    device, use_device : callable
        Functions that return and set the number of the current device.
    error : callable
        Makes an exception from a status of the driver.
    """
    global _Array, _device_number, _use_device, _stream_address, _error, _get_stream
    _Array = array
    _driver.launch_kernel = <_Launch><intptr_t>launch_kernel
    _driver.get_context = <_Context><intptr_t>get_context
    _driver.copy = <_Copy><intptr_t>copy
    _device_number = device
    _use_device = use_device
    _error = error
    _stream_address = stream
    _get_stream = NULL
    if PyCapsule_IsValid(stream_capsule, _STREAM):
        _get_stream = <_Stream>PyCapsule_GetPointer(stream_capsule, _STREAM)
    _devices.clear()


cdef bint is_on_device(object array) noexcept:
    """Return whether an object is an array on a GPU."""
    return type(array) is _Array


cdef bint all_on_devices(tuple arrays) noexcept:
    """Return whether all objects are arrays on GPUs or None."""
    cdef Py_ssize_t i
    cdef object array
    for i in range(PyTuple_GET_SIZE(arrays)):
        array = <object>PyTuple_GET_ITEM(arrays, i)
        if array is not None and type(array) is not _Array:
            return False
    return True


cdef bint on_current_device(tuple arrays) except -1:
    """Return whether all objects are arrays on the current GPU or None."""
    cdef int device = 0
    cdef object array
    if current_context(&device) == 0:
        return False
    for array in arrays:
        if array is not None and (
                type(array) is not _Array or array.data.device_id != device):
            return False
    return True


cdef int device_in_use(tuple arrays) except -2:
    """Return the current GPU if it is that of the first array on one, otherwise -1."""
    cdef int device = 0
    cdef object array
    if current_context(&device) == 0:
        return -1
    for array in arrays:
        if type(array) is _Array:
            return device if array.data.device_id == device else -1
    return -1


cdef int use_again(int device) except -1:
    """Make a GPU the current one if it no longer is."""
    cdef int current = device
    if current_context(&current) == 0 or current != device:
        _use_device(device)
    return 0


cdef int kind_on_device(object array) except -2:
    """Return the kind of a floating-point array on a GPU, or -1."""
    return kind_of_dtype(array.dtype) if type(array) is _Array else -1


cdef int kind_of_dtype(object dtype) except -2:
    """Return the kind of a floating-point type, or -1."""
    cdef char letter = (<np.dtype>dtype).type
    if letter == c'f':
        return SINGLE
    if letter == c'd':
        return DOUBLE
    return HALF if letter == c'e' else -1


cdef intptr_t current_stream() except? -1:
    """Return the address of CuPy's current stream."""
    return _stream_address() if _get_stream is NULL else _get_stream()


cdef intptr_t current_context(int *device) except -1:
    """Return the driver's context, and set its device; 0 without a context."""
    cdef intptr_t context = _driver.context()
    cdef size_t i
    if context == 0:
        return 0
    for i in range(_devices.size()):
        if _devices[i].context == context:
            device[0] = _devices[i].number
            return context
    device[0] = _device_number()
    _devices.push_back(Device(context, device[0]))
    return context


cdef intptr_t address_on(int device, object array) except -1:
    """Return the address of an array if it is on a device, otherwise 0.

    The address of an array without elements may be 0, too.
    """
    cdef object memory = array.data
    return memory.ptr if memory.device_id == device else 0


cdef int copy_on_device(int device, object to, object array) except -1:
    """Copy an array to another one of the same shape and type, in C order.

    The other one is on the current device.
    """
    cdef size_t n = to.nbytes
    cdef intptr_t begin = 0, end, stream
    cdef int status
    if n == 0:
        return 0
    if is_on_device(array) and array._c_contiguous:
        begin = address_on(device, array)
    if begin == 0:
        to[...] = array
        return 0
    end = address_on(device, to)
    stream = current_stream()
    with nogil:
        status = _driver.copy(end, begin, n, stream)
    if status:
        raise _error(status)
    return 0


cdef object new_on_device(object shape, object dtype):
    """Return a new array on the current GPU."""
    return (<object>_Array)(shape, dtype)


cdef object new_channels_last(object shape, object dtype):
    """Return a new array of at least three axes, with channels last in memory."""
    cdef tuple given = shape
    cdef Py_ssize_t ndim = len(given)
    return new_on_device((given[0], *given[2:], given[1]), dtype).transpose(
        _CHANNELS_SECOND[ndim] if ndim < 6 else (0, ndim - 1, *range(1, ndim - 1)))


cdef tuple _CHANNELS_SECOND = (
    None, None, None, (0, 2, 1), (0, 3, 1, 2), (0, 4, 1, 2, 3))


cpdef bint is_channels_last(object array) except -1:
    """Return whether an array has channels last in memory, and is not also plain.

    Parameters
    ----------
    array : cupy.ndarray
        Its shape has the channels second.
    """
    cdef tuple shape = array.shape, strides
    cdef Py_ssize_t step, plain_step, length
    cdef int ndim = len(shape), i, axis
    cdef bint plain = True
    if ndim < 3:
        return False
    strides, step = array.strides, array.itemsize
    plain_step = step
    for i in range(ndim):
        axis = channels_first(ndim, i)
        length = shape[axis]
        if length == 0:
            return False
        if length != 1 and <Py_ssize_t>strides[axis] != step:
            return False
        step *= length
        axis = ndim - 1 - i
        length = shape[axis]
        plain = plain and (length == 1 or <Py_ssize_t>strides[axis] == plain_step)
        plain_step *= length
    return not plain


cdef int channels_first(int ndim, int i) noexcept:
    """Return the axis that follows ``i`` axes in memory order.

    This applies to channels last in memory.
    """
    return 1 if i == 0 else 0 if i == ndim - 1 else ndim - i


cdef class DeviceKernel:
    """A kernel, compiled at its first launch in a context for arrays of a type.

    Parameters
    ----------
    make : callable
        Takes the letter of a dtype, and compiles the kernel for such arrays on the
        current device. Its result has the attribute ``ptr``, the function of the
        driver.
    """

    def __init__(self, make):
        self.make = make
        self.kept = []

    cdef intptr_t _function(self, intptr_t context, char kind) except -1:
        cdef size_t i
        for i in range(self.compiled.size()):
            if self.compiled[i].context == context and self.compiled[i].kind == kind:
                return self.compiled[i].function
        made = self.make('efd'[kind])
        self.kept.append(made)
        self.compiled.push_back(Compiled(context, kind, made.ptr))
        return made.ptr

    cdef int launch(
            self, intptr_t context, char kind, Py_ssize_t n,
            Arguments &arguments) except -1:
        """Launch a thread for each element.

        Parameters
        ----------
        context
            The current one.
        kind
            Of the arrays.
        n
            Number of elements.
        arguments
            All those of the kernel.
        """
        return self.launch_blocks(
            context, kind, (n + _THREADS - 1) // _THREADS, _THREADS, arguments)

    cdef int launch_blocks(
            self, intptr_t context, char kind, size_t blocks, unsigned int threads,
            Arguments &arguments) except -1:
        """Launch the kernel on the current stream.

        Nothing is done without blocks, which the driver rejects.
        """
        cdef intptr_t function, stream
        cdef int status
        if blocks == 0:
            return 0
        function, stream = self._function(context, kind), current_stream()
        # After a thousand others, a launch waits for the card; other threads need not
        # wait.
        with nogil:
            status = _driver.launch(function, blocks, threads, stream, arguments)
        if status:
            raise _error(status)
        return 0


cdef class FlatKernel(DeviceKernel):
    """A kernel over arrays of one shape and type, called from Python.

    Its arguments are the addresses of the arrays, the number of elements as ``long
    long``, and numbers, doubles with such arrays and floats with others.
    """

    def __call__(self, tuple arrays not None, *numbers):
        """Launch a thread for each element.

        Parameters
        ----------
        arrays : tuple
        *numbers : float

        Returns
        -------
        bool
            Whether it was launched: all arrays must be on the current device, and in
            C order.
        """
        cdef int device = 0, kind
        cdef intptr_t context = current_context(&device), address
        cdef Arguments arguments
        cdef object array, first = arrays[0], shape
        kind = kind_on_device(first)
        if context == 0 or kind < 0:
            return False
        shape = first.shape
        for array in arrays:
            if kind_on_device(array) != kind or not array._c_contiguous or (
                    array.shape != shape):
                return False
            address = address_on(device, array)
            if address == 0:
                return False
            arguments.add[intptr_t](address)
        arguments.add[Py_ssize_t](first.size)
        for number in numbers:
            if kind == DOUBLE:
                arguments.add[double](number)
            else:
                arguments.add[float](<float><double>number)
        self.launch(context, kind, first.size, arguments)
        return True
