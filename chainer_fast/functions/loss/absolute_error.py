from __future__ import annotations

from chainer_fast import utils
from chainer_fast.backends.kernels import arithmetic as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import basic_math
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class AbsoluteError(FunctionNode):
    """Absolute differences."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'x0', 'x1')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x0, x1 = inputs
        self.diff: NdArray = utils.force_array(kernels.difference(x0, x1), x0.dtype)
        return utils.force_array(kernels.absolute(self.diff), x0.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gx, = basic_math.AbsoluteGrad(self.diff).apply(grad_outputs)
        return tuple([gx if i == 0 else -gx for i in indexes])


def absolute_error(x0: VariableOrArray, x1: VariableOrArray) -> Variable:
    """Absolute differences of two arrays, elementwise.

    .. math:: y_i = |x^0_i - x^1_i|

    Parameters
    ----------
    x0 : Variable or array
        Values of a floating dtype.
    x1 : Variable or array
        Values of the same dtype and shape.

    Returns
    -------
    Variable
        The differences, of the shape and dtype of ``x0``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype or shape.

    See Also
    --------
    chainer_fast.functions.mean_absolute_error
    chainer_fast.functions.squared_error

    Examples
    --------
    >>> x = np.array([1., -2., 5.], np.float32)
    >>> F.absolute_error(x, np.full(3, 2., np.float32)).array
    array([1., 4., 3.], dtype=float32)
    """
    return AbsoluteError().apply((x0, x1))[0]
