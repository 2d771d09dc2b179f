from __future__ import annotations

from chainer_fast import utils
from chainer_fast.backends.kernels import arithmetic
from chainer_fast.backends.kernels import losses as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class MeanAbsoluteError(FunctionNode):
    """Mean of absolute differences."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'x0', 'x1')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x0, x1 = inputs
        self.diff: NdArray = utils.force_array(arithmetic.difference(x0, x1))
        return kernels.absolute_mean(self.diff),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy, = grad_outputs
        if config.enable_backprop:
            slope = kernels.absolute_mean_grad(self.diff, self.diff.dtype.type(1))
            gx = broadcast.broadcast_to(gy, slope.shape) * slope
        else:
            gx = Variable(kernels.absolute_mean_grad(self.diff, gy.array))
        return tuple([gx if i == 0 else -gx for i in indexes])


def mean_absolute_error(x0: VariableOrArray, x1: VariableOrArray) -> Variable:
    """Mean of the absolute differences of two arrays.

    .. math:: \\frac{1}{n} \\sum_i |x^0_i - x^1_i|

    Parameters
    ----------
    x0 : Variable or array
        Values of a floating dtype.
    x1 : Variable or array
        Values of the same dtype and shape.

    Returns
    -------
    Variable
        The mean, of shape ``()`` and the dtype of ``x0``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype or shape.

    See Also
    --------
    chainer_fast.functions.absolute_error
    chainer_fast.functions.mean_squared_error

    Examples
    --------
    >>> x = np.array([1., -2., 5.], np.float32)
    >>> F.mean_absolute_error(x, np.ones(3, np.float32)).array      # (0 + 3 + 4) / 3
    array(2.3333, dtype=float32)
    """
    return MeanAbsoluteError().apply((x0, x1))[0]
