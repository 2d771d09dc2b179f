from __future__ import annotations

from typing import Any, NoReturn

from chainer_fast import backend
from chainer_fast.backends.kernels import activation, noise
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class _RReLUGrad(FunctionNode):
    """Gradient of :class:`RReLU`. It is linear, so it is also its own gradient."""

    def __init__(self, y, r: NdArray | None) -> None:
        self.y = y
        self.r = r

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return activation.bend(inputs[0], self.y, self.r),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return _RReLUGrad(self.y, self.r).apply(grad_outputs)


class RReLU(FunctionNode):
    """Leaky rectified linear unit with a random slope for each element.

    Parameters
    ----------
    lower, upper : float
        Bounds of the slopes.
    r : array or None
        Slopes to use in training instead of random ones.
    """

    _draws_uniform = True

    def __init__(
            self, lower: float = 1. / 8, upper: float = 1. / 3,
            r: NdArray | None = None) -> None:
        for name, bound in ('lower', lower), ('upper', upper):
            if not 0. <= bound < 1.:
                raise ValueError(
                    '%s must be in the range [0, 1), but is %s' % (name, bound))
        if not lower < upper:
            raise ValueError(
                'lower must be less than upper, but they are %s and %s'
                % (lower, upper))
        self.lower = lower
        self.upper = upper
        self.r: NdArray | None = r

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        if self.r is not None:
            type_check.expect(in_types[0].dtype == self.r.dtype)
            type_check.expect(in_types[0].shape == self.r.shape)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.retain_outputs((0,))
        # The slopes are kept after the call: a second call of the function uses the
        # same ones.
        if self.r is None and config.train:
            y, self.r = noise.rrelu(x, self.lower, self.upper)
            return y,
        if not config.train:
            xp = backend.get_array_module(x)
            self.r = xp.full(x.shape, (self.lower + self.upper) / 2, x.dtype)
        return activation.bend(x, x, self.r),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Slopes are not negative, so the output has the sign of the input.
        y, = self.get_retained_outputs()
        return _RReLUGrad(y.array, self.r).apply(grad_outputs)


def rrelu(
        x: VariableOrArray, l: float = 1. / 8,  # noqa: E741
        u: float = 1. / 3, *,
        r: NdArray | None = None, return_r: bool = False,
        **kwargs: NoReturn) -> Variable | tuple[Any, ...]:
    """Leaky rectified linear unit with a random slope for each element.

    .. math:: f(x) = x \\quad (x \\ge 0), \\qquad f(x) = r x \\quad (x < 0)

    In training mode (if ``chainer.config.train`` is true) the slopes :math:`r` are
    drawn from the uniform distribution on :math:`[l, u)`. Otherwise all slopes are the
    mean of that distribution, :math:`(l + u) / 2`.

    See: `Empirical evaluation of rectified activations in convolutional network
    <https://arxiv.org/abs/1505.00853>`_

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.
    l, u : float
        Bounds of the slopes, ``0 <= l < u < 1``.
    r : array or None
        Slopes to use in training mode instead of random ones, of the shape and dtype of
        ``x``.
    return_r : bool
        Whether to return the slopes, too.

    Returns
    -------
    Variable or tuple
        Array of the shape and dtype of ``x``; with ``return_r`` a tuple of it and the
        slopes.

    Raises
    ------
    ValueError
        If a bound is out of range, ``l`` is not less than ``u``, or the retired
        argument ``train`` is given.
    TypeError
        If another unknown argument is given.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or ``r`` differs from it in shape or dtype.

    See Also
    --------
    chainer_fast.functions.leaky_relu

    Examples
    --------
    >>> x = np.array([-8., 0., 3.], np.float32)
    >>> r = np.array([0.125, 0.25, 0.25], np.float32)
    >>> F.rrelu(x, r=r).array
    array([-1.,  0.,  3.], dtype=float32)
    >>> with chainer.using_config('train', False):
    ...     F.rrelu(x, l=0.125, u=0.375).array      # the slope is 0.25
    array([-2.,  0.,  3.], dtype=float32)
    """
    if kwargs:
        argument.refuse(kwargs, 'train')
    function = RReLU(l, u, r)
    y, = function.apply((x,))
    return (y, y.device.send(function.r)) if return_r else y
