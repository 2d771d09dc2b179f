"""Clipping to a range."""
from __future__ import annotations

from typing import Any

from chainer_fast import backend, utils
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.functions.math import _operands, _unary
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(elementwise(
    'Clip::of', ('Clip::grad', 0), parameters=('x_min', 'x_max')))
class Clip(_unary.FloatUfunc):
    """Clipping; ``None`` means that there is no bound.

    Raises
    ------
    ValueError
        If the lower bound is not less than the upper one, or neither is given.
    """

    x_min: float | None
    x_max: float | None

    def __init__(self, x_min: float | None, x_max: float | None) -> None:
        bounds = [bound for bound in (x_min, x_max) if bound is not None]
        if not bounds:
            raise ValueError('x_min, x_max or both must be given, but both are None.')
        if bounds[0] >= bounds[-1] and len(bounds) == 2:
            raise ValueError(
                f'x_min must be less than x_max, but {x_min} >= {x_max}.')
        self.x_min, self.x_max = x_min, x_max

    def compute(self, x: NdArray) -> NdArray:
        low, high = [
            None if bound is None else _operands._preprocess_const(x, bound)
            for bound in (self.x_min, self.x_max)]
        return backend.get_array_module(x).clip(x, low, high)

    def gradient(self, x: Variable, gy: Variable) -> Variable:
        return ClipGrad(x.array, self.x_min, self.x_max).apply((gy,))[0]


class ClipGrad(_unary.FloatFunction):
    """Gradient of clipping: passes where ``x`` is in the closed range."""

    def __init__(
            self, x: VariableOrArray, x_min: float | None, x_max: float | None) -> None:
        # NaN is out of range, since comparisons with it are false.
        if x_min is None:
            self.cond: Any = x <= x_max
        else:
            self.cond = x >= x_min
            if x_max is not None:
                self.cond &= x <= x_max

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        # A product, since selecting by a mask is slow if the mask changes often.
        return utils.force_array(inputs[0] * self.cond),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Linear in gy; the mask is a constant.
        gy, = grad_outputs
        return gy * self.cond.astype(gy.dtype),


def clip(x: VariableOrArray, x_min: float | None, x_max: float | None) -> Variable:
    """Elementwise clipping to the range from ``x_min`` to ``x_max``.

    .. math:: y = \\min(\\max(x, x_{min}), x_{max})

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    x_min, x_max : float or None
        Bounds; ``None`` means that there is no bound.

    Returns
    -------
    Variable
        Elements of the shape and dtype of ``x``. The gradient passes through elements
        that are not changed.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.
    ValueError
        If ``x_min`` is not less than ``x_max``, or both are ``None``.

    See Also
    --------
    chainer_fast.functions.clipped_relu
    chainer_fast.functions.maximum
    chainer_fast.functions.minimum
    numpy.clip

    Examples
    --------
    >>> x = np.array([-3., 1., 9.], np.float32)
    >>> F.clip(x, 0., 5.).array
    array([0., 1., 5.], dtype=float32)
    >>> F.clip(x, None, 5.).array
    array([-3.,  1.,  5.], dtype=float32)
    """
    y, = Clip(x_min, x_max).apply((x,))
    return y
