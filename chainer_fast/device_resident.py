"""Objects that can be moved between devices: links, optimizers, iterators.

A visitor moves a resident and everything in it. The visitor knows how to move an array;
the residents know their arrays.
"""
from __future__ import annotations

import abc
import threading
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

from chainer_fast import backend
from chainer_fast._backend import Device
from chainer_fast.backends import cuda
from chainer_fast.types import CudaDeviceSpec, DeviceSpec, NdArray, Xp
from chainer_fast.utils import meta

if TYPE_CHECKING:
    from chainer_fast.variable import Variable


class _ThreadLocal(threading.local):

    # What `to_gpu` does for an array on another GPU. None: warn. False: set this
    # attribute to True, so that the caller can warn once.
    flag_gpu_to_gpu = None


_thread_local = _ThreadLocal()

_RETIRED_METHODS = ('to_cpu', 'to_gpu', 'to_intel64')


if TYPE_CHECKING:
    _EnableFinal = abc.ABC
else:
    _EnableFinal = meta.enable_final(meta_base=abc.ABCMeta)

_Resident = TypeVar('_Resident', bound='DeviceResident')


class DeviceResident(_EnableFinal):
    """Base of objects that hold arrays on a device.

    A subclass calls ``DeviceResident.__init__`` and extends
    :meth:`device_resident_accept` to pass each of its arrays, parameters and inner
    residents to the visitor.
    """

    _device = backend.CpuDevice()

    def __init__(self) -> None:
        # A subclass may still override the retired methods; moves must then call them.
        # They are looked up here because a lookup in every move would cost more.
        self._overridden_to_methods = tuple([
            name for name in _RETIRED_METHODS
            if _is_to_device_method_overridden(self, name)])

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        """Pass the contents of the object to a visitor.

        Parameters
        ----------
        visitor : DeviceResidentsVisitor
            Visitor that is called with each array, parameter and inner resident.
        """
        visitor.visit_device_resident(self)

    @property
    def xp(self) -> Xp:
        """Array module of the device: ``numpy`` or ``cupy``."""
        return getattr(self.device, 'xp', None)

    @property
    def device(self) -> Device:
        """The :class:`~chainer_fast.backend.Device` that the object is on."""
        return self._device

    @meta.final(action=DeprecationWarning)
    def to_cpu(self: _Resident) -> _Resident:
        """Move the object to the CPU.

        .. deprecated:: 7.0
            Use ``to_device('@numpy')``.

        Arrays already there, including those of iDeep, are not copied.

        Returns
        -------
        DeviceResident
            The object itself.
        """
        return self.__retired_move('to_cpu', backend.CpuDevice())

    @meta.final(action=DeprecationWarning)
    def to_gpu(
            self: _Resident,
            device: CudaDeviceSpec | None = None) -> _Resident:
        """Move everything on the CPU to a GPU.

        .. deprecated:: 7.0
            Use ``to_device('@cupy:N')``.

        Parameters
        ----------
        device : int or cupy.cuda.Device, optional
            The GPU; the current one by default. Anything already on a GPU is not moved,
            with a ``RuntimeWarning`` if it is another GPU.

        Returns
        -------
        DeviceResident
            The object itself.

        Raises
        ------
        RuntimeError
            If CuPy is not available.
        ValueError
            If ``device`` is not a GPU.
        """
        cuda.check_cuda_available()
        gpu = cuda._get_device_or_current(device)
        return self.__retired_move(
            'to_gpu', backend.GpuDevice(gpu), {'device': gpu}, leave_on_gpu=True)

    @meta.final(action=DeprecationWarning)
    def to_intel64(self: _Resident) -> _Resident:
        """Move the object to the CPU, for iDeep.

        .. deprecated:: 7.0
            Use ``to_device('@intel64')``.

        Returns
        -------
        DeviceResident
            The object itself.

        Raises
        ------
        RuntimeError
            If iDeep is not available.
        """
        return self.__retired_move('to_intel64', backend.Intel64Device())

    @meta.final
    def to_chx(self: _Resident) -> _Resident:
        """Convert the arrays to ChainerX arrays, without copying.

        Returns
        -------
        DeviceResident
            The object itself.
        """
        self.device_resident_accept(_ToChainerxVisitor())
        return self

    @meta.final
    def from_chx(self: _Resident) -> _Resident:
        """Convert ChainerX arrays to NumPy or CuPy arrays, without copying.

        Returns
        -------
        DeviceResident
            The object itself.
        """
        self.device_resident_accept(_FromChainerxVisitor())
        return self

    @meta.final
    def to_device(self: _Resident, device: DeviceSpec) -> _Resident:
        """Move the object to a device.

        Parameters
        ----------
        device
            Specifier of the device, see :func:`chainer_fast.get_device`.

        Returns
        -------
        DeviceResident
            The object itself.
        """
        self.device_resident_accept(_ToDeviceVisitor(backend.get_device(device)))
        return self

    def __retired_move(
            self, method, device, kwargs=None, *, leave_on_gpu: bool = False):
        # An override in a subclass may call this method, so the visitor must not call
        # the override on `self`.
        self.device_resident_accept(_ToDeviceVisitor(
            device, (method, kwargs or {}), leave_on_gpu, self))
        return self


