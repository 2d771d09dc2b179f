"""Run programs that use ChainerX devices on plain arrays of NumPy and CuPy."""
from chainer_fast import backend, device_resident
from chainer_fast.backends import _chainerx
from chainer_fast.legacy import _report
from chainer_fast.variable import _moves

_DEVICE = 'without ChainerX: device'
_TO_CHX = 'without ChainerX: to_chx'


def _device_of(spec):
    """Return the NumPy or CuPy device for the name of a ChainerX device."""
    library, _, number = spec.partition(':')
    if library not in ('native', 'cuda') or not (number or '0').isdecimal():
        return _device_of_chainerx(spec)     # refuses it
    _report.adapted(_DEVICE)
    if library == 'native':
        return backend.CpuDevice()
    return backend.GpuDevice.from_device_id(int(number or 0))


_device_of_chainerx = _chainerx.device_of


def _as_it_is(array):
    _report.adapted(_TO_CHX)
    return _chainerx._array_from_chainerx(array)


def _stay(self):
    """Stay with NumPy or CuPy."""
    _report.adapted(_TO_CHX)
    return self


def _stay_without_result(self):
    """Stay with NumPy or CuPy."""
    _report.adapted(_TO_CHX)


def install(patches):
    patches.set(_chainerx, 'device_of', _device_of)
    patches.set(_chainerx, '_array_to_chainerx', _as_it_is)
    patches.set(device_resident.DeviceResident, 'to_chx', _stay)
    patches.set(_moves.Movable, 'to_chx', _stay_without_result)
