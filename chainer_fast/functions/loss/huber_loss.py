from __future__ import annotations

from chainer_fast.backends.kernels import losses as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast, expand_dims
from chainer_fast.functions.math import clip
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class HuberLoss(FunctionNode):
    """Loss that is quadratic near zero and linear beyond."""

    def __init__(self, delta: float, reduce: str = 'sum_along_second_axis') -> None:
        super().__init__()
        if reduce not in ('sum_along_second_axis', 'no'):
            raise ValueError(
                "Only 'sum_along_second_axis' and 'no' are valid for "
                "'reduce', but '%s' is given" % (reduce,))
        self.reduce = reduce
        self.delta = delta

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.similar_floats(in_types, 'x', 't')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, t = inputs
        if self.reduce == 'no':
            return kernels.huber_losses(x, t, self.delta),
        return kernels.huber_loss(x, t, self.delta),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, t = self.get_retained_inputs()
        gy, = grad_outputs
        if self.reduce != 'no':
            gy = expand_dims.expand_dims(gy, 1)
        if config.enable_backprop:
            if self.reduce != 'no':
                gy = broadcast.broadcast_to(gy, x.shape)
            gx = gy * clip.clip(x - t, -self.delta, self.delta)
        else:
            clip.Clip(-self.delta, self.delta)      # an error for an invalid delta
            gx = Variable(kernels.huber_grad(
                x.array, t.array, gy.array, self.delta))
        return tuple([gx if i == 0 else -gx for i in indexes])


def huber_loss(
        x: VariableOrArray, t: VariableOrArray, delta: float,
        reduce: str = 'sum_along_second_axis') -> Variable:
    """Huber loss, which is less sensitive to outliers than a squared error.

    .. math::

        L_\\delta(a) = \\frac{1}{2} a^2 \\quad (|a| \\le \\delta), \\qquad
        L_\\delta(a) = \\delta (|a| - \\frac{1}{2} \\delta)
        \\quad (|a| > \\delta)

    with :math:`a = x - t`.

    See: P. J. Huber, `Robust Estimation of a Location Parameter
    <https://doi.org/10.1214/aoms/1177703732>`_, 1964.

    Parameters
    ----------
    x : Variable or array
        Values of a floating dtype.
    t : Variable or array
        Targets of the same dtype and shape.
    delta : float
        The constant :math:`\\delta`.
    reduce : str
        ``'sum_along_second_axis'``, or ``'no'`` for the loss of each element.

    Returns
    -------
    Variable
        The loss, of the dtype of ``x``: of its shape without the second axis, or of its
        shape with ``reduce='no'``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, or differ in dtype or shape.
    numpy.exceptions.AxisError
        If there is no second axis to sum along.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.squared_error
    chainer_fast.functions.absolute_error

    Examples
    --------
    >>> x = np.array([[1., 3.]])
    >>> t = np.zeros((1, 2))
    >>> F.huber_loss(x, t, delta=2., reduce='no').array
    array([[0.5, 4. ]])
    >>> F.huber_loss(x, t, delta=2.).array
    array([4.5])
    """
    return HuberLoss(delta, reduce).apply((x, t))[0]
