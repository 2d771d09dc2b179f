from __future__ import annotations

from typing import Any, NoReturn

from chainer_fast.backends.kernels import noise as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast
from chainer_fast.functions.math import _gradients
from chainer_fast.types import NdArray
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Zoneout(FunctionNode):
    """Selects each element from one of two arrays at random.

    Parameters
    ----------
    zoneout_ratio : float
        Probability of selecting it from the first array.
    """

    _draws_uniform = True

    flag_h: Any
    flag_x: Any

    def __init__(self, zoneout_ratio: float) -> None:
        self.zoneout_ratio = zoneout_ratio

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        y, self.flag_h, self.flag_x = kernels.zoneout(*inputs, self.zoneout_ratio)
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gs = _ZoneoutGrad(self.flag_h, self.flag_x).apply(grad_outputs)
        return tuple([_fitting(gs[i], self.inputs[i]) for i in indexes])

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('h', 'x'))


def _fitting(g, x):
    if x.dtype.kind != 'f':
        return None
    return cast.as_type(_gradients.fit(g, x), x.dtype)


class _ZoneoutGrad(FunctionNode):
    """Gradients of :class:`Zoneout` with respect to both arrays.

    Parameters
    ----------
    flag_h, flag_x : array of bool
        Whether each element was selected from the first or the second array.
    """

    def __init__(self, flag_h: NdArray, flag_x: NdArray) -> None:
        super().__init__()
        self.flags = flag_h, flag_x

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.zoneout_grad(inputs[0], *self.flags)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        terms = [gg * flag for gg, flag in zip(grad_outputs, self.flags, strict=True)
                 if gg is not None]
        return terms[0] if len(terms) == 1 else terms[0] + terms[1],


def zoneout(
        h: VariableOrArray, x: VariableOrArray, ratio: float = 0.5,
        **kwargs: NoReturn) -> VariableOrArray:
    """Keeps random elements of a previous state and replaces the others.

    .. math:: y = m h + (1 - m) x

    In training mode (if ``chainer.config.train`` is true), an element of :math:`m` is 1
    with the probability ``ratio``, and 0 otherwise. Outside of training mode ``x`` is
    returned unchanged.

    See: `Zoneout: regularizing RNNs by randomly preserving hidden activations
    <https://arxiv.org/abs/1606.01305>`_

    Parameters
    ----------
    h : Variable or array
        The previous state, of a floating dtype.
    x : Variable or array
        The next state, of the shape and dtype of ``h``.
    ratio : float
        Probability of keeping an element of ``h``.

    Returns
    -------
    Variable
        The mixture, of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If the shapes do not match, or the retired argument ``train`` is given.
    TypeError
        If another unknown argument is given.

    See Also
    --------
    chainer_fast.functions.dropout
    chainer_fast.links.StatefulZoneoutLSTM

    Examples
    --------
    >>> h = np.zeros(6, np.float32)
    >>> x = np.ones(6, np.float32)
    >>> F.zoneout(h, x, ratio=0.25).array
    array([1., 1., 1., 1., 1., 1.], dtype=float32)
    """
    if kwargs:
        argument.refuse(kwargs, 'train')
    if not config.train:
        return x
    return Zoneout(ratio).apply((h, x))[0]
