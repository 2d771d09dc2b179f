"""GPUs, through CuPy.

Everything here can be imported and queried without a GPU: :data:`available` is
whether a GPU can be used, :func:`check_cuda_available` raises an error if not,
and :data:`DummyDevice` represents the CPU where a CUDA device is expected.

CuPy 13 and newer are supported. Its names that programs use from here, ``cupy``,
``cuda``, ``cupyx``, ``cublas``, ``memory_pool`` and ``pinned_memory_pool``, are CuPy's
own. If CuPy is not available, ``cupy`` is an object that raises an error when used, and
the others do not exist.
"""
from __future__ import annotations

import importlib
import warnings
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, overload

import numpy

from chainer_fast import _backend
from chainer_fast._backend import Arrays
from chainer_fast._core import kinds
from chainer_fast._core.devices import launches
from chainer_fast._help.past import missing_names as _missing_names
from chainer_fast.backends import _cpu, _cudnn, _launches, intel64
from chainer_fast.backends._cuda_kernel import (
    clear_memo,
    elementwise,
    fuse,
    memoize,
    raw,
    reduce,
)
from chainer_fast.backends._cudnn import (
    get_cudnn_dropout_states,
    get_cudnn_dropout_states_core,
    get_max_workspace_size,
    set_max_workspace_size,
    should_use_cudnn,
    should_use_cudnn_tensor_core,
)
from chainer_fast.backends._cupy import available, cupy
from chainer_fast.backends._cupy import check_available as check_cuda_available
from chainer_fast.backends._cupy import error as _resolution_error  # noqa: F401
from chainer_fast.configuration import config
from chainer_fast.types import NdArray, Xp

__all__ = [
    'Device', 'DummyDevice', 'DummyDeviceType', 'Event', 'GpuDevice', 'Stream',
    'available', 'check_cuda_available', 'clear_memo', 'config', 'copy',
    'cudnn_enabled', 'cupy', 'elementwise', 'fuse', 'get_array_module',
    'get_cudnn_dropout_states', 'get_cudnn_dropout_states_core', 'get_device',
    'get_device_from_array', 'get_device_from_id', 'get_max_workspace_size', 'memoize',
    'ndarray', 'raw', 'reduce', 'set_max_workspace_size', 'should_use_cudnn',
    'should_use_cudnn_tensor_core', 'to_cpu', 'to_gpu']

if TYPE_CHECKING:
    from cupy import ndarray
    from cupy.cuda import Device, Event, Stream
elif available:
    ndarray = cupy.ndarray
    Device, Event, Stream = cupy.cuda.Device, cupy.cuda.Event, cupy.cuda.Stream
else:
    # With these stand-ins, ``isinstance`` tests and type annotations need no special
    # case on machines without a GPU.

    class ndarray:
        """Type of CuPy's arrays, for ``isinstance``; no instances exist."""

        @property
        def shape(self) -> None:
            return None

        @property
        def device(self) -> None:
            return None

        def get(self, stream=None) -> None:
            return None

        def set(self, arr, stream=None) -> None:
            return None

    class Device:
        """Type of CUDA devices, for ``isinstance``; as a context it does nothing."""

        def __init__(self, device: Any = None) -> None:
            pass

        def __enter__(self) -> None:
            return None

        def __exit__(self, *exc_info: object) -> None:
            return None

    class Event:
        """Type of CUDA events, for ``isinstance``."""

    class Stream:
        """Type of CUDA streams, for ``isinstance``."""


# Whether functions may use cuDNN, which is searched on demand.
cudnn_enabled: bool


launches.bind(array=ndarray, **_launches.needs())


class _PerformanceWarning(Warning):
    """Category that programs name in their warning filters."""


_integer_types = (int, numpy.integer)
_cupy_major = int(cupy.__version__.split('.')[0]) if available else 0

# Names that are looked up in CuPy on access, and their locations.
_FROM_CUPY = {
    'cuda': ('cupy.cuda', None),
    'cublas': ('cupy.cuda', 'cublas'),
    'cupyx': ('cupyx', None),
    'memory_pool': ('cupy', 'get_default_memory_pool'),
    'pinned_memory_pool': ('cupy', 'get_default_pinned_memory_pool'),
}


