from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chainer_fast.backends.kernels import recurrent
from chainer_fast.function import Function
from chainer_fast.function_node import Fallback
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class TreeLSTM(Function):
    """Gates, cell and output of one node of a tree.

    The inputs are the cells of the children and the inputs of the gates; the outputs
    are the cell and the output of the node.

    Attributes
    ----------
    a, i, o : array
        Values of the gates of the step.
    fs : list of array
        Values of the forget gates, one for each child.
    c : array
        New cell.
    """

    c: NdArray
    a: NdArray
    i: NdArray
    o: NdArray
    fs: Sequence[NdArray]

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() >= 2)
        *c_types, x_type = in_types
        n_ary = len(c_types)
        for c_type in c_types:
            type_check.expect(c_type.dtype.kind == 'f')
            type_check.expect(c_type.dtype == x_type.dtype)
            type_check.expect(c_type.ndim == 2)
        type_check.expect(x_type.ndim == 2)
        for c_type in c_types:
            type_check.expect(x_type.shape[0] == c_type.shape[0])
            type_check.expect(x_type.shape[1] == (3 + n_ary) * c_type.shape[1])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        *cs, x = inputs
        self._gates, self.c, h = recurrent.tree_lstm(x, *cs)
        self.a, self.i, self.o, *self.fs = recurrent.tree_gates(
            self._gates, 3 + len(cs))
        return self.c, h

    def forward_chainerx(self, inputs: tuple[Any, ...]) -> Any:
        """Return the fallback, so that :meth:`forward` computes the outputs."""
        return Fallback

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        return recurrent.tree_lstm_grad(
            self._gates, self.c, *grad_outputs, *inputs[:-1])


def tree_lstm(*inputs: VariableOrArray) -> tuple[Variable, ...]:
    """One step of a long short-term memory over a tree, after its affine maps.

    The arguments are the cells :math:`c_1, \\dots, c_N` of the children and an array
    with the inputs of ``3 + N`` gates, one after the other along its second axis:
    :math:`a, i, o, f_1, \\dots, f_N`. With them,

    .. math::

        c &= \\tanh(a) \\sigma(i) + \\sum_k \\sigma(f_k) c_k, \\\\
        h &= \\tanh(c) \\sigma(o),

    elementwise. For a node with fewer than ``N`` children, zeros replace the missing
    cells.

    See: `Improved semantic representations from tree-structured long short-term
    memory networks <https://www.aclweb.org/anthology/P15-1150>`_

    Parameters
    ----------
    *inputs : Variable or array
        ``N`` arrays of shape ``(B, n)`` and one of shape ``(B, (3 + N) n)``, all of one
        floating dtype.

    Returns
    -------
    tuple of Variable
        The new cells and the outputs, each of shape ``(B, n)``. They cannot be
        differentiated twice.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match, or there are fewer than two arguments.

    See Also
    --------
    chainer_fast.functions.slstm
    chainer_fast.functions.lstm
    chainer_fast.links.ChildSumTreeLSTM
    chainer_fast.links.NaryTreeLSTM

    Examples
    --------
    >>> c1, c2 = np.array([[2.]], np.float32), np.array([[3.]], np.float32)
    >>> x = np.full((1, 5), 100., np.float32)       # all gates are open
    >>> c, h = F.tree_lstm(c1, c2, x)
    >>> c.array                                     # 1 + 2 + 3
    array([[6.]], dtype=float32)
    """
    return TreeLSTM()(*inputs)
