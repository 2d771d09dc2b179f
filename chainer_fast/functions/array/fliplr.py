from __future__ import annotations

import typing as tp

from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import VariableOrArray
from chainer_fast.utils import type_check

if tp.TYPE_CHECKING:
    from chainer_fast.variable import Variable


class FlipLR(FunctionNode):
    """Reverses the second axis."""

    def check_type_forward(self, in_types):
        _checks.floats(in_types, 'a')
        type_check.expect(in_types[0].ndim >= 2)

    def forward(self, inputs):
        return inputs[0][:, ::-1],

    def backward(self, indexes, grad_outputs):
        # Reversing twice restores the order.
        return type(self)().apply(grad_outputs)


def fliplr(a: VariableOrArray) -> Variable:
    """Reverses an array in the left-right direction, along axis 1.

    Parameters
    ----------
    a : Variable or array
        Array of a floating dtype and at least two dimensions.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or has fewer dimensions.

    See Also
    --------
    chainer_fast.functions.flip
    numpy.fliplr

    Examples
    --------
    >>> F.fliplr(np.array([[0., 1.], [2., 3.]])).array
    array([[1., 0.],
           [3., 2.]])
    """
    return FlipLR().apply((a,))[0]
