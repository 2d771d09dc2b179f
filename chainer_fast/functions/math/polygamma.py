"""The polygamma functions."""
from __future__ import annotations

from chainer_fast import function_node, utils
from chainer_fast.functions.math import _gradients, _special
from chainer_fast.types import GradOutputs, NdArray, VariableOrArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable


class PolyGamma(function_node.FunctionNode):
    """Derivatives of the digamma function."""

    label = 'polygamma'

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('n', 'x'))
        n, x = in_types
        type_check.expect(n.dtype.kind == 'i', x.dtype.kind == 'f')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        n, x = inputs
        y = _special.ufunc(x, 'polygamma')(n, x)
        return utils.force_array(y, x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        # The order n is an integer and has no gradient.
        n, x = self.get_retained_inputs()
        grads = []
        for i in indexes:
            g = None
            if i == 1:
                g = _gradients.fit(polygamma(n + 1, x) * gy[0], x)
            grads.append(g)
        return tuple(grads)


def polygamma(n: VariableOrArray, x: VariableOrArray) -> Variable:
    """Elementwise polygamma function.

    Parameters
    ----------
    n : Variable or array
        Orders: integers that are not negative.  0 gives :func:`digamma`.
    x : Variable or array
        Floating-point elements, of a shape that broadcasts with that of ``n``.

    Returns
    -------
    Variable
        The ``n``-th derivatives of the digamma function at ``x``, in the dtype of
        ``x``.
    """
    return PolyGamma().apply((n, x))[0]
