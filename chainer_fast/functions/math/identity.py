"""The identity function."""
from __future__ import annotations

from typing import overload

from chainer_fast import function_node
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Identity(function_node.FunctionNode):
    """Returns its inputs."""

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return xs

    def backward(
            self, indexes: tuple[int, ...],
            gys: GradOutputs) -> tuple[Variable | None, ...]:
        return tuple([gys[i] for i in indexes])


@overload
def identity(
        x0: VariableOrArray, x1: VariableOrArray, /,
        *inputs: VariableOrArray) -> tuple[Variable, ...]: ...
@overload
def identity(x: VariableOrArray, /) -> Variable: ...
def identity(*inputs: VariableOrArray) -> Variable | tuple[Variable, ...]:
    """Returns the inputs as new variables of the graph.

    Parameters
    ----------
    *inputs : Variables or arrays
        Any number of inputs of any shape and dtype.

    Returns
    -------
    Variable or tuple of Variable
        One variable for one input, otherwise a tuple. Outputs share memory with the
        inputs.

    Examples
    --------
    >>> x = chainer.Variable(np.array([1., 2.], np.float32))
    >>> y = F.identity(x)
    >>> y.array, y is x
    (array([1., 2.], dtype=float32), False)
    """
    outputs = Identity().apply(inputs)
    if len(inputs) != 1:
        return outputs
    return outputs[0]