def __getattr__(name: str) -> Any:
    if name == 'cudnn_enabled':
        return _cudnn.version() > 0
    if not available or name not in _FROM_CUPY:
        raise _missing_names.error(__name__, name)
    module_name, attribute = _FROM_CUPY[name]
    value = importlib.import_module(module_name)
    if attribute is not None:
        value = getattr(value, attribute)
        if attribute.startswith('get_'):
            value = value()
    globals()[name] = value
    return value


class DummyDeviceType:
    """Placeholder for a CUDA device; as a context manager it does nothing.

    Its only instance is :data:`DummyDevice`. It lets code select a device in the same
    way for the CPU and for GPUs.

    Examples
    --------
    >>> device = chainer.backends.cuda.get_device_from_array(np.ones(2))
    >>> with device:
    ...     int(device)
    -1
    """

    id = -1
    __hash__ = None

    def __init__(self) -> None:
        pass

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DummyDeviceType)

    def __enter__(self) -> DummyDeviceType:
        return self

    def __exit__(self, *exc_info: object) -> None:
        return None

    def use(self) -> None:
        """Do nothing."""

    def synchronize(self) -> None:
        """Do nothing."""


DummyDevice: DummyDeviceType = DummyDeviceType()


# Selection of devices
#

def get_device_from_id(device_id: int | None) -> Any:
    """Return the CUDA device with a number.

    Parameters
    ----------
    device_id : int or None
        Number of the device.

    Returns
    -------
    cupy.cuda.Device or DummyDeviceType
        :data:`DummyDevice` for ``None`` and for negative numbers.

    Raises
    ------
    RuntimeError
        If a device is requested and CuPy is not available.

    Examples
    --------
    >>> from chainer_fast.backends import cuda
    >>> cuda.get_device_from_id(-1) is cuda.DummyDevice
    True
    """
    number = -1 if device_id is None else device_id
    if number < 0:
        return DummyDevice
    check_cuda_available()
    return Device(int(number))


def get_device_from_array(*arrays: Any) -> Any:
    """Return the CUDA device that holds the first array of CuPy among the arguments.

    Parameters
    ----------
    *arrays
        Arrays of any backend, or other objects. Variables do not count as arrays.

    Returns
    -------
    cupy.cuda.Device or DummyDeviceType
        :data:`DummyDevice` if none of the arguments is an array of CuPy.

    See Also
    --------
    chainer_fast.backend.get_device_from_array : Devices of all backends.
    """
    if available:
        for arr in arrays:
            if isinstance(arr, ndarray):
                return arr.device
    return DummyDevice


def get_device(*args: Any) -> Any:
    """Return the CUDA device of the first argument that determines one.

    .. deprecated:: 2.0
        Use :func:`get_device_from_id` or :func:`get_device_from_array`.

    Parameters
    ----------
    *args
        Numbers of devices, devices and arrays; anything else is ignored.

    Returns
    -------
    cupy.cuda.Device or DummyDeviceType
        :data:`DummyDevice` if no argument determines one.
    """
    warnings.warn('get_device is deprecated. Please use get_device_from_id or '
                  'get_device_from_array instead.', DeprecationWarning)
    return _get_cuda_device(*args)


def _get_cuda_device(*args):
    for arg in args:
        # Booleans are integers in Python, but are not devices.
        if isinstance(arg, _integer_types) and not isinstance(arg, bool):
            check_cuda_available()
            return Device(int(arg))
        if available and isinstance(arg, (Device, ndarray)):
            return getattr(arg, 'device', arg)
    return DummyDevice


def _numbered_device(number):
    """Return the device with a number, which must be valid."""
    if isinstance(number, _integer_types) and number >= 0:
        return Device(int(number))
    raise ValueError('Invalid CUDA device %r: its number must be an integer from 0 on'
                     % (number,))


