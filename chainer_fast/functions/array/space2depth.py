from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import depth2space as depth2space_mod
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Space2Depth(FunctionNode):
    """Rearranges blocks of pixels into channels.

    Parameters
    ----------
    r : int
        Side length of a block.
    """

    def __init__(self, r: int) -> None:
        self.r: int = _numbers.plain(r)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        type_check.expect(in_types[0].ndim == 4)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        r, x = self.r, inputs[0]
        batch, channels, height, width = x.shape
        x = x.reshape(batch, channels, height // r, r, width // r, r)
        y = kernels.copied(x.transpose(0, 3, 5, 1, 2, 4))
        return y.reshape(batch, channels * r ** 2, height // r, width // r),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return depth2space_mod.Depth2Space(self.r).apply(grad_outputs)


def space2depth(X: VariableOrArray, r: int) -> Variable:
    """Rearranges blocks of pixels into channels, which shrinks images.

    .. math::

        Y_{n, (ri + j) C + c, h, w} = X_{n, c, rh + i, rw + j}, \\qquad 0 \\le i, j < r

    where :math:`C` is the number of channels. It is the inverse of
    :func:`~chainer_fast.functions.depth2space`.

    Parameters
    ----------
    X : Variable or array
        Images of a floating dtype and of shape
        ``(batch, channels, height * r, width * r)``.
    r : int
        Factor by which height and width are divided.

    Returns
    -------
    Variable
        Images of shape ``(batch, channels * r * r, height, width)`` and of the dtype of
        ``X``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``X`` is not floating-point or does not have four axes.
    ValueError
        If the height or the width is not a multiple of ``r``.
    ZeroDivisionError
        If ``r`` is zero.

    See Also
    --------
    chainer_fast.functions.depth2space

    Examples
    --------
    >>> X = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4)
    >>> F.space2depth(X, 2).array[0, :, 0]
    array([[0., 2.],
           [1., 3.],
           [4., 6.],
           [5., 7.]], dtype=float32)
    """
    return Space2Depth(r).apply((X,))[0]
