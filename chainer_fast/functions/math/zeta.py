"""The Hurwitz zeta function."""
from __future__ import annotations

import numpy

from chainer_fast import function_node, utils
from chainer_fast.backends.kernels.arithmetic import special
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _gradients
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Zeta(function_node.FunctionNode):
    """Hurwitz zeta function of ``q``, with exponents ``x`` that are constants."""

    label = 'zeta'

    def __init__(self, x: NdArray | float) -> None:
        self._x = x

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'q')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        q, = inputs
        self.retain_inputs((0,))
        return utils.force_array(special.ufunc(q, 'zeta')(self._x, q), q.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        # Each term (k + q) ** -x has the derivative -x * (k + q) ** -(x + 1).
        q, = self.get_retained_inputs()
        x = numpy.asarray(self._x) if isinstance(self._x, (list, tuple)) else self._x
        return _gradients.fit(zeta(x + 1, q) * -x * gy[0], q),


def zeta(x: NdArray | float, q: VariableOrArray) -> Variable:
    """Elementwise Hurwitz zeta function.

    .. math:: \\zeta(x, q) = \\sum_{k=0}^{\\infty} \\frac{1}{(k + q)^x}

    Parameters
    ----------
    x : array or float
        Exponents, greater than 1. They have no gradient.
    q : Variable or array
        Floating-point shifts, of a shape that can be broadcast with that of ``x``.

    Returns
    -------
    Variable
        Sums, of the common shape and the dtype of ``q``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``q`` is not floating-point.
    ValueError
        If the shapes cannot be broadcast.
    TypeError
        If ``x`` is a variable.

    See Also
    --------
    chainer_fast.functions.polygamma
    scipy.special.zeta

    Examples
    --------
    >>> F.zeta(2., np.array([1., 2.], np.float32)).array    # pi ** 2 / 6, and one less
    array([1.6449, 0.6449], dtype=float32)
    """
    return Zeta(x).apply((q,))[0]