def _get_device_or_current(device):
    """Return a device for a device, a number, or ``None``: the current one."""
    if isinstance(device, Device):
        return device
    return Device() if device is None else _numbered_device(device)


class GpuDevice(_backend.NamedDevice):
    """A GPU, with CuPy as its array module. Specifier: ``'@cupy:N'``.

    Parameters
    ----------
    device : cupy.cuda.Device
        The device of CuPy.

    Attributes
    ----------
    device : cupy.cuda.Device
        As given.

    Examples
    --------
    On a machine with a GPU: ::

        device = chainer.get_device('@cupy:0')
        device.use()
        model.to_device(device)
    """

    xp: Xp = cupy
    supported_array_types: tuple[type[Any], ...] = (ndarray,)

    def __init__(self, device: Any) -> None:
        if available and isinstance(device, Device):
            self.device = device
            return
        check_cuda_available()
        raise TypeError('expected a cupy.cuda.Device, got %r; '
                        'GpuDevice.from_device_id() accepts numbers' % (device,))

    @property
    def name(self) -> str:
        return '@cupy:%d' % self.device.id

    @staticmethod
    def from_device_id(device_id: int) -> GpuDevice:
        """Return the GPU with a number.

        Parameters
        ----------
        device_id : int
            Number of the GPU.

        Returns
        -------
        GpuDevice
            The device.

        Raises
        ------
        RuntimeError
            If CuPy is not available.
        ValueError
            If ``device_id`` is not an integer, or negative.
        """
        check_cuda_available()
        return GpuDevice(_numbered_device(device_id))

    @staticmethod
    def from_array(array: Any) -> GpuDevice | None:
        """Return the GPU of an array of CuPy, or ``None`` for anything else."""
        on_gpu = available and isinstance(array, ndarray)
        return GpuDevice(array.device) if on_gpu else None

    def is_array_supported(self, array: Any) -> bool:
        return super().is_array_supported(array) and array.device == self.device

    def send_array(self, array: Any) -> NdArray:
        return _array_to_gpu(array, self.device)

    def create_context(self) -> AbstractContextManager[Any]:
        # A new object each time, since entering stores the previous device in it.
        return Device(self.device.id)

    def use(self) -> None:
        self.device.use()

    def __repr__(self) -> str:
        return '<%s (cupy):%d>' % (type(self).__name__, self.device.id)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled links contain only the number.
        return GpuDevice.from_device_id, (self.device.id,)


# Moving arrays
#

@overload
def to_gpu(
        array: NdArray | numpy.generic, device: Any = ...,
        stream: Any = ...) -> NdArray: ...
@overload
def to_gpu(array: Arrays, device: Any = ..., stream: Any = ...) -> Arrays: ...
def to_gpu(
        array: Any, device: Any = None,
        stream: Any = None) -> NdArray | Arrays:
    """Copy arrays to a GPU.

    Parameters
    ----------
    array : array, NumPy scalar or None, or a list or tuple of them
        Arrays to copy. An array already on the device is not copied.
    device : int, cupy.cuda.Device or None
        The device; the current one if ``None``.
    stream : cupy.cuda.Stream, optional
        Deprecated: the stream to copy on.

    Returns
    -------
    cupy.ndarray or None, or a list or tuple of them
        ``None`` is returned for ``None``.

    Raises
    ------
    RuntimeError
        If CuPy is not available.
    TypeError
        If something is neither an array nor a scalar of NumPy.
    ValueError
        If ``device`` is not a device.

    Examples
    --------
    On a machine with a GPU: ::

        x = chainer.backends.cuda.to_gpu(numpy.ones(2), device=0)
    """
    if stream is not None:
        warnings.warn('The stream option of to_gpu() is deprecated. Use `with stream:` '
                      'around the call.', DeprecationWarning)
    check_cuda_available()
    target = Device() if device is DummyDevice else _get_device_or_current(device)
    return _backend._convert_arrays(
        array, lambda arr: _array_to_gpu(arr, target, stream))


