from __future__ import annotations

from typing import Any, Literal, NoReturn, overload

from chainer_fast import utils
from chainer_fast._help import mistakes
from chainer_fast.backends import arrays
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.backends.kernels import noise, record
from chainer_fast.backends.kernels.arithmetic import elementwise
from chainer_fast.backends.kernels.noise import compiled
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import argument
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


@record(compiled.DropoutShortcut('mask'), fields=('dropout_ratio',))
class Dropout(FunctionNode):
    """Sets random elements to zero and scales up the others."""

    _draws_uniform = True

    # Whether cuDNN computed the result; its masks cannot be read.
    _use_cudnn = False

    def __init__(
            self, dropout_ratio: float, mask: NdArray | None = None,
            return_mask: bool = False) -> None:
        super().__init__()
        if hasattr(dropout_ratio, 'shape'):
            dropout_ratio = _checks.as_float(dropout_ratio)
        try:
            is_ratio = 0 <= dropout_ratio < 1
        except TypeError:
            mistakes.require_number(dropout_ratio, 'the ratio of a dropout')
            raise
        if not is_ratio:
            raise ValueError(
                'dropout_ratio must be in the range [0, 1), but is %s'
                % (dropout_ratio,))
        self.mask: Any = mask
        self.return_mask = return_mask
        self.dropout_ratio = dropout_ratio

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        # The mask is kept: a second call of the function drops the same elements.
        if self.mask is None:
            y, self.mask = noise.dropout(x[0], self.dropout_ratio)
        else:
            y = utils.force_array(x[0] * arrays.weak(self.mask, x[0].dtype))
        return y,

    def backward(
            self, x: tuple[int, ...], gy: GradOutputs) -> tuple[Variable | None, ...]:
        return DropoutGrad(self.mask).apply(gy)


@record(elementwise('Mul::of', ('Mul::of', 'held'), held='mask'))
class DropoutGrad(FunctionNode):
    """Multiplies a gradient by the mask of a dropout.

    Parameters
    ----------
    mask : array
        The mask.
    """

    def __init__(self, mask: NdArray) -> None:
        super().__init__()
        self.mask = mask

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = inputs
        return utils.force_array(gy * arrays.weak(self.mask, gy.dtype)),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return DropoutGrad(self.mask).apply(gy)


class DropoutGradCuDNN(FunctionNode):
    """Multiplies a gradient by the mask that cuDNN has stored in its states.

    Parameters
    ----------
    states : array
        The mask.
    dropout_ratio : float
        Probability that an element was dropped.
    """

    def __init__(self, states: NdArray, dropout_ratio: float) -> None:
        super().__init__()
        self.states = states
        self.dropout_ratio = dropout_ratio

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        if not isinstance(self.states, get_array_types()):
            raise RuntimeError(
                'cuDNN is not enabled: its states must be replaced by a mask, not by '
                '%s' % type(self.states).__name__)
        return DropoutGrad(self.states).forward(inputs)

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        return DropoutGradCuDNN(self.states, self.dropout_ratio).apply(gy)


@overload
def dropout(
        x: VariableOrArray, ratio: float = ..., *, mask: NdArray | None = ...,
        return_mask: Literal[False] = ..., **kwargs: NoReturn) -> Variable: ...
@overload
def dropout(
        x: VariableOrArray, ratio: float = ..., *, mask: NdArray | None = ...,
        return_mask: bool = ..., **kwargs: NoReturn) -> Any: ...
def dropout(
        x: VariableOrArray, ratio: float = 0.5, *, mask: NdArray | None = None,
        return_mask: bool = False,
        **kwargs: NoReturn) -> Variable | tuple[Variable, NdArray | None]:
    """Sets random elements to zero and scales up the others.

    .. math::

        y = m x, \\qquad m = 0 \\text{ with probability } p, \\quad
        \\frac{1}{1 - p} \\text{ otherwise}

    The expected values are those of ``x``. Outside of training mode (if
    ``chainer.config.train`` is false) ``x`` is returned unchanged.

    See: `Improving neural networks by preventing co-adaptation of feature
    detectors <https://arxiv.org/abs/1207.0580>`_

    Parameters
    ----------
    x : Variable or array
        Values of a floating dtype.
    ratio : float
        Probability :math:`p` of dropping an element, in ``[0, 1)``.
    mask : array or None
        Factors to use instead of a random mask, of the shape, dtype and device of
        ``x``.
    return_mask : bool
        Whether to return the mask, too.

    Returns
    -------
    Variable or tuple
        Array of the shape and dtype of ``x``; with ``return_mask`` a tuple of it and
        the mask, which is ``None`` outside of training mode.

    Raises
    ------
    ValueError
        If ``ratio`` is out of range, ``mask`` does not match ``x``, or the retired
        argument ``train`` is given.
    TypeError
        If another unknown argument is given.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.zoneout
    chainer_fast.functions.simplified_dropconnect

    Examples
    --------
    >>> F.dropout(np.ones(8, np.float32), ratio=0.75).array
    array([0., 0., 0., 0., 0., 0., 0., 4.], dtype=float32)
    >>> with chainer.using_config('train', False):
    ...     F.dropout(np.ones(3, np.float32)).array
    array([1., 1., 1.], dtype=float32)
    """
    if kwargs:
        argument.refuse(kwargs, 'train')
    if not config.train:
        y, mask = as_variable(x), None
    else:
        function = Dropout(ratio, mask, return_mask)
        y, = function.apply((x,))
        mask = y.device.send(function.mask) if return_mask else None
    return (y, mask) if return_mask else y
