from __future__ import annotations

from typing import Any

from chainer_fast import backend
from chainer_fast._backend import Device
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import DeviceSpec, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


class Copy(FunctionNode):
    """Copies an array to a device."""

    def __init__(self, in_device: Device, out_device: Device) -> None:
        super().__init__()
        self._in_device = in_device
        self.out_device = out_device

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        if self._in_device == self.out_device:
            return kernels.copied(x),
        return self.out_device.send(x),

    def forward_chainerx(self, inputs: tuple[Any, ...]) -> Any:
        x, = inputs
        if self._in_device == self.out_device:
            return x.copy(),
        target: Any = self.out_device
        return x.to_device(target.device),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Backpropagation copies in the other direction.
        back = Copy(self.out_device, self._in_device)
        return back.apply(grad_outputs)


def copy(x: VariableOrArray, dst: DeviceSpec) -> Variable:
    """Copies an array to a device.

    Backpropagation copies gradients to the device of ``x``.

    Parameters
    ----------
    x : Variable or array
        Array of any shape and dtype.
    dst
        The target: a :class:`~chainer_fast.backend.Device`, a device specifier such as
        ``'@numpy'`` or ``'@cupy:0'``, or an integer, which is the id of a GPU or, if
        negative, the CPU.

    Returns
    -------
    Variable
        The copy, which never shares memory with ``x``.

    Raises
    ------
    ValueError
        If no device has that name.
    TypeError
        If ``dst`` is of another type.
    RuntimeError
        If ``dst`` is a GPU, and there is no GPU or CuPy is not available. If exactly
        one of the devices is a ChainerX device, and ``x`` requires a gradient.

    Examples
    --------
    >>> x = np.array([1., 2.], np.float32)
    >>> y = F.copy(x, '@numpy')
    >>> y.array, y.array is x
    (array([1., 2.], dtype=float32), False)
    """
    target = backend._get_target(dst)
    x = as_variable(x)
    if target._wraps is not x._has_wrapper:
        if x.requires_grad:
            raise RuntimeError(
                'gradients cannot be passed between ChainerX and other libraries')
        return as_variable(target.send(x.array.copy()))
    return Copy(x.device, target).apply((x,))[0]