class DeviceResidentsVisitor:
    """Base of visitors of device residents."""

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        """Visit a resident itself; called before the methods for its contents.

        Parameters
        ----------
        device_resident : DeviceResident
            The resident.
        """
        raise NotImplementedError()

    def visit_array(self, arr: Any) -> NdArray:
        """Visit an array that does not belong to a variable.

        Parameters
        ----------
        arr : array
            The array.

        Returns
        -------
        array
            Array that replaces it in the resident.
        """
        raise NotImplementedError()

    def visit_variable(self, param: Variable) -> None:
        """Visit a variable and change it in place.

        Parameters
        ----------
        param : Variable
            The variable or parameter.
        """
        raise NotImplementedError()


class _ToDeviceVisitor(DeviceResidentsVisitor):
    """Moves residents to a device.

    Parameters
    ----------
    device : backend.Device
    entry_method_info : tuple of (str, dict), optional
        The retired method that the move began with, and its arguments.
    skip_between_cupy_devices : bool
        Whether to leave everything on a GPU there, if the device is a GPU.
    starting_device_resident : DeviceResident, optional
        The resident whose retired method began the move. That method is running and
        must not be called again.
    """

    def __init__(
            self, device: Device,
            entry_method_info: tuple[str, dict[str, Any]] | None = None,
            skip_between_cupy_devices: bool = False,
            starting_device_resident: DeviceResident | None = None) -> None:
        self._device = device
        self._start = starting_device_resident
        self._leave_on_gpu = (
            skip_between_cupy_devices and isinstance(device, backend.GpuDevice))
        if entry_method_info is None:
            self._retired_method, self._retired_kwargs = _retired_method_for(device)
        else:
            self._retired_method, self._retired_kwargs = entry_method_info
            warnings.warn(
                '%s is deprecated. Please use to_device(%r) instead.' % (
                    self._retired_method,
                    '@cupy:N' if self._retired_method == 'to_gpu' else device.name),
                DeprecationWarning)

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        device_resident._device = self._device
        if (self._retired_method in device_resident._overridden_to_methods
                and device_resident is not self._start):
            getattr(device_resident, self._retired_method)(**self._retired_kwargs)

    def visit_array(self, arr: Any) -> NdArray:
        if self._stays(backend.get_device_from_array(arr)):
            return arr
        return self._device.send(arr)

    def visit_variable(self, param: Variable) -> None:
        if not self._stays(param.device):
            param.to_device(self._device)

    def _stays(self, where):
        """Return whether an array on the device ``where`` is not moved."""
        if not (self._leave_on_gpu and isinstance(where, backend.GpuDevice)):
            return False
        if where == self._device:
            return True
        if _thread_local.flag_gpu_to_gpu is None:
            target: Any = self._device
            warnings.warn(
                'to_gpu() does not move arrays that are already on a GPU: they remain '
                'on GPU-%s, not GPU-%s. Use to_device() to move between GPUs.'
                % (where.device.id, target.device.id), RuntimeWarning)
        else:
            _thread_local.flag_gpu_to_gpu = True
        return True


class _ToChainerxVisitor(DeviceResidentsVisitor):

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        device = device_resident.device
        if not device._wraps:
            device_resident._device = backend.ChainerxDevice.from_fallback_device(
                device)

    def visit_array(self, arr: Any) -> NdArray:
        return backend.to_chx(arr)

    def visit_variable(self, param: Variable) -> None:
        param.to_chx()


class _FromChainerxVisitor(DeviceResidentsVisitor):

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        device = device_resident.device
        if isinstance(device, backend.ChainerxDevice):
            device_resident._device = device.fallback_device

    def visit_array(self, arr: Any) -> NdArray:
        return backend.from_chx(arr)

    def visit_variable(self, param: Variable) -> None:
        param.from_chx()


def _retired_method_for(device):
    """Return the retired method that moves to a device, and its arguments."""
    if device._wraps:
        return None, {}
    if isinstance(device, backend.GpuDevice):
        return 'to_gpu', {'device': device.device.id}
    return 'to_intel64' if isinstance(device, backend.Intel64Device) else 'to_cpu', {}


def _is_to_device_method_overridden(device_resident, method_name):
    """Return whether a resident overrides a retired method."""
    own = getattr(type(device_resident), method_name)
    return own is not getattr(DeviceResident, method_name)
