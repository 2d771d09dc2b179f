from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.backends.kernels import where as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_array


class Where(FunctionNode):
    """Chooses elements of two arrays by a condition.

    Parameters
    ----------
    condition : array
        Boolean array, through which no gradient flows.
    """

    def __init__(self, condition: NdArray) -> None:
        super().__init__()
        self.condition = condition

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        if not isinstance(self.condition, get_array_types()):
            raise type_check.InvalidType(
                'isinstance(condition, ndarray)',
                'type(condition) == %s' % type(self.condition))
        type_check._argname(in_types, ('x', 'y'))
        x_type, y_type = in_types
        condition = type_check.make_variable(self.condition, 'condition')
        type_check.expect(condition.dtype == numpy.bool_)
        type_check.expect(x_type.dtype == y_type.dtype)
        shapes = [each.shape for each in (condition, x_type, y_type)]
        type_check.expect_broadcast_shapes(*shapes)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        # The condition is not an input of the node, so that no function of the graph
        # receives a boolean variable.
        return kernels.where(self.condition, *inputs),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy: Any = grad_outputs[0]
        nought = backend.get_array_module(gy).zeros((), gy.dtype)
        ret = []
        for i in indexes:
            gx = self._choose(gy, *((gy, nought) if i == 0 else (nought, gy)))
            ret.append(sum_.sum_to(gx, self.inputs[i].shape))
        return tuple(ret)

    def _choose(self, gy, *chosen):
        if config.enable_backprop:
            return where(self.condition, *chosen)
        # The gradient will not be differentiated: the kernel is sufficient.
        gx = kernels.where(self.condition, *map(as_array, chosen))
        return Variable(gx, requires_grad=gy.requires_grad)


def where(
        condition: VariableOrArray, x: VariableOrArray, y: VariableOrArray) -> Variable:
    """Selects elements of ``x`` where a condition is true, and of ``y`` elsewhere.

    The three arguments are broadcast against each other.

    .. math:: z_i = x_i \\text{ where } c_i, \\quad y_i \\text{ elsewhere}

    Parameters
    ----------
    condition : Variable or array
        Boolean array.
    x : Variable or array
        Values where the condition is true, of any dtype.
    y : Variable or array
        Values where the condition is false, of the dtype of ``x``.

    Returns
    -------
    Variable
        The chosen elements, of the common shape and the dtype of ``x``. No gradient
        flows to ``condition``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``condition`` is not Boolean, the dtypes of ``x`` and ``y`` differ, or the
        shapes cannot be broadcast.

    See Also
    --------
    numpy.where

    Examples
    --------
    >>> condition = np.array([True, False, True])
    >>> F.where(condition, np.array([1., 2., 3.]), np.array([10., 20., 30.])).array
    array([ 1., 20.,  3.])
    """
    if isinstance(condition, Variable):
        condition = condition.array
    elif isinstance(condition, (bool, numpy.bool_)):
        condition = backend.get_array_module(x, y).asarray(condition)
    return Where(condition).apply((x, y))[0]
