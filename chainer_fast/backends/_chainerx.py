"""Devices of ChainerX, which is imported on demand."""
from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

from chainer_fast import _backend
from chainer_fast._backend import Arrays, Device
from chainer_fast._core import kinds
from chainer_fast.backends import _cpu, cuda, intel64


def is_device(value: object) -> bool:
    """Return whether an object is a device of ChainerX."""
    # Without arrays, no device exists yet.
    return bool(_kind.types) and isinstance(value, _kind.module.Device)


def device_of(spec: str) -> ChainerxDevice:
    """Return the device of a name such as ``'native:0'``.

    Raises
    ------
    RuntimeError
        If no device has that name: a ChainerxError.
    """
    if spec.partition(':')[0] not in ('native', 'cuda'):
        raise RuntimeError(
            'ChainerX has no device %r: its backends are native and cuda; specifiers '
            'of NumPy '
            "and CuPy start with '@', such as '@numpy' and '@cupy:0'" % (spec,))
    return ChainerxDevice(_kind.module.get_device(spec))


class ChainerxDevice(_backend.NamedDevice):
    """A device of ChainerX. Specifiers: ``'native:0'``, ``'cuda:0'``, ...

    Parameters
    ----------
    device : chainerx.Device

    Attributes
    ----------
    device : chainerx.Device

    Raises
    ------
    TypeError
        If ``device`` is something else.

    Examples
    --------
    >>> device = chainer.get_device('native:0')
    >>> device.fallback_device.name
    '@numpy'
    """

    _wraps = True

    def __init__(self, device: Any) -> None:
        if not isinstance(device, _kind.module.Device):
            raise TypeError('expected a chainerx.Device, not %s' % type(device))
        self.device = device

    @property
    def xp(self) -> Any:
        """The module ``chainerx``."""
        return _kind.module

    @property
    def supported_array_types(self) -> tuple[type[Any], ...]:  # type: ignore[override]
        """The type of array of ChainerX, in a tuple."""
        return (_kind.module.ndarray,)

    @property
    def name(self) -> str:
        """Specifier of the device."""
        return self.device.name

    def __repr__(self) -> str:
        return '<%s %s>' % (type(self).__name__, self.name)

    @staticmethod
    def from_array(array: object) -> ChainerxDevice | None:
        """Return the device of an array of ChainerX, or ``None`` for anything else."""
        if not isinstance(array, _kind.types):
            return None
        found: Any = array
        return ChainerxDevice(found.device)

    @staticmethod
    def from_fallback_device(device: Device) -> ChainerxDevice:
        """Return the device whose arrays share memory with those of another one.

        Raises
        ------
        ValueError
            If it is neither a device of NumPy nor of CuPy.
        """
        get_device = _kind.module.get_device
        if isinstance(device, _cpu.CpuDevice):
            return ChainerxDevice(get_device('native', 0))
        if isinstance(device, cuda.GpuDevice):
            return ChainerxDevice(get_device('cuda', device.device.id))
        raise ValueError('ChainerX cannot share memory with %s' % (device,))

    @property
    def fallback_device(self) -> Device:
        """Device of NumPy or CuPy that shares the memory of this one."""
        if self.device.native:
            return _cpu.CpuDevice()
        return cuda.GpuDevice.from_device_id(self.device.index)

    def create_context(self) -> AbstractContextManager[Any]:
        scope = _kind.module.using_device(self.device)
        return scope if self.device.native else _with_cupy(scope)

    def use(self) -> None:
        _kind.module.set_default_device(self.device)

    def is_array_supported(self, array: Any) -> bool:
        return isinstance(array, self.supported_array_types) and (
            array.device is self.device)

    def send_array(self, array: Any) -> Any:
        chainerx = _kind.module
        if isinstance(array, chainerx.ndarray):
            stays = array.device is self.device
            return array if stays else array.to_device(self.device)
        return chainerx._array.plain(self.fallback_device.send(array), self.device)


# The package registers how to import the module, which depends on higher layers; the
# module then adds its array type, and support for variables of such arrays.
_kind: kinds.Kind = kinds.Kind(
    'ChainerX', device_of=ChainerxDevice.from_array,
    current_device=lambda: ChainerxDevice(_kind.module.get_default_device()),
    to_numpy=lambda array: _cpu._to_cpu(array._array),
    plain=lambda array: array._array)
kinds.register(_kind)


@contextlib.contextmanager
def _with_cupy(scope):
    """Also make a device the current one of CuPy, for functions on plain arrays."""
    with scope, scope.device.scope():
        yield scope


def to_chx(array: Arrays) -> Arrays:
    """Convert arrays to arrays of ChainerX that share their memory.

    Parameters
    ----------
    array : array, or list or tuple of arrays
        ``None`` and arrays of ChainerX are returned unchanged.

    Raises
    ------
    TypeError
        If something is not an array.
    """
    return _backend._convert_arrays(array, _array_to_chainerx)


def from_chx(array: Arrays) -> Arrays:
    """Convert arrays of ChainerX to arrays of NumPy or CuPy that share their memory.

    Parameters
    ----------
    array : array, or list or tuple of arrays
        Arrays of NumPy and CuPy, and ``None``, are returned unchanged.

    Raises
    ------
    TypeError
        If something is not an array.
    """
    return _backend._convert_arrays(array, _array_from_chainerx)


def _array_to_chainerx(array):
    chainerx = _kind.module
    if array is None or isinstance(array, chainerx.ndarray):
        return array
    plain = _array_from_chainerx(array)
    device = cuda.GpuDevice.from_array(plain) or _cpu.CpuDevice()
    return chainerx._array.plain(
        plain, ChainerxDevice.from_fallback_device(device).device)


def _array_from_chainerx(array):
    if isinstance(array, _kind.types):
        return array._array
    known: Any = (
        *_cpu.CpuDevice.supported_array_types, *cuda.GpuDevice.supported_array_types,
        intel64.mdarray)
    if array is None or isinstance(array, known):
        return array
    raise TypeError('expected an array, got %s' % type(array))
