"""The device of ChainerX, which is never available.

It has the names that programs and Chainer's own code query before they use ChainerX;
everything that would need it raises ``RuntimeError``.
"""
from __future__ import annotations

import typing as tp

from chainer_fast import _backend
from chainer_fast._backend import Arrays
from chainer_fast.alias import chainerx
from chainer_fast.backends import _cpu, cuda, intel64


def _unavailable():
    return RuntimeError('ChainerX is not available.')


class ChainerxDevice(_backend.NamedDevice):
    """A device of ChainerX. Creating one raises ``RuntimeError``.

    Parameters
    ----------
    device : chainerx.Device

    Raises
    ------
    RuntimeError
        Always: ChainerX is not available.
    """

    xp = chainerx
    supported_array_types: tuple[type[tp.Any], ...] = (chainerx.ndarray,)

    def __init__(self, device: tp.Any) -> None:
        raise _unavailable()

    @staticmethod
    def from_array(array: object) -> None:
        """Return the device of an array of ChainerX, or ``None`` for anything else."""

    @staticmethod
    def from_fallback_device(device: _backend.Device) -> tp.NoReturn:
        """Return the device of ChainerX for one of NumPy or CuPy."""
        raise _unavailable()

    @property
    def fallback_device(self) -> tp.NoReturn:
        """Device of NumPy or CuPy that shares the memory of this one."""
        raise _unavailable()

    def send_array(self, array: tp.Any) -> tp.NoReturn:
        raise _unavailable()


def to_chx(array: Arrays) -> Arrays:
    """Convert arrays to arrays of ChainerX that share their memory.

    Parameters
    ----------
    array : array, or list or tuple of arrays
        ``None`` stays ``None``.

    Raises
    ------
    RuntimeError
        For every array: ChainerX is not available.
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


def _array_to_chainerx(array, device=None):
    if array is not None:
        raise _unavailable()


def _array_from_chainerx(array):
    known: tp.Any = (
        *_cpu.CpuDevice.supported_array_types, *cuda.GpuDevice.supported_array_types,
        intel64.mdarray)
    if array is None or isinstance(array, known):
        return array
    raise TypeError('expected an array, got %s' % type(array))
