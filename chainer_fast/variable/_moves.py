"""Methods of variables that move them from one device to another."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chainer_fast import backend
from chainer_fast.backends import cuda, intel64
from chainer_fast.types import DeviceSpec


class Movable:
    """Base of variables that moves the array between devices."""

    _cached_device: Any
    _grad: Any
    _grad_var: Any
    _hold_alone: Callable[[Any], None]
    _grad_valid: bool
    _has_wrapper: Any
    _requires_grad: bool
    array: Any
    creator_node: Any
    grad: Any
    raw_array: Any
    device: Any

    def to_cpu(self) -> None:
        """Move the array and the gradient to the CPU."""
        device = backend.CpuDevice()
        self.to_device(device)

    def to_gpu(self, device: int | None = None) -> None:
        """Move the array and the gradient to a GPU.

        Parameters
        ----------
        device : int, optional
            Number of the GPU; the current one by default.
        """
        cuda.check_cuda_available()
        self.to_device(cuda._get_device_or_current(device))

    def to_intel64(self) -> None:
        """Move the array and the gradient to the CPU, in iDeep's layout.

        Raises
        ------
        RuntimeError
            If iDeep is not available.
        """
        intel64.check_ideep_available()
        device = intel64.Intel64Device()
        self.to_device(device)

    def to_chx(self) -> None:
        """Convert the array and the gradient to ChainerX, sharing their memory.

        Raises
        ------
        RuntimeError
            If a function computed the variable.
        """
        if not self.device._wraps:
            self._to_device(backend.ChainerxDevice.from_fallback_device(self.device),
                            allow_unchaining=False)

    def from_chx(self) -> None:
        """Convert from ChainerX to NumPy or CuPy; other arrays are not changed.

        Raises
        ------
        RuntimeError
            If the ChainerX array belongs to a graph and the variable is not a
            parameter.
        """
        if self.device._wraps:
            self._to_device(self.device.fallback_device, allow_unchaining=False)

    def to_device(self, device: DeviceSpec) -> None:
        """Move the array and the gradient to a device.

        Parameters
        ----------
        device
            Anything that :func:`chainer_fast.get_device` accepts.
        """
        self._to_device(backend.get_device(device), allow_unchaining=False)

    def _to_device(self, device, allow_unchaining):
        array = self.raw_array
        if array is None:
            if device != self.device:
                # Copies of this parameter create their arrays on their own devices.
                self._hold_alone(None)
            self._cached_device = device
            return
        if self._has_wrapper or device._wraps:
            self._to_device_of_wrappers(device, allow_unchaining)
            return
        grad, grad_var = self._grad, self._grad_var
        moved = device.send(array)
        if moved is not array:
            # Copies of this variable are not moved.
            self._hold_alone(moved)
        self._cached_device = device
        if grad is None:
            return
        moved_grad = device.send(grad)
        if moved_grad is not grad:
            self._grad = moved_grad
        elif grad_var is not None:
            self._grad_var = grad_var

    def _to_device_of_wrappers(self, device, allow_unchaining):
        """Move to or from ChainerX, whose arrays refer to their graphs."""
        if device == self.device:
            return
        chained = self.creator_node is not None
        if self._has_wrapper:
            chained = self.raw_array.is_backprop_required() and not device._wraps
        if chained and not allow_unchaining:
            raise RuntimeError(
                'a variable in a graph cannot be moved between ChainerX and other '
                'libraries')
        array, grad = self.array, self.grad if self._grad_valid else None
        moved, moved_grad = device.send([array, grad])
        self._grad = None
        self._hold_alone(moved)
        self._cached_device = device
        if self._requires_grad or not self._has_wrapper:
            self._grad = moved_grad