def _array_to_gpu(array, device, stream=None):
    if array is None:
        return None
    array = kinds.plain(array)
    if isinstance(array, ndarray):
        if array.device == device:
            return array
        if stream is not None:
            # Work on the array may be pending on another stream than ``stream``.
            array.device.synchronize()
    elif isinstance(array, intel64.mdarray):
        array = _cpu._array_to_cpu(array)
    elif not isinstance(array, (numpy.ndarray, numpy.number, numpy.bool_)):
        raise TypeError(
            'expected an array or a scalar of NumPy to send to a GPU, got %s%s'
            % (type(array), _cpu._hint(array)))
    with device:
        if stream is None:
            return cupy.asarray(array)
        with stream:
            return cupy.asarray(array)


@overload
def to_cpu(array: NdArray | numpy.generic, stream: Any = ...) -> NdArray: ...
@overload
def to_cpu(array: Arrays, stream: Any = ...) -> Arrays: ...
def to_cpu(array: Any, stream: Any = None) -> NdArray | Arrays:
    """Copy arrays to host memory.

    Parameters
    ----------
    array : array, scalar or None, or a list or tuple of them
        Arrays to copy. A NumPy array is returned unchanged.
    stream : cupy.cuda.Stream, optional
        The stream to copy on; the current one of the array's device by default.

    Returns
    -------
    numpy.ndarray or None, or a list or tuple of them
        ``None`` is returned for ``None``.

    Raises
    ------
    TypeError
        If something is neither an array nor a scalar.

    Examples
    --------
    >>> x = np.ones(2)
    >>> chainer.backends.cuda.to_cpu(x) is x
    True
    """
    return _backend._convert_arrays(array, lambda arr: _array_to_cpu(arr, stream))


def _array_to_cpu(array, stream=None):
    if not isinstance(array, ndarray):
        return _cpu._array_to_cpu(array)
    check_cuda_available()
    with array.device:
        return array.get(stream)


kinds.register(kinds.Kind(
    'CuPy', load=lambda: cupy, types=(ndarray,), available=available,
    device_of=GpuDevice.from_array, current_device=lambda: GpuDevice(Device()),
    to_numpy=_array_to_cpu))


def copy(
        array: NdArray, out: NdArray | None = None, out_device: Any = None,
        stream: None = None) -> NdArray:
    """Copy an array of CuPy, possibly to another GPU.

    Parameters
    ----------
    array : cupy.ndarray
        The array to copy.
    out : cupy.ndarray, optional
        Array to copy to. If given, ``out_device`` is ignored.
    out_device : int or cupy.cuda.Device, optional
        Device of the new array; that of ``array`` by default.
    stream : None
        Retired: copies run on the current stream.

    Returns
    -------
    cupy.ndarray
        ``out``, or a new array.

    Raises
    ------
    RuntimeError
        If CuPy is not available.

    Examples
    --------
    To another GPU: ::

        y = chainer.backends.cuda.copy(x, out_device=1)
    """
    check_cuda_available()
    if stream is not None:
        raise TypeError('copy() no longer accepts a stream; use `with stream:` around '
                        'it')
    source = get_device_from_array(array)
    if out is None:
        target = source if out_device is None else _get_device_or_current(out_device)
        with target:
            out = cupy.empty_like(array)
    with source:
        cupy.copyto(out, array)
    return out


def get_array_module(*args: Any) -> Xp:
    """Return the module whose functions work on the arguments.

    .. deprecated:: 5.0
        Use :func:`chainer_fast.backend.get_array_module`.

    Parameters
    ----------
    *args
        Arrays and variables.

    Returns
    -------
    module
        ``cupy`` if one of them is on a GPU, else ``numpy``.

    See Also
    --------
    chainer_fast.backend.get_array_module

    Examples
    --------
    >>> chainer.backends.cuda.get_array_module(np.ones(2)).__name__
    'numpy'
    """
    if not available:
        return numpy
    # A variable has the attribute, an array does not.
    return cupy.get_array_module(*[getattr(arg, 'raw_array', arg) for arg in args])
