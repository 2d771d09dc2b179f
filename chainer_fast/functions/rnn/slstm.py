from __future__ import annotations

from chainer_fast import backend
from chainer_fast.backends.kernels import record, recurrent
from chainer_fast.configuration import config
from chainer_fast.function import Function
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.rnn import _second_order, lstm
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable


def _arrays(variables):
    return [None if each is None else each.array for each in variables]


@record(recurrent.CellShortcut(2))
class SLSTM(FunctionNode):
    """Gates, cell and output of a step with two inputs, such as in a binary tree.

    Its two outputs are the new cell and the output of the step.
    """

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('c_prev1', 'c_prev2', 'x1', 'x2'))
        cells, gates = in_types[:2], in_types[2:]
        for c_type, x_type in zip(cells, gates, strict=True):
            lstm.check_gates(c_type, x_type)
        for other in in_types[1:]:
            type_check.expect(other.shape[0] == cells[0].shape[0])
        type_check.expect(
            cells[1].shape == cells[0].shape, cells[1].dtype == cells[0].dtype)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1, 2, 3))
        self.retain_outputs((0,))
        return recurrent.slstm(*inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grads: GradOutputs) -> tuple[Variable | None, ...]:
        known = self.get_retained_inputs() + self.get_retained_outputs()
        if config.enable_backprop:
            return SLSTMGrad()(*known, *grads)
        gradients = recurrent.slstm_grad(*_arrays(known), *_arrays(grads))
        return tuple(map(as_variable, gradients))


class SLSTMGrad(Function):
    """Gradient of :class:`SLSTM`.

    The inputs are those of the function, its first output, and the gradients of its
    outputs, which may be ``None``.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return recurrent.slstm_grad(*inputs)

    def backward(
            self, inputs: tuple[NdArray, ...],
            grads: GradArrays) -> tuple[NdArray | None, ...]:
        c_prev1, c_prev2, x1, x2, c, gc, gh = inputs
        xp = backend.get_array_module(x1)
        ggc_prev1, ggc_prev2, ggx1, ggx2 = [
            xp.zeros_like(like) if gg is None else gg
            for gg, like in zip(grads, inputs, strict=False)]
        a1, i1, f1, o1 = recurrent.extract_gates(x1)
        a2, i2, f2, o2 = recurrent.extract_gates(x2)
        zero = x1.dtype.type(0)
        operands = (
            c_prev1, a1, i1, f1, c_prev2, a2, i2, f2, o1 + o2, c,
            zero if gc is None else gc, zero if gh is None else gh,
            ggc_prev1, *recurrent.extract_gates(ggx1),
            ggc_prev2, *recurrent.extract_gates(ggx2))
        gradients = slstm_grad_grad(*operands)
        by_x1, by_x2 = [xp.empty(x.shape, x.dtype) for x in (x1, x2)]
        for by_x, by_gates in ((by_x1, gradients[1:5]), (by_x2, gradients[6:10])):
            for target, by_gate in zip(
                    recurrent.extract_gates(by_x), by_gates, strict=True):
                target[...] = by_gate
        by_c, by_gc, by_gh = gradients[10:]
        return (gradients[0], gradients[5], by_x1, by_x2, by_c,
                None if gc is None else by_gc, None if gh is None else by_gh)


def slstm(
        c_prev1: VariableOrArray, c_prev2: VariableOrArray, x1: VariableOrArray,
        x2: VariableOrArray) -> tuple[Variable, ...]:
    """One step of a long short-term memory with two states, after its affine maps.

    It combines two children of a binary tree. Each of ``x1`` and ``x2`` contains the
    inputs of four gates, interleaved along the second axis as in
    :func:`~chainer_fast.functions.lstm`. With them,

    .. math::

        c &= \\tanh(a_1) \\sigma(i_1) + \\tanh(a_2) \\sigma(i_2)
            + c_{\\text{prev}1} \\sigma(f_1) + c_{\\text{prev}2} \\sigma(f_2), \\\\
        h &= \\tanh(c) \\sigma(o_1 + o_2),

    elementwise.

    See: `Long short-term memory over tree structures
    <https://arxiv.org/abs/1503.04881>`_

    Parameters
    ----------
    c_prev1, c_prev2 : Variable or array
        Cells of the children, of shape ``(B, n, ...)`` and a floating dtype.
    x1, x2 : Variable or array
        Arrays of shape ``(B, 4 n, ...)`` and the dtype of the cells.

    Returns
    -------
    tuple of Variable
        The new cells and the outputs, each of shape ``(B, n, ...)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.

    See Also
    --------
    chainer_fast.functions.lstm
    chainer_fast.functions.tree_lstm

    Examples
    --------
    >>> c1, c2 = np.array([[2.]], np.float32), np.array([[3.]], np.float32)
    >>> x = np.full((1, 4), 100., np.float32)       # all gates are open
    >>> c, h = F.slstm(c1, c2, x, x)
    >>> c.array                                     # 1 + 1 + 2 + 3
    array([[7.]], dtype=float32)
    """
    cells, gates = (c_prev1, c_prev2), (x1, x2)
    return SLSTM().apply(cells + gates)


def slstm_grad_grad(
        c_prev1: NdArray, a1: NdArray, i1: NdArray, f1: NdArray, c_prev2: NdArray,
        a2: NdArray, i2: NdArray, f2: NdArray, o: NdArray, c: NdArray, gc: NdArray,
        gh: NdArray, ggc_prev1: NdArray, gga1: NdArray, ggi1: NdArray, ggf1: NdArray,
        ggo1: NdArray, ggc_prev2: NdArray, gga2: NdArray, ggi2: NdArray, ggf2: NdArray,
        ggo2: NdArray) -> tuple[NdArray, ...]:
    """Gradient of the gradient of an S-LSTM's step.

    Parameters
    ----------
    c_prev1, a1, i1, f1, c_prev2, a2, i2, f2, o, c : array
        Old cells, inputs of the gates before their activation (of the output gate, the
        sum of both), and new cell.
    gc, gh : array
        Gradients of the new cell and the output.
    ggc_prev1, gga1, ggi1, ggf1, ggo1, ggc_prev2, gga2, ggi2, ggf2, ggo2 : array
        Gradients with respect to the gradients of the old cells and the gates.

    Returns
    -------
    tuple of array
        Gradients with respect to ``c_prev1, a1, i1, f1, o1, c_prev2, a2, i2, f2, o2, c,
        gc, gh``.
    """
    xp = backend.get_array_module(a1)
    tanh_c, o = xp.tanh(c), recurrent.sigmoid(o)
    gc_step, _ = recurrent.output_grad(o, tanh_c, gc, gh)

    def half(c_prev, a, i, f, *gg):
        return _second_order.cell(
            gc_step, c_prev, xp.tanh(a), recurrent.sigmoid(i), recurrent.sigmoid(f),
            *gg)

    ggc1, *half1 = half(c_prev1, a1, i1, f1, ggc_prev1, gga1, ggi1, ggf1)
    ggc2, *half2 = half(c_prev2, a2, i2, f2, ggc_prev2, gga2, ggi2, ggf2)
    ggc = ggc1 + ggc2
    go, gc_next, ggh = _second_order.output(o, tanh_c, gh, ggc, ggo1 + ggo2)
    return (*half1, go, *half2, go, gc_next, ggc, ggh)
