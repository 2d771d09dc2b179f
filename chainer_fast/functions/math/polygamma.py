"""The polygamma functions."""
from __future__ import annotations

from chainer_fast import function_node
from chainer_fast.backends.kernels.arithmetic import special
from chainer_fast.functions.math import _gradients
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


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
        return special.polygamma(x, n),

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

    .. math:: \\psi^{(n)}(x) = \\frac{d^n}{dx^n} \\psi(x)

    Parameters
    ----------
    n : Variable or array
        Orders: nonnegative integers of a signed dtype. The order 0 is :func:`digamma`.
    x : Variable or array
        Floating-point elements, of a shape that can be broadcast with that of ``n``.

    Returns
    -------
    Variable
        The ``n``-th derivatives of the digamma function at ``x``, of the common shape
        and the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``n`` is not of a signed integer dtype, or ``x`` not floating-point.
    ValueError
        If the shapes cannot be broadcast.
    TypeError
        If ``n`` is a number rather than an array.

    See Also
    --------
    chainer_fast.functions.digamma
    chainer_fast.functions.zeta
    scipy.special.polygamma

    Examples
    --------
    >>> n = np.array([0, 1], np.int32)
    >>> F.polygamma(n, np.ones(2, np.float32)).array    # the last is pi ** 2 / 6
    array([-0.5772,  1.6449], dtype=float32)
    """
    return PolyGamma().apply((n, x))[0]
