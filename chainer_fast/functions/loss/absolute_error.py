from __future__ import annotations

from chainer_fast import utils
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import basic_math
from chainer_fast.types import GradOutputs, NdArray, VariableOrArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable


class AbsoluteError(FunctionNode):
    """Absolute differences."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'x0', 'x1')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x0, x1 = inputs
        self.diff = utils.force_array(x0 - x1, x0.dtype)
        return utils.force_array(abs(self.diff), x0.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gx, = basic_math.AbsoluteGrad(self.diff).apply(grad_outputs)
        return tuple([gx if i == 0 else -gx for i in indexes])


def absolute_error(x0: VariableOrArray, x1: VariableOrArray) -> Variable:
    """Absolute differences of two arrays, elementwise.

    Parameters
    ----------
    x0 : Variable or array
        Values of a floating dtype.
    x1 : Variable or array
        Values of the same dtype and shape.

    Returns
    -------
    Variable
        :math:`|x^0 - x^1|`, of the shape and dtype of ``x0``.

    Examples
    --------
    >>> a = np.array([1., 2.], np.float32)
    >>> F.absolute_error(a, np.zeros_like(a)).array
    array([1., 2.], dtype=float32)
    """
    return AbsoluteError().apply((x0, x1))[0]
