from __future__ import annotations

from chainer_fast.backends.kernels.common import halves
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


class Cast(FunctionNode):
    """Changes the dtype of an array."""

    def __init__(self, typ: str | DTypeSpec) -> None:
        super().__init__()
        self.type = typ

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self._in_type = inputs[0].dtype.type
        self._is_float = inputs[0].dtype.kind == 'f'
        return halves.cast(inputs[0], self.type),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Integers, bools and complex numbers have no gradients.
        return cast(grad_outputs[0], self._in_type) if self._is_float else None,


def cast(x: VariableOrArray, typ: str | DTypeSpec) -> Variable:
    """Changes the dtype of an array.

    Parameters
    ----------
    x : Variable or array
        Array of any shape and dtype.
    typ : str or dtype
        The dtype to change to.

    Returns
    -------
    Variable
        Array of the shape of ``x``. If ``x`` already has that dtype, its array is
        shared; if backpropagation is also disabled, the variable itself is returned.

    Raises
    ------
    TypeError
        If ``typ`` is not a dtype.

    Examples
    --------
    >>> x = np.array([1.75, -1.75])
    >>> F.cast(x, np.int32).array
    array([ 1, -1], dtype=int32)
    """
    if x.dtype == typ and not config.enable_backprop:
        return as_variable(x)
    # While a graph is built, even a cast that changes nothing returns a new variable,
    # so that every cast of one variable can have its own gradient.
    return Cast(typ).apply((x,))[0]


def as_type(x, dtype):
    """Cast a variable unless it has the dtype; return None for None."""
    return x if x is None or x.dtype == dtype else cast(x, dtype)
