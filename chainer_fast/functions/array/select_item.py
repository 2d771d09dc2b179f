from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast.backends.kernels import embed_id as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.SelectItemShortcut(), fields=('_in_shape', '_in_dtype'))
class SelectItem(FunctionNode):
    """Selects from each row the element at the position of its label."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 't'))
        x_type, t_type = in_types
        type_check.expect(t_type.dtype.kind == 'i')
        for each, ndim in (x_type, 2), (t_type, 1):
            type_check.expect(each.ndim == ndim)
        type_check.expect(x_type.shape[0] == t_type.shape[0])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, t = inputs
        self.retain_inputs((1,))
        self._in_shape = x.shape
        self._in_dtype = x.dtype
        if config.debug and not ((t >= 0) & (t < x.shape[1])).all():
            raise ValueError(
                'Each label `t` need to satisfty `0 <= t < x.shape[1]`: %s, and '
                'x.shape[1] is %d' % (
                    _labels.where_outside('t', t, 0, x.shape[1]), x.shape[1]))
        try:
            return kernels.select(x, t),
        except IndexError as error:
            raise _labels.explain(error, x.shape[1], 'columns of x', t=t) from None

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> Sequence[Variable | None]:
        t, = self.get_retained_inputs()
        gx = None
        if 0 in indexes:
            put = Assign(self._in_shape, self._in_dtype, t)
            gx, = put.apply(gy)
        return [gx if i == 0 else None for i in indexes]


class Assign(FunctionNode):
    """Stores one value in each row of a matrix of zeros.

    Parameters
    ----------
    shape : tuple
        Shape of the matrix.
    dtype
        Its dtype.
    t : Variable
        For each row, the column of its value.
    """

    def __init__(
            self, shape: Sequence[Any], dtype: DTypeSpec, t: Variable) -> None:
        super().__init__()
        self.shape = shape
        self.dtype = dtype
        self.t: Variable = t.data

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gx = kernels.place(inputs[0], self.t, self.shape[1])
        return gx.astype(self.dtype, copy=False),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> Sequence[Variable | None]:
        return select_item(gy[0], self.t),


def select_item(x: VariableOrArray, t: VariableOrArray) -> Variable:
    """Selects from each row of a matrix the element at the position of its label.

    .. math:: y_i = x_{i, t_i}

    Parameters
    ----------
    x : Variable or array
        Matrix of any dtype and of shape ``(N, M)``.
    t : Variable or array
        Labels less than ``M``, of an integer dtype and shape ``(N,)``. No gradient
        flows to them.

    Returns
    -------
    Variable
        The elements, of shape ``(N,)`` and of the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not a matrix, ``t`` is not a vector of integers, or their lengths
        differ.
    IndexError
        If a label is too large.
    ValueError
        In debug mode, if a label is negative or too large.

    See Also
    --------
    chainer_fast.functions.get_item

    Examples
    --------
    >>> x = np.array([[10., 11., 12.], [20., 21., 22.]], np.float32)
    >>> F.select_item(x, np.array([1, 2], np.int32)).array
    array([11., 22.], dtype=float32)
    """
    return SelectItem().apply((x, t))[0]
