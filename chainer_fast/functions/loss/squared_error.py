from __future__ import annotations

from chainer_fast import utils
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.backends.kernels.common import halves
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(elementwise('SquaredError::of', 'SquaredError::grads'))
class SquaredError(FunctionNode):
    """Squared differences."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'x0', 'x1')

    @halves.forward_in_single
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        diff = inputs[0] - inputs[1]
        return utils.force_array(diff * diff, inputs[0].dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x0, x1 = self.get_retained_inputs()
        # Twice a difference may be too large for the dtype.
        gx = grad_outputs[0] * 2 * (x0 - x1)
        return tuple([gx if i == 0 else -gx for i in indexes])


def squared_error(x0: VariableOrArray, x1: VariableOrArray) -> Variable:
    """Squared differences of two arrays, elementwise.

    .. math:: y_i = (x^0_i - x^1_i)^2

    Parameters
    ----------
    x0 : Variable or array
        Values of a floating dtype.
    x1 : Variable or array
        Values of the same dtype and shape.

    Returns
    -------
    Variable
        The squares, of the shape and dtype of ``x0``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype or shape.

    See Also
    --------
    chainer_fast.functions.mean_squared_error
    chainer_fast.functions.absolute_error

    Examples
    --------
    >>> x = np.array([1., -2., 5.], np.float32)
    >>> F.squared_error(x, np.full(3, 2., np.float32)).array
    array([ 1., 16.,  9.], dtype=float32)
    """
    error, = SquaredError().apply((x0, x1))
    return error


def squared_difference(x1: VariableOrArray, x2: VariableOrArray) -> Variable:
    """Squared differences of two arrays, elementwise.

    .. math:: y_i = (x^1_i - x^2_i)^2

    It is another name of :func:`~chainer_fast.functions.squared_error`.

    Parameters
    ----------
    x1 : Variable or array
        Values of a floating dtype.
    x2 : Variable or array
        Values of the same dtype and shape.

    Returns
    -------
    Variable
        The squares, of the shape and dtype of ``x1``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype or shape.

    See Also
    --------
    chainer_fast.functions.squared_error

    Examples
    --------
    >>> x = np.array([1., -2., 5.], np.float32)
    >>> F.squared_difference(x, np.full(3, 2., np.float32)).array
    array([ 1., 16.,  9.], dtype=float32)
    """
    return squared_error(x1, x2)
