"""Contexts, backends and devices, and the default ones.

A device of the backend ``native`` represents NumPy arrays, one of ``cuda`` CuPy
arrays on a GPU.
"""
from __future__ import annotations

import contextlib
import threading
from contextlib import AbstractContextManager
from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.chainerx import _errors

__all__ = [
    'Backend', 'BackpropId', 'Context', 'ContextScope', 'Device', 'DeviceScope',
    'context_scope', 'get_backend', 'get_default_context', 'get_default_device',
    'get_device', 'get_global_default_context', 'is_available',
    'set_default_context', 'set_default_device', 'set_global_default_context',
    'using_device']


def is_available() -> bool:
    """Return whether ChainerX can be used: always ``True``."""
    return True


class Device:
    """A device, with one object for each.

    Attributes
    ----------
    name : str
        Such as ``'native:0'``.
    index : int
    backend : Backend
    context : Context
    """

    __slots__ = '__weakref__', 'backend', 'index', 'name', 'native', 'xp'

    def __init__(self, backend: Backend, index: int) -> None:
        self.backend, self.index = backend, index
        self.name = '%s:%d' % (backend.name, index)
        self.native = backend.name == 'native'
        self.xp: Any = numpy if self.native else cuda.cupy

    @property
    def context(self) -> Context:
        return self.backend.context

    def synchronize(self) -> None:
        """Wait until all work launched on the device is finished."""
        if not self.native:
            cuda.Device(self.index).synchronize()

    def scope(self) -> AbstractContextManager[Any]:
        """Return a context in which new arrays of CuPy are on this device."""
        return contextlib.nullcontext() if self.native else cuda.Device(self.index)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return get_device, (self.name,)

    def __deepcopy__(self, memo: Any) -> Device:
        return self


class Backend:
    """A kind of devices: ``native`` or ``cuda``.

    Attributes
    ----------
    name : str
    context : Context
    """

    def __init__(self, context: Context, name: str) -> None:
        self.context, self.name = context, name
        self._devices: dict[int, Device] = {}

    def get_device_count(self) -> int:
        """Return the number of devices."""
        if self.name == 'native':
            return 1
        return cuda.cupy.cuda.runtime.getDeviceCount()

    def get_device(self, index: int) -> Device:
        """Return the device with a number; ``native`` has any number of devices."""
        if index not in self._devices:
            if index < 0 or self.name != 'native' and index >= self.get_device_count():
                raise _errors.DeviceError(
                    'the device %s:%s does not exist' % (self.name, index))
            self._devices.setdefault(index, Device(self, index))
        return self._devices[index]


class BackpropId:
    """The name of a graph.

    Attributes
    ----------
    context : Context
    name : str
    """

    __slots__ = 'context', 'is_alive', 'name'

    #: Whether any graph besides the default ones has ever existed.
    several = False

    def __init__(self, context: Context, name: str) -> None:
        self.context, self.name = context, name
        self.is_alive = True

    def __repr__(self) -> str:
        return self.name if self.is_alive else '<expired>'


class Context:
    """Backends, devices and graphs that belong together."""

    def __init__(self) -> None:
        self._backends: dict[str, Backend] = {}
        self._default_id = BackpropId(self, '<default>')

    def get_backend(self, name: str) -> Backend:
        """Return the backend with a name.

        Raises
        ------
        BackendError
            If it does not exist.
        """
        if name not in self._backends:
            if name == 'cuda':
                if not cuda.available:
                    raise _errors.BackendError(
                        "the backend 'cuda' needs CuPy and a GPU")
            elif name != 'native':
                raise _errors.BackendError(
                    "the backends are 'native' and 'cuda', not %r" % (name,))
            self._backends.setdefault(name, Backend(self, name))
        return self._backends[name]

    def get_device(self, name: str, index: int | None = None) -> Device:
        """Return the device with a name such as ``'native:0'``, or name and index."""
        if index is None:
            name, colon, number = name.partition(':')
            if colon and not (number.isascii() and number.isdigit()):
                raise _errors.DeviceError(
                    'the index of a device must be a number, not %r' % (number,))
            index = int(number or 0)
        return self.get_backend(name).get_device(index)

    def make_backprop_id(self, name: str) -> BackpropId:
        """Return the name of a new graph, which exists until it is released."""
        BackpropId.several = True
        return BackpropId(self, name)

    def release_backprop_id(self, backprop_id: BackpropId) -> None:
        """End a graph."""
        self._check_valid_backprop_id(backprop_id)
        backprop_id.is_alive = False

    def _check_valid_backprop_id(self, backprop_id: BackpropId) -> None:
        if backprop_id.context is not self:
            raise _errors.ChainerxError(
                'the graph %r belongs to another context' % (backprop_id.name,))
        if not backprop_id.is_alive:
            raise _errors.ChainerxError('the graph %r has ended' % (backprop_id.name,))


for _class in Device, Backend, BackpropId, Context:
    _class.__module__ = 'chainerx'

main_context = Context()
_global_context: Context | None = main_context


class _Local(threading.local):
    context: Context | None = None
    device: Device | None = None


_local = _Local()


def get_global_default_context() -> Context:
    """Return the context of threads without their own one."""
    if _global_context is None:
        raise _errors.ContextError('no global default context is set')
    return _global_context


def set_global_default_context(context: Context | None) -> None:
    """Set the context of threads without their own one; None removes it."""
    global _global_context
    _global_context = context


def get_default_context() -> Context:
    """Return the context of this thread."""
    return _local.context or get_global_default_context()


def set_default_context(context: Context | None) -> None:
    """Set the context of this thread; None means the global one."""
    if context is not _local.context:
        _local.device = None
    _local.context = context


class ContextScope:
    """Makes a context the default of the thread while it is entered."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._before: list[tuple[Context | None, Device | None]] = []

    def __enter__(self) -> None:
        self._before.append((_local.context, _local.device))
        set_default_context(self._context)

    def __exit__(self, *exc_info: object) -> None:
        _local.context, _local.device = self._before.pop()


def context_scope(context: Context) -> ContextScope:
    """Return a scope in which a context is the default of the thread."""
    return ContextScope(context)


def get_backend(name: str) -> Backend:
    """Return a backend of the default context."""
    return get_default_context().get_backend(name)


def get_device(device: Device | str | None = None, index: int | None = None) -> Device:
    """Return a device of the default context: by default the default one.

    Parameters
    ----------
    device : Device or str, optional
        A device, or a name such as ``'native'`` or ``'cuda:0'``.
    index : int, optional
        The number, if it is not in the name.
    """
    if device is None:
        return get_default_device()
    if isinstance(device, Device):
        return device
    if not isinstance(device, str):
        raise TypeError('a device must be a chainerx.Device or a string, not %s'
                        % type(device).__name__)
    return get_default_context().get_device(device, index)


def get_default_device() -> Device:
    """Return the device of this thread, on which new arrays are created."""
    device = _local.device
    if device is None:
        device = get_default_context().get_device('native', 0)
    return device


def set_default_device(device: Device | str) -> None:
    """Set the device of this thread."""
    _local.device = get_device(device)


class DeviceScope:
    """Makes a device the default of the thread while it is entered.

    Attributes
    ----------
    device : Device
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._before: list[Device | None] = []

    def __enter__(self) -> DeviceScope:
        self._before.append(_local.device)
        _local.device = self.device
        return self

    def __exit__(self, *exc_info: object) -> None:
        _local.device = self._before.pop()


def using_device(device: Device | str, index: int | None = None) -> DeviceScope:
    """Return a scope in which a device is the default of the thread."""
    return DeviceScope(get_device(device, index))
