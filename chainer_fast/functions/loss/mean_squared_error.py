from __future__ import annotations

from chainer_fast.backends.kernels import losses as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class MeanSquaredError(FunctionNode):
    """Mean of squared differences."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'x0', 'x1')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x0, x1 = inputs
        return kernels.squared_error(x0, x1),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        x0, x1 = self.get_retained_inputs()
        if config.enable_backprop:
            diff = x0 - x1
            slope = diff * broadcast.broadcast_to(gy[0], diff.shape)
            gx = slope * (2. / diff.size)
        else:
            gx = Variable(kernels.squared_error_grad(
                x0.array, x1.array, gy[0].array))
        return tuple([gx if i == 0 else -gx for i in indexes])


def mean_squared_error(x0: VariableOrArray, x1: VariableOrArray) -> Variable:
    """Mean of the squared differences of two arrays.

    .. math:: \\frac{1}{n} \\sum_i (x^0_i - x^1_i)^2

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
    chainer_fast.functions.squared_error
    chainer_fast.functions.mean_absolute_error

    Examples
    --------
    >>> x = np.array([1., -1., 4.], np.float32)
    >>> F.mean_squared_error(x, np.zeros(3, np.float32)).array      # (1 + 1 + 16) / 3
    array(6., dtype=float32)
    """
    return MeanSquaredError().apply((x0, x1))[0]
