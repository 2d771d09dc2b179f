"""Devices of all backends: selection by specifiers and by arrays."""
from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy

from chainer_fast._backend import Device
from chainer_fast._core import kinds
from chainer_fast.backends import _chainerx, _cpu, cuda
from chainer_fast.backends._chainerx import ChainerxDevice, from_chx, to_chx
from chainer_fast.backends._cpu import CpuDevice
from chainer_fast.backends.cuda import GpuDevice
from chainer_fast.backends.intel64 import Intel64Device
from chainer_fast.types import DeviceSpec, NdArray, Xp

__all__ = [
    'ChainerxDevice', 'CpuDevice', 'Device', 'GpuDevice', 'Intel64Device', 'copyto',
    'from_chx', 'get_array_module', 'get_device', 'get_device_from_array', 'to_chx',
    'using_device']


def copyto(dst: NdArray, src: NdArray) -> None:
    """Copy the elements of an array into another, across devices if necessary.

    Parameters
    ----------
    dst : array
        Array to write to.
    src : array
        Array of any backend; it is broadcast to the shape of ``dst`` and converted to
        its dtype.

    Raises
    ------
    TypeError
        If ``dst`` is not an array, ``src`` cannot be copied to it, or the dtypes are
        of different kinds.

    Examples
    --------
    >>> x = np.zeros(2, np.float32)
    >>> chainer.backend.copyto(x, np.array([1, 2], np.float32))
    >>> x
    array([1., 2.], dtype=float32)
    """
    if isinstance(dst, kinds.wrappers) or isinstance(src, kinds.wrappers):
        dst, src = from_chx([dst, src])
    if isinstance(dst, numpy.ndarray):
        return numpy.copyto(dst, _cpu._to_cpu(src))
    for side, arr in (('to', dst), ('from', src)):
        if not isinstance(arr, (cuda.ndarray, numpy.ndarray)):
            raise TypeError('expected an array to copy %s, got %s' % (side, type(arr)))
    with dst.device:
        cuda.cupy.copyto(dst, cuda.cupy.asarray(src))


def get_device(device_spec: DeviceSpec) -> Device:
    """Return the device that a specifier names.

    =================== =========================================================
    specifier           device
    =================== =========================================================
    ``'@numpy'``        the CPU, with NumPy
    ``'@cupy:N'``       the GPU of number N, with CuPy
    ``'@intel64'``      the CPU, with iDeep
    ``'native:N'``      the CPU, with ChainerX
    ``'cuda:N'``        the GPU of number N, with ChainerX
    ``N``, ``'N'``      the GPU of number N; the CPU if N is negative
    a CuPy device       the GPU
    a ChainerX device   that device, with ChainerX
    a device            itself
    =================== =========================================================

    The number of a device of ChainerX is 0 if it is left out.

    Parameters
    ----------
    device_spec : str, int, cupy.cuda.Device or Device
        The specifier.

    Returns
    -------
    Device
        The device.

    Raises
    ------
    RuntimeError
        If the backend of the device is not available.
    ValueError
        If a string is not a specifier.
    TypeError
        If ``device_spec`` has another type.

    Examples
    --------
    >>> device = chainer.get_device('@numpy')
    >>> device.name, device.xp.__name__
    ('@numpy', 'numpy')
    >>> model = L.Linear(3, 2).to_device(device)
    """
    if isinstance(device_spec, Device):
        return device_spec
    if isinstance(device_spec, cuda._integer_types):
        return _get_device_cupy_or_numpy(device_spec)
    if isinstance(device_spec, str):
        return _get_device_from_str(device_spec)
    if isinstance(device_spec, cuda.Device):
        return GpuDevice(device_spec)
    if _chainerx.is_device(device_spec):
        return ChainerxDevice(device_spec)
    raise TypeError(
        'a device is named by a backend.Device, a cuda.Device, a chainerx.Device, an '
        'integer or a string, not by %s' % type(device_spec))


def _get_device_from_str(spec):
    try:
        return _get_device_cupy_or_numpy(int(spec))
    except ValueError:
        pass
    if not spec.startswith('@'):
        return _chainerx.device_of(spec)
    if spec == CpuDevice.name:
        return CpuDevice()
    if spec == Intel64Device.name:
        return Intel64Device()
    module, colon, number = spec[1:].partition(':')
    if module == 'cupy' and colon:
        return GpuDevice.from_device_id(int(number))
    raise ValueError("no device is called %r; there are '@numpy', '@intel64' and "
                     "'@cupy:N' with the number of a GPU" % (spec,))


def _get_device_cupy_or_numpy(device_id):
    """Return the GPU with a number, or the CPU for a negative one."""
    if device_id >= 0:
        return GpuDevice.from_device_id(device_id)
    return CpuDevice()


def using_device(device_spec: DeviceSpec) -> AbstractContextManager[Any]:
    """Make a device the current one for a ``with`` block.

    Parameters
    ----------
    device_spec : str, int, cupy.cuda.Device or Device
        As for :func:`get_device`.

    Returns
    -------
    context manager
        For backends without a current device, i.e. NumPy, it does nothing.

    Raises
    ------
    RuntimeError
        If the backend of the device is not available.

    Examples
    --------
    >>> with chainer.using_device('@numpy'):
    ...     y = L.Linear(3, 2)(np.ones((1, 3), np.float32))
    """
    return get_device(device_spec).create_context()


def get_array_module(*args: Any) -> Xp:
    """Return the module whose functions work on the arguments.

    Parameters
    ----------
    *args
        Arrays and variables.

    Returns
    -------
    module
        ``chainerx`` if one of them is of ChainerX, ``cupy`` if one is on a GPU, else
        ``numpy``.

    See Also
    --------
    chainer_fast.get_device

    Examples
    --------
    >>> x = chainer.Variable(np.array([-1., 2.], np.float32))
    >>> xp = chainer.backend.get_array_module(x)
    >>> xp.maximum(x.array, 0)
    array([0., 2.], dtype=float32)
    """
    if kinds.wrappers:
        for arg in args:
            array = getattr(arg, 'raw_array', arg)
            if isinstance(array, kinds.wrappers):
                kind: Any = kinds.kind_of(array)
                return kind.module
    return cuda.get_array_module(*args)


def get_device_from_array(*arrays: Any) -> Device:
    """Return the device of the first argument that is not on the CPU, or else the CPU.

    Parameters
    ----------
    *arrays
        Arrays of any backend. Other objects are ignored.

    Returns
    -------
    Device
        The CPU if none of the arguments is an array on another device.

    See Also
    --------
    chainer_fast.backends.cuda.get_device_from_array : returns CuPy's own devices.

    Examples
    --------
    >>> chainer.backend.get_device_from_array(np.ones(2)).name
    '@numpy'
    """
    for array in arrays:
        for find in kinds.finders:
            device = find(array)
            if device is not None:
                return device
    return CpuDevice()


def _get_target(device_spec):
    """Return the device that arrays go to; for ``cuda.DummyDevice`` that is the CPU."""
    return CpuDevice() if device_spec is cuda.DummyDevice else get_device(device_spec)


def _guess_device_from_array_module(xp):
    """Return the current device of an array module."""
    for kind in kinds.kinds.values():
        if kind.current_device is not None and xp is kind.module:
            return kind.current_device()
    return CpuDevice()


def _contains_nan(x):
    """Return whether an array has an element that is not a number."""
    if x.dtype.kind not in 'fc':
        return False
    with cuda.get_device_from_array(x):
        return get_array_module(x).isnan(x).any()
