from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import space2depth as space2depth_mod
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Depth2Space(FunctionNode):
    """Rearranges channels into blocks of pixels.

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
        # The axis of channels splits into the row in the block, the column, and the
        # rest.
        x = x.reshape(batch, r, r, channels // r ** 2, height, width)
        y = kernels.copied(x.transpose(0, 3, 4, 1, 5, 2))
        return y.reshape(batch, channels // r ** 2, height * r, width * r),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return space2depth_mod.Space2Depth(self.r).apply(grad_outputs)


def depth2space(X: VariableOrArray, r: int) -> Variable:
    """Rearranges channels into blocks of pixels, which enlarges images.

    .. math::

        Y_{n, c, rh + i, rw + j} = X_{n, (ri + j) C + c, h, w}, \\qquad 0 \\le i, j < r

    where :math:`C` is the number of channels of the result.

    See: `Real-Time Single Image and Video Super-Resolution Using an Efficient Sub-Pixel
    Convolutional Neural Network <https://arxiv.org/abs/1609.05158>`_

    Parameters
    ----------
    X : Variable or array
        Images of a floating dtype and of shape
        ``(batch, channels * r * r, height, width)``.
    r : int
        Factor by which height and width grow.

    Returns
    -------
    Variable
        Images of shape ``(batch, channels, height * r, width * r)`` and of the dtype of
        ``X``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``X`` is not floating-point or does not have four axes.
    ValueError
        If the number of channels is not a multiple of ``r * r``.
    ZeroDivisionError
        If ``r`` is zero.

    See Also
    --------
    chainer_fast.functions.space2depth

    Examples
    --------
    >>> X = np.arange(8, dtype=np.float32).reshape(1, 4, 1, 2)
    >>> F.depth2space(X, 2).array
    array([[[[0., 2., 1., 3.],
             [4., 6., 5., 7.]]]], dtype=float32)
    """
    return Depth2Space(r).apply((X,))[0]
