"""Remainders."""
from __future__ import annotations

from chainer_fast import function_node, utils
from chainer_fast.backends.kernels import arithmetic as kernels
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _gradients
from chainer_fast.functions.math import fix as fix_mod
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Fmod(function_node.FunctionNode):
    """Remainder of a division, with the sign of the dividend."""

    label = 'fmod'

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x', 'divisor')
        x, divisor = in_types
        type_check.expect(x.dtype == divisor.dtype)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, divisor = inputs
        return utils.force_array(kernels.remainder(x, divisor), x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # fmod(x, d) = x - fix(x / d) * d, with a quotient that is constant.
        x, divisor = self.get_retained_inputs()
        gy, = grad_outputs
        grads = []
        for i in indexes:
            g = gy if i == 0 else -fix_mod.fix(x / divisor) * gy
            grads.append(_gradients.fit(g, self.inputs[i]))
        return tuple(grads)


def fmod(x: VariableOrArray, divisor: VariableOrArray) -> Variable:
    """Elementwise remainder, with the sign of ``x``.

    .. math:: y = x - d \\operatorname{fix}(x / d)

    where :math:`d` is the divisor, and fix rounds towards zero.

    Parameters
    ----------
    x, divisor : Variable or array
        Floating-point, of one dtype and of shapes that can be broadcast.

    Returns
    -------
    Variable
        Remainders, of the common shape and dtype.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype.
    ValueError
        If the shapes cannot be broadcast.

    See Also
    --------
    chainer_fast.functions.fix
    numpy.fmod

    Examples
    --------
    >>> x = np.array([-7., 7., 6.], np.float32)
    >>> F.fmod(x, np.full(3, 3., np.float32)).array
    array([-1.,  1.,  0.], dtype=float32)
    """
    return Fmod().apply((x, divisor))[0]
