"""Selection of one of two elements, for the maximum and the minimum of two arrays."""
from __future__ import annotations

from typing import Any

from chainer_fast import backend, function_node, utils
from chainer_fast.backends.kernels import where as kernels
from chainer_fast.backends.kernels.arithmetic import unary
from chainer_fast.backends.kernels.common import halves
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _gradients
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable


class PairFunction(function_node.FunctionNode):
    """Selects elements of two arrays by the ufunc named ``ufunc``.

    ``grad_class`` is the gradient: it passes ``gy`` to the element that was selected.
    """

    ufunc: Any = None
    grad_class: Any = None

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x1', 'x2')
        x1, x2 = in_types
        type_check.expect(x1.dtype == x2.dtype)
        type_check.expect_broadcast_shapes(x1.shape, x2.shape)

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        xp = backend.get_array_module(*inputs)
        return utils.force_array(unary.apply(getattr(xp, self.ufunc), *inputs)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x1, x2 = self.get_retained_inputs()
        return self.grad_class(x1.array, x2.array).apply(grad_outputs)


class PairGrad(function_node.FunctionNode):
    """Passes ``gy`` to the first array where ``first`` is true, likewise to the second.

    NaN is a special case: if one of two elements is NaN, the maximum passes ``gy`` to
    the second array, and the minimum to neither.
    """

    x1_shape: Any
    x2_shape: Any

    def __init__(self, first, second, shapes) -> None:
        self.cond, self.other = first, second
        self.x1_shape, self.x2_shape = shapes

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = inputs
        zero = backend.get_array_module(gy).zeros((), gy.dtype)
        parts = (kernels.where(self.cond, gy, zero), self.x1_shape), (
            kernels.where(self.other, gy, zero), self.x2_shape)
        return tuple([
            g if g.shape == shape else utils.force_array(utils.sum_to(g, shape))
            for g, shape in parts])

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        first, second = [
            each.astype(self.inputs[0].dtype) for each in (self.cond, self.other)]
        gg1, gg2 = grad_outputs
        g = _gradients.combine((gg1, first), (gg2, second))
        return _gradients.fit(g, self.inputs[0]),
