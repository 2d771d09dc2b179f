from __future__ import annotations

import typing as tp

import numpy

from chainer_fast import backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import broadcast
from chainer_fast.types import VariableOrArray

if tp.TYPE_CHECKING:
    from chainer_fast.variable import Variable


def _get_intermediate_dtype(dtype):
    # Half precision is summed in single precision.
    return numpy.promote_types(dtype, numpy.float32)


class MeanAbsoluteError(FunctionNode):
    """Mean of absolute differences."""

    def check_type_forward(self, in_types):
        _checks.similar_floats(in_types, 'x0', 'x1')

    def forward(self, inputs):
        x0, x1 = inputs
        xp = backend.get_array_module(x0)
        self.diff = x0 - x1
        total = xp.abs(self.diff).sum(
            dtype=_get_intermediate_dtype(x0.dtype))
        return xp.asarray(total / self.diff.size, dtype=x0.dtype),

    def backward(self, indexes, grad_outputs):
        xp = backend.get_array_module(self.diff)
        # The number of elements may overflow half precision; its inverse does not.
        slope = xp.sign(self.diff) * self.diff.dtype.type(1. / max(self.diff.size, 1))
        gy = broadcast.broadcast_to(grad_outputs[0], slope.shape)
        gx = gy * xp.asarray(slope, dtype=gy.dtype)
        return tuple([gx if i == 0 else -gx for i in indexes])


def mean_absolute_error(x0: VariableOrArray, x1: VariableOrArray) -> Variable:
    """Mean of the absolute differences of two arrays.

    .. math:: \\frac{1}{n} \\sum_i |x^0_i - x^1_i|

    Parameters
    ----------
    x0 : Variable or array
        Values of a floating dtype.
    x1 : Variable or array
        Values of the same dtype and shape.

    Returns
    -------
    Variable
        The mean, of shape ``()``.

    Examples
    --------
    >>> a = np.array([1., 2., 3.], np.float32)
    >>> F.mean_absolute_error(a, a - 2).array
    array(2., dtype=float32)
    """
    return MeanAbsoluteError().apply((x0, x1))[0]
