"""Base of the functions that map each element of one floating-point array."""
from __future__ import annotations

from typing import Any

from chainer_fast import backend, function_node, utils
from chainer_fast.backends import arrays
from chainer_fast.backends.kernels.arithmetic import unary
from chainer_fast.backends.kernels.common import halves
from chainer_fast.configuration import config
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray, Xp
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable


class FloatFunction(function_node.FunctionNode):
    """Function of one floating-point array ``x``."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')


class FloatUfunc(FloatFunction):
    """Function that a ufunc of the array module computes.

    Subclasses set ``ufunc`` to the name of the ufunc and define ``gradient``.
    """

    ufunc: Any = None
    keeps = 'x'
    """Variables that the gradient needs: ``x``, the output ``y``, or ``xy``."""
    keeps_dtype = False
    """Whether the result has the dtype of ``x``, even if that is an integer dtype. Such
    dtypes are accepted if types are not checked.
    """

    def compute(self, x: NdArray) -> NdArray:
        """Return the values of the function on an array."""
        return unary.apply(unary.ufunc(x, self.ufunc), x)

    def gradient(self, *kept_and_gy: Any) -> Variable:
        """Return the gradient from the retained variables and the gradient of ``y``."""
        raise NotImplementedError

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        if 'x' in self.keeps:
            self.retain_inputs((0,))
        if 'y' in self.keeps:
            self.retain_outputs((0,))
        x, = inputs
        cast = arrays.force_array if self.keeps_dtype else arrays.floating
        return cast(self.compute(x), x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        known = ()
        if 'x' in self.keeps:
            known += tuple(self.get_retained_inputs())
        if 'y' in self.keeps:
            known += tuple(self.get_retained_outputs())
        if not config.enable_backprop:
            gx = unary.gradient(
                self.ufunc, self.keeps, *[v.array for v in (*known, *grad_outputs)])
            if gx is not NotImplemented:
                return Variable(gx),
        return self.gradient(*known, *grad_outputs),


class ElementwiseGrad(function_node.FunctionNode):
    """Gradient ``slope(x) * gy`` of a function of one array, as a function.

    It is linear in ``gy`` and therefore its own derivative with respect to ``gy``.
    Subclasses define ``slope`` on arrays and ``curve``, the derivative of the slope, on
    variables.
    """

    def slope(self, x: NdArray, xp: Xp) -> NdArray:
        raise NotImplementedError

    def curve(self, x: Variable) -> Variable:
        raise NotImplementedError

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, gy = inputs
        self.retain_inputs((0, 1))
        slope = self.slope(x, backend.get_array_module(x))
        return utils.force_array(slope * gy, gy.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, gy = self.get_retained_inputs()
        return tuple([
            self.curve(x) * gy * grad_outputs[0] if i == 0
            else type(self)().apply((x, *grad_outputs))[0]
            for i in indexes])
