"""Devices and transfers on machines without a GPU."""
from typing import Any

import numpy

from chainer_fast import backend, device_resident
from chainer_fast.backends import cuda
from chainer_fast.legacy import _report
from chainer_fast.variable import _moves

_DEVICE = 'without a GPU: device'
_TO_GPU = 'without a GPU: to_gpu'


class _Context:
    """Object that does nothing in a ``with`` block, or when a program waits for it."""

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        return None

    def use(self):
        """Do nothing."""

    def synchronize(self):
        """Do nothing."""


class Device(_Context):
    """Replacement for a GPU with a number."""

    mem_info = (0, 0)

    def __init__(self, device=None):
        self.id = int(getattr(device, 'id', device) or 0)

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)


class _CountedDevice(Device):

    def __init__(self, device=None):
        _report.adapted(_DEVICE)
        super().__init__(device)


class Event(_Context):
    """An event that has always happened."""

    done = True

    def __init__(self, *args, **kwargs):
        pass

    def record(self, stream=None):
        """Do nothing."""


class Stream(Event):
    """A stream on which all work has finished."""

    null: 'Stream'

    def wait_event(self, event):
        """Do nothing."""


Stream.null = Stream()


def _check_cuda_available():
    _report.adapted('without a GPU: check_cuda_available')


def _asks(device):
    """Return whether a value specifies a GPU: as a number or as a device."""
    is_number = isinstance(device, cuda._integer_types) and not isinstance(device, bool)
    return (is_number and device >= 0) or isinstance(device, Device)


def _get_device(*args):
    for arg in args:
        device = getattr(arg, '_number', arg)
        if _asks(device):
            return _CountedDevice(device)
    return cuda.DummyDevice


def _from_device_id(device_id):
    """Return the processor in place of the GPU with a number."""
    numbered = cuda._numbered_device(device_id)     # creates a device, which is counted
    device: Any = backend.CpuDevice()
    device._number = numbered.id        # programs up to version 5 use it
    return device


def _to_gpu(array, device=None, stream=None):
    _report.adapted(_TO_GPU)
    return cuda._backend._convert_arrays(array, _as_array)


def _as_array(array):
    if array is None or isinstance(array, numpy.ndarray):
        return array
    if isinstance(array, (numpy.number, numpy.bool_)):
        return numpy.asarray(array)
    raise TypeError('expected an array or a scalar of NumPy to send to a GPU, got %s'
                    % type(array))


def _copy(array, out=None, out_device=None, stream=None):
    if out is None:
        return array.copy()
    numpy.copyto(out, array)
    return out


def _stay(self, device=None):
    """Stay on the processor."""
    _report.adapted(_TO_GPU)
    return self


def _stay_without_result(self, device=None):
    """Stay on the processor."""
    _report.adapted(_TO_GPU)


def install(patches):
    if cuda.available:
        return
    for name, value in (
            ('Device', _CountedDevice), ('Stream', Stream), ('Event', Event),
            ('check_cuda_available', _check_cuda_available),
            ('get_device', _get_device), ('get_device_from_id', _get_device),
            ('_get_cuda_device', _get_device), ('to_gpu', _to_gpu), ('copy', _copy)):
        patches.set(cuda, name, value)
    patches.set(cuda.GpuDevice, 'from_device_id', staticmethod(_from_device_id))
    patches.set(backend, '_guess_device_from_array_module',
                lambda xp: backend.CpuDevice())
    patches.set(device_resident.DeviceResident, 'to_gpu', _stay)
    patches.set(_moves.Movable, 'to_gpu', _stay_without_result)
